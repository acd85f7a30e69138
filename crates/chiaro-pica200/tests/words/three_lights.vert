#version 100
uniform mat4 mvp; uniform vec3 dirs[3]; uniform vec4 colors[3];
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    vec4 c = vec4(0.0);
    for (int i = 0; i < 3; i++) c += colors[i] * max(dot(normal, dirs[i]), 0.0);
    v_color = c;
}
