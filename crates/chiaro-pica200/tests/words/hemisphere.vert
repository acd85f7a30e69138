#version 100
uniform mat4 mvp; uniform vec3 sky; uniform vec3 ground; uniform vec3 up;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    float t = dot(normal, up) * 0.5 + 0.5;
    v_color = vec4(mix(ground, sky, t), 1.0);
}
