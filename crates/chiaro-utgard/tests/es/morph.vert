// Morph targets in attributes, blended while their weight counts.
attribute vec3 base;
attribute vec3 targets0;
attribute vec3 targets1;
attribute vec3 targets2;
uniform float weights[3];
uniform mat4 mvp;
varying float moved;
vec3 target(int i) {
    if (i == 0) return targets0;
    if (i == 1) return targets1;
    return targets2;
}
void main() {
    vec3 p = base;
    for (int i = 0; i < 3; i++) {
        if (weights[i] < 0.05) continue;
        p += weights[i] * (target(i) - base);
    }
    moved = distance(p, base);
    gl_Position = mvp * vec4(p, 1.0);
}
