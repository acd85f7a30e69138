#version 330
// find big.used c0 1
// miss big.pad
// miss big
// out position o0 gl_Position
uniform Big { vec4 pad[99]; vec4 used; vec4 more[20]; } big; in vec4 p;
void main() { gl_Position = p + big.used; }
