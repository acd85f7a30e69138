#version 330
// out position o0 gl_Position
// out texcoord0 o1 uv
in vec4 p; out vec4 never; out vec2 uv;
void main() { gl_Position = p; uv = p.xy; }
