// Instances by arrays of matrices that an attribute chooses, twice.
attribute vec4 position;
attribute float which;
uniform mat4 models[10];
uniform mat4 camera;
uniform vec4 tints[10];
varying vec4 tint;
varying vec2 uv;
void main() {
    int i = int(clamp(which, 0.0, 9.0));
    int parent = int(mod(which * 3.0, 10.0));
    mat4 m = models[i];
    gl_Position = camera * (m * position);
    tint = tints[i] * 0.5 + tints[parent];
    uv = (models[parent] * position).xy;
}
