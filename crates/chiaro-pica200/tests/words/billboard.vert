#version 100
uniform mat4 mvp; uniform vec3 right; uniform vec3 up;
attribute vec3 center; attribute vec2 corner; varying vec2 v_tex;
void main() {
    gl_Position = mvp * vec4(center + right * corner.x + up * corner.y, 1.0);
    v_tex = corner;
}
