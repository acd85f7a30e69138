#version 450
// Sums of everything before, in blocks of 256.
layout(local_size_x = 128) in;
layout(std430, binding = 0) readonly buffer Source { uint source[]; };
layout(std430, binding = 1) writeonly buffer Target { uint target[]; };
layout(std430, binding = 2) buffer Sums { uint sums[]; };
layout(push_constant) uniform Range { uint count; } range;
shared uint block[gl_WorkGroupSize.x * 2u];

void main() {
    uint n = gl_LocalInvocationIndex, first = gl_WorkGroupID.x * block.length();
    for (uint i = 0u; i < 2u; i++) {
        uint at = first + n * 2u + i;
        block[n * 2u + i] = at < range.count ? source[at] : 0u;
    }
    uint offset = 1u;
    for (uint d = gl_WorkGroupSize.x; d > 0u; d >>= 1) {
        barrier();
        if (n < d) block[offset * (2u * n + 2u) - 1u] += block[offset * (2u * n + 1u) - 1u];
        offset <<= 1;
    }
    if (n == 0u) {
        sums[gl_WorkGroupID.x] = block[block.length() - 1];
        block[block.length() - 1] = 0u;
    }
    for (uint d = 1u; d <= gl_WorkGroupSize.x; d <<= 1) {
        offset >>= 1;
        barrier();
        if (n < d) {
            uint a = offset * (2u * n + 1u) - 1u, b = offset * (2u * n + 2u) - 1u, t = block[a];
            block[a] = block[b];
            block[b] += t;
        }
    }
    barrier();
    for (uint i = 0u; i < 2u; i++) {
        uint at = first + n * 2u + i;
        if (at < range.count) target[at] = block[n * 2u + i];
    }
}
