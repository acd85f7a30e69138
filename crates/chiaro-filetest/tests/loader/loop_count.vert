#version 330
// find w c0 8
// find w[7] c7 1
// find count c8 1
// find count_loop i0 1
// out position o0 gl_Position
uniform vec4 w[8]; uniform int count; in vec4 p;
void main() { vec4 s = p; for (int i = 0; i < count; ++i) s += w[i]; gl_Position = s; }
