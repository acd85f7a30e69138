#version 310 es
uniform vec4 light;
in vec4 position;
in vec3 normal;
out vec4 color;

void main() {
    vec3 parts = max(normal * light.xyz, 0.0);
    color = vec4(vec3(dot(parts, vec3(1.0))), 1.0);
    gl_Position = position;
}
