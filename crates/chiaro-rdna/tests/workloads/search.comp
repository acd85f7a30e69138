#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint8_t text[512]; };
layout(std430, binding = 1) readonly buffer N { uint8_t needle[8]; };
layout(std430, binding = 2) buffer B { uint hits[512]; uint total; };
layout(push_constant) uniform P { uint length; } c;
void main() {
    uint i = gl_GlobalInvocationID.x, n = clamp(c.length, 1u, 8u);
    bool same = true;
    for (uint k = 0u; k < n && same; k++) same = (uint(text[i + k]) & 3u) == (uint(needle[k]) & 3u);
    hits[i] = same ? 1u : 0u;
    uvec4 b = subgroupBallot(same);
    if (subgroupElect()) atomicAdd(total, subgroupBallotBitCount(b));
}
