#version 100
uniform mat4 mvp; uniform vec3 light; uniform vec4 base;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    v_color = base * (0.4 + 0.6 * step(0.5, dot(normal, light)));
}
