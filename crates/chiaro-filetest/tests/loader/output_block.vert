#version 330
// out position o0 gl_Position
// out color o1 vs_out.color
// out texcoord0 o2 vs_out.uv
in vec4 p; in vec2 t; out VS_OUT { vec4 color; vec2 uv; } vs_out;
void main() { gl_Position = p; vs_out.color = p; vs_out.uv = t; }
