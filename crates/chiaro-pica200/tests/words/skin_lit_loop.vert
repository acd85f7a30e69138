#version 100
uniform mat4 mvp; uniform mat4 bones[20]; uniform vec3 ldir; uniform vec4 tint;
attribute vec3 position; attribute vec3 normal; attribute vec3 ids; attribute vec3 weights;
varying vec4 v_color;
void main() {
    vec4 p = vec4(0.0);
    vec3 n = vec3(0.0);
    for (int i = 0; i < 3; i++) {
        int b = int(ids[i]);
        p += bones[b] * vec4(position, 1.0) * weights[i];
        n += (bones[b] * vec4(normal, 0.0)).xyz * weights[i];
    }
    gl_Position = mvp * p;
    v_color = tint * max(dot(normalize(n), ldir), 0.0);
}
