#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint n[128]; };
layout(push_constant) uniform P { uint most; } c;
void main() {
    uint i = gl_GlobalInvocationID.x;
    double cx = double(i % 16u) * 0.15lf - 1.87lf, cy = double(i / 16u) * 0.23lf - 0.91lf, x = 0.0lf, y = 0.0lf;
    uint k = 0u;
    for (; k < c.most && x * x + y * y < 4.0lf; k++) { double t = x * x - y * y + cx; y = 2.0lf * x * y + cy; x = t; }
    n[i] = k;
}
