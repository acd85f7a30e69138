#version 100
uniform mat4 mvp; uniform vec4 q; uniform vec3 at;
attribute vec3 position; attribute vec4 color; varying vec4 v_color;
void main() {
    vec3 t = 2.0 * cross(q.xyz, position);
    vec3 p = position + q.w * t + cross(q.xyz, t) + at;
    gl_Position = mvp * vec4(p, 1.0);
    v_color = color;
}
