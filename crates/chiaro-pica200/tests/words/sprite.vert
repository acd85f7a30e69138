#version 100
uniform mat4 ortho; uniform vec2 turn; uniform vec2 at;
attribute vec2 corner; attribute vec2 uv; varying vec2 v_tex;
void main() {
    vec2 p = vec2(corner.x * turn.x - corner.y * turn.y, corner.x * turn.y + corner.y * turn.x) + at;
    gl_Position = ortho * vec4(p, 0.0, 1.0);
    v_tex = uv;
}
