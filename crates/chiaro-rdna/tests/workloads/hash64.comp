#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uvec2 w[128]; };
uint64_t rotl(uint64_t x, int r) { return (x << r) | (x >> (64 - r)); }
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint64_t h = packUint2x32(w[i]) * 0x9E3779B185EBCA87ul + 0x27D4EB2F165667C5ul;
    for (int k = 0; k < 4; k++) {
        h ^= rotl(packUint2x32(w[(i + uint(k)) & 127u]) * 0xC2B2AE3D27D4EB4Ful, 31) * 0x9E3779B185EBCA87ul;
        h = rotl(h, 27) * 0x9E3779B185EBCA87ul + 0x85EBCA77C2B2AE63ul;
    }
    h ^= h >> 33; h *= 0xC2B2AE3D27D4EB4Ful; h ^= h >> 29;
    barrier();
    w[i] = unpackUint2x32(h % 1000003ul + (h / 77777ul));
}
