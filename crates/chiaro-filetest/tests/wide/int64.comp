#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { int64_t a[64]; int64_t b[64]; int64_t c[64]; };
layout(std430, binding = 1) writeonly buffer Out { int64_t result[64][24]; };

int64_t chosen(bool which) { return which ? 1L : 0L; }

void main() {
    uint i = gl_LocalInvocationID.x;
    int64_t x = a[i], y = b[i];
    uint64_t u = uint64_t(x), v = uint64_t(y);
    int shift = int(c[i]) & 63;
    int64_t list[] = int64_t[](
        x + y, x - y, x * y, x / y, x & y, x | y,
        x ^ y, ~x, x << shift, x >> shift, int64_t(u >> shift), int64_t(u / v),
        int64_t(u % v), chosen(x < y), chosen(u < v), abs(x), sign(x), min(x, y),
        int64_t(max(u, v)), int64_t(int(x)), int64_t(uint(x)), int64_t(double(x >> 2)), pack64(unpack32(x).yx), -x);
    for (int n = 0; n < 24; n++) result[i][n] = list[n];
}
