#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { int16_t a[64]; int16_t b[64]; int16_t c[64]; };
layout(std430, binding = 1) writeonly buffer Out { int16_t result[64][24]; };

int16_t chosen(bool which) { return int16_t(which); }

void main() {
    uint i = gl_LocalInvocationID.x;
    int16_t x = a[i], y = b[i];
    uint16_t u = uint16_t(x), v = uint16_t(y);
    int16_t shift = c[i] & int16_t(15);
    int16_t list[] = int16_t[](
        x + y, x - y, x * y, x / y, x & y, x | y,
        x ^ y, ~x, x << shift, x >> shift, int16_t(u >> shift), int16_t(u / v),
        int16_t(u % v), chosen(x < y), chosen(u < v), abs(x), sign(x), min(x, y),
        int16_t(max(u, v)), int16_t(int(x) / 2), int16_t(uint(u) / 2u), int16_t(float(x) * 0.5), int16_t(int64_t(x) * 3L >> 1), -x);
    for (int n = 0; n < 24; n++) result[i][n] = list[n];
}
