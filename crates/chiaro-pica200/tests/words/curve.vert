#version 100
uniform mat4 mvp; uniform vec3 p0, p1, p2;
attribute float t; attribute vec4 color; varying vec4 v_color;
void main() {
    float s = 1.0 - t;
    vec3 p = p0 * (s*s) + p1 * (2.0*s*t) + p2 * (t*t);
    gl_Position = mvp * vec4(p, 1.0);
    v_color = color;
}
