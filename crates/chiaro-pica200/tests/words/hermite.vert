#version 100
uniform mat4 mvp; uniform vec3 p0, p1, m0, m1;
attribute float t; attribute vec4 color; varying vec4 v_color;
void main() {
    float t2 = t * t;
    float t3 = t2 * t;
    float h0 = 2.0 * t3 - 3.0 * t2 + 1.0;
    float h1 = t3 - 2.0 * t2 + t;
    float h2 = -2.0 * t3 + 3.0 * t2;
    float h3 = t3 - t2;
    vec3 p = p0 * h0 + m0 * h1 + p1 * h2 + m1 * h3;
    gl_Position = mvp * vec4(p, 1.0);
    v_color = color;
}
