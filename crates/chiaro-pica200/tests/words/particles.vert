#version 100
uniform mat4 mvp; uniform vec3 gravity; uniform float time; uniform vec4 color;
attribute vec3 position; attribute vec3 velocity; varying vec4 v_color;
void main() {
    vec3 p = position + velocity * time + gravity * (time * time);
    gl_Position = mvp * vec4(p, 1.0);
    v_color = color * (1.0 - time);
}
