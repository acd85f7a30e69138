#version 330
// find eye c0 1
// out position o0 gl_Position
// out normalquat o1 normalQuat
// out view o2 vView
// out texcoord0 o3 TexCoords
in vec4 p; in vec4 q; uniform vec4 eye; out vec4 normalQuat; out vec3 vView; out vec2 TexCoords;
void main() { gl_Position = p; normalQuat = q; vView = eye.xyz - p.xyz; TexCoords = q.xy; }
