#version 330
// find camera c0 5
// find camera.mvp c0 4
// find camera.eye c4 1
// miss mvp
// out position o0 gl_Position
// out color o1 tint
layout(std140) uniform Camera { mat4 mvp; vec4 eye; } camera; in vec4 p; out vec4 tint;
void main() { gl_Position = camera.mvp * p; tint = camera.eye; }
