#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { float16_t a[64]; float16_t b[64]; float16_t c[64]; };
layout(std430, binding = 1) writeonly buffer Out { float16_t result[64][24]; };

float16_t chosen(bool which) { return which ? 1.0hf : 0.0hf; }

void main() {
    uint i = gl_LocalInvocationID.x;
    float16_t x = a[i], y = b[i], z = c[i];
    f16vec2 pair = f16vec2(x, y) * z;
    float16_t list[] = float16_t[](
        x + y, x - y, x * y, x / y, sqrt(abs(x)), floor(z),
        ceil(z), trunc(z), roundEven(z), min(x, y), max(x, y), sign(z),
        float16_t(float(x) * 3.0), float16_t(double(z) / 3.0lf), float16_t(int(z)), float16_t(int16_t(z)), chosen(x < y), mix(x, y, z > 0.0hf),
        pair.x, pair.y, unpackFloat2x16(packFloat2x16(pair.yx)).x, int16BitsToFloat16(float16BitsToInt16(x) ^ 1s), -x, abs(z));
    for (int n = 0; n < 24; n++) result[i][n] = list[n];
}
