#version 100
uniform mat4 mvp; uniform vec4 scroll; uniform float time;
attribute vec3 position; attribute vec2 uv; varying vec2 v_tex;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    v_tex = uv * scroll.xy + scroll.zw * time;
}
