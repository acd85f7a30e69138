#version 330
// find mvp c0 4
// find eye c4 1
// miss Camera.mvp
// out position o0 gl_Position
// out color o1 v_color
layout(std140) uniform Camera { mat4 mvp; vec4 eye; }; in vec4 p; out vec4 v_color;
void main() { gl_Position = mvp * p; v_color = eye; }
