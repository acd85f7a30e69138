#version 100
// find u_mvp c0 4
// find a_position v0 1
// find a_uv v1 1
// out position o0 gl_Position
// out texcoord0 o1 v_uv
attribute vec4 a_position; attribute vec2 a_uv; uniform mat4 u_mvp; varying vec2 v_uv;
void main() { gl_Position = u_mvp * a_position; v_uv = a_uv; }
