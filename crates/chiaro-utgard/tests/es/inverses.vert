#version 300 es
// Inverse, transpose, determinant, outerProduct.
uniform mat3 view;
uniform mat4 model;
in vec4 position;
in vec3 normal;
out vec3 n;
out float size;
void main() {
    mat3 m = mat3(model) + mat3(4.0);
    n = transpose(inverse(m)) * normal;
    mat3 outer = outerProduct(normal, position.xyz);
    size = determinant(m) * 0.01 + outer[1].z;
    gl_Position = vec4(view * (outer * position.xyz), position.w + 3.0);
}
