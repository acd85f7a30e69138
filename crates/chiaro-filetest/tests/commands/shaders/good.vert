#version 100
attribute vec4 place;
uniform mat4 matrix;
varying vec4 colour;
void main() { gl_Position = matrix * place; colour = place * 0.5 + vec4(0.25); }
