#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[128]; };
layout(std430, binding = 1) buffer B { uint best[2]; float value[2]; };
shared float v[64]; shared uint n[64];
void main() {
    uint l = gl_LocalInvocationID.x;
    v[l] = a[gl_GlobalInvocationID.x]; n[l] = gl_GlobalInvocationID.x;
    barrier();
    for (uint d = 32u; d > 0u; d >>= 1) {
        if (l < d && (v[l + d] < v[l] || (v[l + d] == v[l] && n[l + d] < n[l]))) { v[l] = v[l + d]; n[l] = n[l + d]; }
        barrier();
    }
    if (l == 0u) { best[gl_WorkGroupID.x & 1u] = n[0]; value[gl_WorkGroupID.x & 1u] = v[0]; }
}
