#version 100
void main() { gl_Position = 1.0; }
