#version 300 es
// Matrices as attributes and varyings, and products that are not square.
in mat3 frame;
in mat2x4 wide;
in vec4 a;
uniform mat4x3 tall;
out mat3 turned;
out vec2 flat2;
void main() {
    turned = transpose(frame);
    turned[1] *= 2.0;
    mat2x3 small = tall * wide;
    flat2 = a.xyz * small;
    gl_Position = vec4(frame * a.xyz, 2.0);
    gl_Position.xy += matrixCompMult(mat2(frame), mat2(wide))[1];
}
