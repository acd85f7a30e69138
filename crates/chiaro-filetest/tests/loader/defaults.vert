#version 330
// find base c0 1
// find on b0 1
// find plain c1 1
// out position o0 gl_Position
// out color o1 color
uniform vec4 base = vec4(0.5); uniform bool on = true; uniform vec4 plain; in vec4 p; out vec4 color;
void main() { gl_Position = p * base; color = plain; if (on) color += p; }
