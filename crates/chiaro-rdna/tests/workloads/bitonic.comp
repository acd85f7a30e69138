#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { int data[128]; };
shared int s[128];
void main() {
    uint l = gl_LocalInvocationID.x;
    if (gl_WorkGroupID.x > 0u) return;
    s[l] = data[l]; s[l + 64u] = data[l + 64u];
    barrier();
    for (uint k = 2u; k <= 128u; k *= 2u) {
        for (uint j = k / 2u; j > 0u; j /= 2u) {
            uint a = 2u * j * (l / j) + l % j, b = a + j;
            bool up = (a & k) == 0u;
            int x = s[a], y = s[b];
            if ((x > y) == up) { s[a] = y; s[b] = x; }
            barrier();
        }
    }
    data[l] = s[l]; data[l + 64u] = s[l + 64u];
}
