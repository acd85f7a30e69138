#version 450
layout(local_size_x = 128) in;
layout(std430, binding = 0) buffer A { uint pixels[256]; };
layout(std430, binding = 1) buffer B { uint bins[32]; };
shared uint local_bins[32];
void main() {
    uint l = gl_LocalInvocationID.x;
    if (l < 32u) local_bins[l] = 0u;
    barrier();
    uint px = pixels[gl_GlobalInvocationID.x];
    for (int b = 0; b < 4; b++) atomicAdd(local_bins[(px >> (8 * b)) & 31u], 1u);
    barrier();
    if (l < 32u && local_bins[l] > 0u) atomicAdd(bins[l], local_bins[l]);
}
