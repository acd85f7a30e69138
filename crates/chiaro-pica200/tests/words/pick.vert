#version 100
uniform mat4 mvp; uniform vec4 day, night; uniform float level;
attribute vec3 position; attribute vec4 color; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    vec4 c;
    if (position.y < level) c = day; else c = night;
    v_color = c * color;
}
