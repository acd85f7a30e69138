#version 330
// find lamps c0 2
// find lamps[1] c1 1
// find lamps[1].color c1 1
// find lamps[0].on b0 1
// find lamps[1].on b1 1
// out position o0 gl_Position
// out color o1 color
struct Lamp { vec4 color; bool on; }; uniform Lamp lamps[2]; in vec4 p; out vec4 color;
void main() { gl_Position = p; vec4 sum = vec4(0.0); if (lamps[0].on) sum += lamps[0].color; if (lamps[1].on) sum += lamps[1].color; color = sum; }
