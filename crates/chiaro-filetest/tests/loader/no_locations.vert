#version 330
// find first v0 1
// find second v1 1
// find third v2 4
// find fourth v6 1
// out position o0 gl_Position
in vec4 first; in vec4 second; in mat4 third; in vec4 fourth;
void main() { gl_Position = third * first + second * fourth; }
