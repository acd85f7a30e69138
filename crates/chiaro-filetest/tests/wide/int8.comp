#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { int8_t a[64]; int8_t b[64]; int8_t c[64]; };
layout(std430, binding = 1) writeonly buffer Out { int8_t result[64][24]; };

int8_t chosen(bool which) { return int8_t(which); }

void main() {
    uint i = gl_LocalInvocationID.x;
    int8_t x = a[i], y = b[i];
    uint8_t u = uint8_t(x), v = uint8_t(y);
    int8_t shift = c[i] & int8_t(7);
    int8_t list[] = int8_t[](
        x + y, x - y, x * y, x / y, x & y, x | y,
        x ^ y, ~x, x << shift, x >> shift, int8_t(u >> shift), int8_t(u / v),
        int8_t(u % v), chosen(x < y), chosen(u < v), abs(x), sign(x), min(x, y),
        int8_t(max(u, v)), int8_t(int(x) / 2), int8_t(uint(u) / 2u), int8_t(float(x) * 0.5), int8_t(int64_t(x) * 3L >> 1), -x);
    for (int n = 0; n < 24; n++) result[i][n] = list[n];
}
