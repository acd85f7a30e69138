#version 100
uniform mat4 mvp; uniform vec3 dirs[4]; uniform vec3 colors[4]; uniform vec3 ambient;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    vec3 c = ambient;
    for (float i = 0.0; i < 4.0; i += 1.0) {
        c += colors[int(i)] * max(dot(normal, dirs[int(i)]), 0.0);
    }
    v_color = vec4(c, 1.0);
}
