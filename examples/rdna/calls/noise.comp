#version 450
// Functions that stay functions: `-m callable=random -m callable=octave`. One calls the other, a variable of the
// module travels with them, and lanes leave the loop at different times.

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Seeds {
    uint seeds[];
};
layout(std430, binding = 1) buffer Heights {
    float heights[];
};

uint state;

// A number below 1, by a linear congruence.
float random() {
    state = state * 1664525u + 1013904223u;
    return float(state >> 8) * (1.0 / 16777216.0);
}

float octave(float height, float scale, inout uint left) {
    left -= 1u;
    return height + (random() - 0.5) * scale;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    state = seeds[i];
    float height = heights[i];
    uint left = 2u + (state & 3u);
    float scale = 1.0;
    while (left > 0u) {
        height = octave(height, scale, left);
        scale *= 0.5;
    }
    heights[i] = height;
}
