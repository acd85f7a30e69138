#version 310 es
// The PICA200 has a loop instruction whose count is in a
// uniform: the host says how often, not the shader. See the
// loop in Flow, then go through it in Step.
uniform int lamps;
uniform vec4 position_of[4];
in vec4 position;
in vec3 normal;
out vec4 color;

void main() {
    float sum = 0.0;
    for (int i = 0; i < lamps; i++) {
        vec3 way = position_of[i].xyz - position.xyz;
        sum += max(dot(normal, way), 0.0) / dot(way, way);
    }
    color = vec4(sum);
    gl_Position = position;
}
