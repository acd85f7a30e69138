#version 100
uniform mat4 mvp; uniform float t; uniform vec3 light; uniform vec4 color;
attribute vec3 a; attribute vec3 b; attribute vec3 na; attribute vec3 nb; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(mix(a, b, t), 1.0);
    vec3 n = normalize(mix(na, nb, t));
    v_color = color * max(dot(n, light), 0.0);
}
