#version 330
// out position o0 gl_Position
// out color o1 color
// out texcoord0 o2 uv0
// out texcoord1 o3 uv1
// out texcoord2 o4 uv2
// out view o5 view
// out normalquat o6 quat
in vec4 p; out vec4 color; out vec2 uv0; out vec2 uv1; out vec2 uv2; out vec3 view; out vec4 quat;
void main() { gl_Position = p; color = p; uv0 = p.xy; uv1 = p.yz; uv2 = p.zw; view = p.xyz; quat = p.wzyx; }
