#version 330
// find p v0 1
// find light c0 2
// find light.direction c0 1
// find light.color c1 1
// find color c2 1
// out position o0 gl_Position
// out color o1 vColor
struct Light { vec4 direction; vec4 color; }; uniform Light light; uniform vec4 color; in vec4 p; out vec4 vColor;
void main() { gl_Position = p; vColor = light.color * dot(light.direction, p) + color; }
