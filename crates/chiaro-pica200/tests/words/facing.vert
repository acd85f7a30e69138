#version 100
uniform mat4 mvp; uniform vec3 eye; uniform vec3 ldir; uniform vec3 tint;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    vec3 n = normal;
    if (dot(normal, eye - position) < 0.0) n = -n;
    float d = max(dot(n, ldir), 0.0);
    v_color = vec4(tint * d, 1.0);
}
