#version 100
uniform mat4 mvp; uniform vec4 bones[36];
attribute vec3 position; attribute vec3 ids; attribute vec3 weights; attribute vec4 color; varying vec4 v_color;
vec3 bone(float id) {
    int i = int(id);
    vec4 p = vec4(position, 1.0);
    return vec3(dot(bones[i], p), dot(bones[i + 1], p), dot(bones[i + 2], p));
}
void main() {
    vec3 p = bone(ids.x) * weights.x + bone(ids.y) * weights.y + bone(ids.z) * weights.z;
    gl_Position = mvp * vec4(p, 1.0);
    v_color = color;
}
