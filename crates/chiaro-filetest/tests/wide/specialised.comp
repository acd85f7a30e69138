#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 2, local_size_y_id = 7) in;
layout(constant_id = 1) const int count = 3;
layout(constant_id = 2) const double factor = 0.5lf;
layout(constant_id = 3) const int64_t wide = 5L;
layout(constant_id = 4) const bool flip = false;
layout(constant_id = 5) const uint16_t narrow = 9us;
layout(std430, binding = 1) writeonly buffer Out { double result[64]; };

const int doubled = count * 2 + 1;
shared int cells[doubled];

void main() {
    uint i = gl_LocalInvocationIndex;
    cells[doubled - 1] = doubled;
    barrier();
    double value = factor * double(wide) + double(narrow) + double(cells.length());
    result[i] = (flip ? -value : value) + double(gl_WorkGroupSize.y);
}
