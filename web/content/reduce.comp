#version 450
// The sum of each group's 64 numbers: halves are added to halves until one is left.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Source { uint source[]; };
layout(std430, binding = 1) writeonly buffer Sums { uint sums[]; };
shared uint part[64];

void main() {
    uint n = gl_LocalInvocationIndex;
    part[n] = source[gl_GlobalInvocationID.x];
    for (uint half_size = 32u; half_size > 0u; half_size >>= 1) {
        barrier();
        if (n < half_size) part[n] += part[n + half_size];
    }
    if (n == 0u) sums[gl_WorkGroupID.x] = part[0];
}
