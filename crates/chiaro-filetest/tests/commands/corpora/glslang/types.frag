#version 300 es
precision highp float;
out vec4 colour;
void main() { colour = vec4(1); float x = colour; }
