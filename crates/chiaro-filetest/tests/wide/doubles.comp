#version 460
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer In { double a[64]; double b[64]; double c[64]; };
layout(std430, binding = 1) writeonly buffer Out { double result[64][24]; };

double chosen(bool which) { return which ? 1.0lf : 0.0lf; }

void main() {
    uint i = gl_LocalInvocationID.x;
    double x = a[i], y = b[i], z = c[i];
    dmat2x3 m = dmat2x3(x, y, z, z, x, y);
    int whole;
    double part = frexp(z, whole);
    double list[] = double[](
        x + y, x - y, x * y, x / y, fma(x, y, z), sqrt(abs(x)),
        floor(z), ceil(z), trunc(z), roundEven(z), fract(z), min(x, y),
        max(x, y), sign(z), double(float(z)), double(int(z)), packDouble2x32(unpackDouble2x32(x).yx), chosen(x < y),
        double(int64_t(z)), int64BitsToDouble(doubleBitsToInt64(x) ^ 1L), mix(x, y, z > 0.0lf), (m * dvec2(1.0lf, 0.0lf)).y,
        ldexp(part, whole), -clamp(z, -2.0lf, 2.0lf));
    for (int n = 0; n < 24; n++) result[i][n] = list[n];
}
