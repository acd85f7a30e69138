#version 100
uniform mat4 mvp; uniform vec4 low, high, snow; uniform float line;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color; varying vec2 v_tex;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    float t = clamp(position.y * 0.1, 0.0, 1.0);
    vec4 c = mix(low, high, t);
    if (position.y > line) c = snow;
    v_color = c * (0.5 + 0.5 * normal.y);
    v_tex = position.xz * 0.25;
}
