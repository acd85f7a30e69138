#version 450
layout(local_size_x = 16, local_size_y = 4) in;
layout(std430, binding = 0) readonly buffer A { float m[1024]; };
layout(std430, binding = 1) buffer B { float o[1024]; };
shared float tile[16][17];
void main() {
    uvec2 l = gl_LocalInvocationID.xy, g = gl_WorkGroupID.xy * 16u;
    for (uint k = 0u; k < 16u; k += 4u) tile[l.y + k][l.x] = m[((g.y + l.y + k) * 32u + g.x + l.x) & 1023u];
    barrier();
    for (uint k = 0u; k < 16u; k += 4u) o[((g.x + l.y + k) * 32u + g.y + l.x) & 1023u] = tile[l.x][l.y + k];
}
