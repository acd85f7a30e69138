#version 100
uniform mat4 mvp; uniform mat4 mv;
attribute vec3 position; attribute vec3 normal; varying vec2 v_tex;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    vec3 n = normalize((mv * vec4(normal, 0.0)).xyz);
    v_tex = n.xy * 0.5 + 0.5;
}
