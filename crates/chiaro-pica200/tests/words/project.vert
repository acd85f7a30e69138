#version 100
uniform mat4 mvp; uniform vec3 axis;
attribute vec3 position; varying vec4 v_color;
void main() {
    vec3 a = normalize(axis);
    vec3 p = position - a * dot(a, position);
    gl_Position = mvp * vec4(p, 1.0);
    v_color = vec4(1.0, 1.0, 1.0, 1.0);
}
