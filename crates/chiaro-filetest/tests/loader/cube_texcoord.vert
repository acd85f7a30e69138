#version 330
// out position o0 gl_Position
// out texcoord0 o1 texcoord
// out texcoord0w o1 texcoord
in vec4 p; out vec3 texcoord;
void main() { gl_Position = p; texcoord = p.xyz; }
