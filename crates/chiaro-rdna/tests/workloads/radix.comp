#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint keys[128]; };
layout(std430, binding = 1) buffer B { uint sorted[128]; };
layout(push_constant) uniform P { uint shift; } p;
shared uint counts[16];
shared uint starts[16];
shared uint k[64];
void main() {
    uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 64u;
    if (l < 16u) counts[l] = 0u;
    uint key = keys[base + l];
    k[l] = key;
    barrier();
    uint digit = (key >> (p.shift & 28u)) & 15u;
    atomicAdd(counts[digit], 1u);
    barrier();
    if (l == 0u) { uint s = 0u; for (int d = 0; d < 16; d++) { starts[d] = s; s += counts[d]; } }
    barrier();
    uint rank = 0u;
    for (uint j = 0u; j < l; j++) rank += ((k[j] >> (p.shift & 28u)) & 15u) == digit ? 1u : 0u;
    sorted[base + starts[digit] + rank] = key;
}
