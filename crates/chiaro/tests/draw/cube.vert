#version 300 es
in vec3 position;
in vec3 normal;
in vec2 uv;
uniform mat4 mvp;
uniform mat3 turn;
out vec3 v_normal;
out vec2 v_uv;

void main() {
    v_normal = turn * normal;
    v_uv = uv;
    gl_Position = mvp * vec4(position, 1.0);
}
