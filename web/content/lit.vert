#version 310 es
// One vertex shader, several machines. Point at a line:
// what it became lights up in every pane. Point at an
// instruction: it is explained.
//
// PICA200 works on four components at once, Adreno on
// single numbers. Add a pane for Mali's Utgard, where
// six units share one long word.
uniform mat4 mvp;
uniform vec4 light;
in vec4 position;
in vec3 normal;
out vec3 color;

void main() {
    float lit = max(dot(normal, light.xyz), 0.0);
    color = vec3(0.1, 0.12, 0.15) + lit * light.w;
    gl_Position = mvp * position;
}
