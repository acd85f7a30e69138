#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[128]; };
layout(std430, binding = 1) buffer B { uint o[128]; };
shared uint t[2][64];
void main() {
    uint l = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x;
    int cur = 0;
    t[0][l] = a[i];
    barrier();
    for (uint d = 1u; d < 64u; d <<= 1) {
        t[1 - cur][l] = t[cur][l] + (l >= d ? t[cur][l - d] : 0u);
        cur = 1 - cur;
        barrier();
    }
    o[i] = t[cur][l];
}
