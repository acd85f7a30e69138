#version 330
// out position o0 gl_Position
// out color o1 first
// out texcoord0 o2 second
// out view o3 third
// out texcoord1 o4 fourth
in vec4 p; out vec4 first; out vec2 second; out vec3 third; out float fourth;
void main() { gl_Position = p; first = p; second = p.xy; third = p.xyz; fourth = p.w; }
