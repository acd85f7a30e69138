#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Data { float data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float x = data[i];
    for (int k = 0; k < 8; k++) {
        if ((i & 1u) == 0u) x = x * 1.5 + 1.0;
        else x = x * 0.5 - 1.0;
    }
    data[i] = x;
}
