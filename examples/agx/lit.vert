#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 place;
layout(set = 0, binding = 0) uniform Scene { mat4 camera; vec4 light; };
layout(location = 0) out vec3 shown_normal;
layout(location = 1) out vec2 shown_place;

void main() {
    shown_normal = normal;
    shown_place = place;
    gl_Position = camera * vec4(position, 1.0);
}
