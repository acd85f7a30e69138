#version 330
// out position o0 gl_Position
// out texcoord0 o1 vUv[0]
// out texcoord1 o2 vUv[1]
// out texcoord2 o3 vUv[2]
in vec4 p; in vec2 t; out vec2 vUv[3];
void main() { gl_Position = p; vUv[0] = t; vUv[1] = t.yx; vUv[2] = t * 3.0; }
