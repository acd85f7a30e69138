#version 450
// A product of square matrices; tiles of both go through the memory of the group.
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer Left { float left[]; };
layout(std430, binding = 1) readonly buffer Right { float right[]; };
layout(std430, binding = 2) writeonly buffer Product { float product[]; };
layout(push_constant) uniform Sizes { uint size; } sizes;
shared float left_tile[16][16];
shared float right_tile[16][16];

void main() {
    uvec2 place = gl_GlobalInvocationID.xy;
    uvec2 n = gl_LocalInvocationID.xy;
    float sum = 0.0;
    for (uint at = 0u; at < sizes.size; at += 16u) {
        left_tile[n.y][n.x] = left[place.y * sizes.size + at + n.x];
        right_tile[n.y][n.x] = right[(at + n.y) * sizes.size + place.x];
        barrier();
        for (uint i = 0u; i < 16u; i++) sum = fma(left_tile[n.y][i], right_tile[i][n.x], sum);
        barrier();
    }
    product[place.y * sizes.size + place.x] = sum;
}
