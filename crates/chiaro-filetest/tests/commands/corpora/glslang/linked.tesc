#version 450
layout(vertices = 3) out;
void main() { gl_TessLevelOuter[0] = 1.0; }
