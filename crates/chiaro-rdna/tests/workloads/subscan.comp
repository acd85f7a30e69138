#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 128) in;
layout(std430, binding = 0) buffer A { uint a[256]; };
shared uint sums[64];
void main() {
    uint v = a[gl_GlobalInvocationID.x], s = subgroupInclusiveAdd(v);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u) sums[gl_SubgroupID] = s;
    barrier();
    if (gl_SubgroupID == 0u) {
        uint w = gl_SubgroupInvocationID < gl_NumSubgroups ? sums[gl_SubgroupInvocationID] : 0u;
        uint e = subgroupExclusiveAdd(w);
        if (gl_SubgroupInvocationID < gl_NumSubgroups) sums[gl_SubgroupInvocationID] = e;
    }
    barrier();
    a[gl_GlobalInvocationID.x] = s + sums[gl_SubgroupID];
}
