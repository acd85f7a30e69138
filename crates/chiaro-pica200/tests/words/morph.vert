#version 100
uniform mat4 mvp; uniform float t;
attribute vec3 position; attribute vec3 target; attribute vec4 color; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(mix(position, target, t), 1.0);
    v_color = color;
}
