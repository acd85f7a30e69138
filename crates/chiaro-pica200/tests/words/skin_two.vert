#version 100
uniform mat4 mvp; uniform mat4 bones[16];
attribute vec3 position; attribute vec2 ids; attribute float weight; attribute vec2 uv;
varying vec2 v_tex;
void main() {
    vec4 p = vec4(position, 1.0);
    vec4 a = bones[int(ids.x)] * p;
    vec4 b = bones[int(ids.y)] * p;
    gl_Position = mvp * mix(b, a, weight);
    v_tex = uv;
}
