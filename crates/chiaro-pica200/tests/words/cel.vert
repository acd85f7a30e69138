#version 100
uniform mat4 mvp; uniform vec3 light; uniform vec4 dark; uniform vec4 bright;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    float d = dot(normal, light);
    v_color = d > 0.5 ? bright : dark;
}
