#version 310 es
uniform vec4 light;
in vec4 position;
in vec3 normal;
out vec4 color;

void main() {
    float d = 0.0;
    if (normal.x * light.x > 0.0) d += normal.x * light.x;
    if (normal.y * light.y > 0.0) d += normal.y * light.y;
    if (normal.z * light.z > 0.0) d += normal.z * light.z;
    color = vec4(d, d, d, 1.0);
    gl_Position = position;
}
