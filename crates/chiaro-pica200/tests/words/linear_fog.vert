#version 100
uniform mat4 mvp; uniform vec4 fog; uniform vec2 range;
attribute vec3 position; attribute vec4 color; varying vec4 v_color;
void main() {
    vec4 p = mvp * vec4(position, 1.0);
    gl_Position = p;
    v_color = mix(fog, color, clamp((range.y - p.w) * range.x, 0.0, 1.0));
}
