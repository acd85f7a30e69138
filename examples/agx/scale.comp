#version 450 core
// Every invocation scales numbers of its own until they are large enough.
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Numbers { float numbers[]; };
layout(std430, binding = 1) readonly buffer Factor { float factor; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float x = numbers[i];
    while (x < 100.0) {
        x *= factor;
    }
    numbers[i] = x;
}
