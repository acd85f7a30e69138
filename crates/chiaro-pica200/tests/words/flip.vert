#version 100
uniform mat4 mvp; uniform vec3 eye; uniform vec4 front, back;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    vec3 v = eye - position;
    float f = dot(v, normal);
    vec3 n = f < 0.0 ? -normal : normal;
    v_color = (f < 0.0 ? back : front) * max(dot(n, normalize(v)), 0.0);
}
