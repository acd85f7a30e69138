#version 450
// Forms that sources have and that no rule of the grammar forbids.
layout(location = 0) in vec3 place;
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform Block { mat4 world; };
const vec2 half_each = 0.5.xx;
void main() {
    mat3 basis = mat3(vec4(1.0), vec3(2.0), vec3(3.0));
    colour = vec4(half_each, 1.0.xx) + 0.25.xxxx * basis[2].x;
    colour += world * vec4(place, 1.0);
}
--- expect
In place location=0
Out colour location=0
Uniform block Block binding=0
