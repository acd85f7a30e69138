#version 330
// find mvp c0 4
// miss before
// miss image
// miss after
// out position o0 gl_Position
uniform vec4 before[90]; uniform sampler2D image; uniform mat4 mvp; uniform float after; in vec4 p;
void main() { gl_Position = mvp * p; }
