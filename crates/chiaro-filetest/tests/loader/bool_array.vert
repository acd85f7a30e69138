#version 330
// find flags b0 3
// find flags[0] b0 1
// find flags[1] b1 1
// find flags[2] b2 1
// find last b3 1
// out position o0 gl_Position
uniform bool flags[3]; uniform bool last; in vec4 p; in vec4 q;
void main() { gl_Position = flags[0] ? p : q; if (flags[2]) gl_Position += q; if (last) gl_Position += p; if (flags[1]) gl_Position *= q; }
