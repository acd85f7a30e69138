#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Data { float data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float x = data[i];
    bool even = (i & 1u) == 0u;
    float a = even ? 1.5 : 0.5, b = even ? 1.0 : -1.0;
    for (int k = 0; k < 8; k++) x = x * a + b;
    data[i] = x;
}
