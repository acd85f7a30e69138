#version 100
uniform mat4 mvp; uniform vec4 palette[32];
attribute vec3 position; attribute vec2 pair; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    v_color = mix(palette[int(pair.x)], palette[int(pair.y)], 0.5);
}
