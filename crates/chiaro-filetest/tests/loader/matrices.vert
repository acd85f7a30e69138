#version 330
// find a c0 4
// find b c4 6
// find b[1] c7 3
// find c c10 2
// miss a[0]
// out position o0 gl_Position
uniform mat4 a; uniform mat3 b[2]; uniform mat2 c; in vec4 p;
void main() { vec3 q = b[1] * p.xyz; gl_Position = a * vec4(c * q.xy, q.z, 1.0); }
