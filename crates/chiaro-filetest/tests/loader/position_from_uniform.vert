#version 330
// find places c0 4
// find places[2] c2 1
// find which v0 1
// out position o0 gl_Position
uniform vec4 places[4]; in float which;
void main() { gl_Position = places[int(which)]; }
