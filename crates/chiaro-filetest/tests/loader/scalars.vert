#version 330
// find f c0 1
// find g c1 1
// find n c2 1
// find h c3 2
// find h[1] c4 1
// out position o0 gl_Position
uniform float f; uniform vec2 g; uniform int n; uniform vec3 h[2]; in vec4 p;
void main() { gl_Position = p * f + vec4(g, float(n), 0.0) + vec4(h[1], 1.0); }
