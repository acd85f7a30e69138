#version 100
uniform mat4 ortho; uniform vec4 glyphs[64];
attribute vec2 corner; attribute float glyph; varying vec2 v_tex;
void main() {
    vec4 g = glyphs[int(clamp(floor(glyph), 0.0, 63.0))];
    gl_Position = ortho * vec4(corner, 0.0, 1.0);
    v_tex = g.xy + corner * g.zw;
}
