#version 100
uniform mat4 mvp; uniform vec3 eye; uniform vec4 rim;
attribute vec3 position; attribute vec3 normal; attribute vec4 color; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    float f = 1.0 - max(dot(normalize(eye - position), normal), 0.0);
    v_color = color + rim * (f * f);
}
