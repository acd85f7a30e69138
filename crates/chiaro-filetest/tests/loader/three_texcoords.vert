#version 330
// out position o0 gl_Position
// out texcoord2 o1 vTexCoord2
// out texcoord1 o2 vTexCoord1
// out texcoord0 o3 vTexCoord0
in vec4 p; in vec2 t; out vec2 vTexCoord2; out vec2 vTexCoord1; out vec2 vTexCoord0;
void main() { gl_Position = p; vTexCoord2 = t * 2.0; vTexCoord1 = t + 1.0; vTexCoord0 = t; }
