#version 100
uniform mat4 ortho; uniform vec4 xf;
attribute vec2 corner; attribute vec2 uv; varying vec2 v_tex;
void main() {
    vec2 p = vec2(xf.x * corner.x - xf.y * corner.y, xf.y * corner.x + xf.x * corner.y) + xf.zw;
    gl_Position = ortho * vec4(p, 0.0, 1.0);
    v_tex = uv;
}
