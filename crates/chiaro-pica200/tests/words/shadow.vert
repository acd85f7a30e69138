#version 100
uniform mat4 mvp; uniform vec3 light; uniform vec4 shade;
attribute vec3 position; varying vec4 v_color;
void main() {
    vec3 p = position - light * (position.y / light.y);
    gl_Position = mvp * vec4(p, 1.0);
    v_color = shade;
}
