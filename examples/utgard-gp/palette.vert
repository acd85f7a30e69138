// Skinning with one bone per vertex: the bone's index is known at run time only.
uniform mat4 view;
uniform mat4 bones[8];
attribute vec4 position;
attribute float bone;
varying vec3 tint;

void main() {
    vec4 world = bones[int(bone)] * position;
    tint = abs(world.xyz) * 0.25;
    gl_Position = view * world;
}
