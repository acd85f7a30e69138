#version 450
struct M { mat4 m; vec3 n; float f; };
layout(location=0) uniform M mm;
layout(location=10) uniform vec4 c[3];
layout(location=0) in vec4 a; layout(location=1) in mat3 b; layout(location=4) in vec3 n[2];
layout(location=0) out vec4 x; layout(location=1) out vec3 y;
void main() { gl_Position = mm.m * a; x = c[gl_VertexID % 3] + float(gl_InstanceID); y = b * mm.n * mm.f + n[1]; }
