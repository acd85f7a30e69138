#version 330
// find scene c0 7
// find scene.spots c0 4
// find scene.spots[1] c2 2
// find scene.spots[1].reach c3 1
// find scene.turn c4 3
// out position o0 gl_Position
struct Spot { vec4 at; float reach; }; layout(std140) uniform Scene { Spot spots[2]; mat3 turn; } scene; in vec3 p;
void main() { gl_Position = vec4(scene.turn * p, scene.spots[1].reach) + scene.spots[0].at; }
