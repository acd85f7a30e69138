#version 100
uniform mat4 mvp; uniform vec4 bones[48];
attribute vec3 position; attribute vec2 ids; attribute vec2 weights; attribute vec4 color;
varying vec4 v_color;
void main() {
    vec4 p = vec4(position, 1.0);
    int a = int(ids.x);
    int b = int(ids.y);
    vec3 s = vec3(dot(bones[a], p), dot(bones[a + 1], p), dot(bones[a + 2], p)) * weights.x
        + vec3(dot(bones[b], p), dot(bones[b + 1], p), dot(bones[b + 2], p)) * weights.y;
    gl_Position = mvp * vec4(s, 1.0);
    v_color = color;
}
