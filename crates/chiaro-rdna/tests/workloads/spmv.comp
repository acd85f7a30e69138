#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer R { uint rows[129]; };
layout(std430, binding = 1) readonly buffer C { uint cols[512]; };
layout(std430, binding = 2) readonly buffer V { float vals[512]; };
layout(std430, binding = 3) readonly buffer X { float x[128]; };
layout(std430, binding = 4) buffer Y { float y[128]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    float s = 0.0;
    uint a = min(rows[i], 500u), b = min(rows[i + 1u], a + 12u);
    for (uint k = a; k < b; k++) s = fma(vals[k], x[cols[k] & 127u], s);
    y[i] = s;
}
