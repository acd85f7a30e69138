#version 300 es
// Four bones of twelve, chosen by the vertex; normals by the same matrices.
uniform mat4 bones[12];
uniform mat4 projection;
in vec4 position;
in vec3 normal;
in vec4 weights;
in ivec4 indices;
out vec3 vNormal;
void main() {
    vec4 p = vec4(0.0);
    vec3 n = vec3(0.0);
    for (int i = 0; i < 4; i++) {
        int bone = clamp(indices[i], 0, 11);
        p += weights[i] * (bones[bone] * position);
        n += weights[i] * (mat3(bones[bone]) * normal);
    }
    gl_Position = projection * p;
    vNormal = normalize(n);
}
