#version 100
uniform mat4 mvp; uniform mat4 model; uniform vec3 eye;
attribute vec3 position; attribute vec3 normal; varying vec3 v_dir; varying vec4 v_color;
void main() {
    vec4 w = model * vec4(position, 1.0);
    vec3 n = normalize((model * vec4(normal, 0.0)).xyz);
    v_dir = reflect(w.xyz - eye, n);
    v_color = vec4(1.0);
    gl_Position = mvp * vec4(position, 1.0);
}
