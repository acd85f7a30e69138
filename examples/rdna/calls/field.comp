#version 450
// A kernel whose functions are elsewhere: prototypes without bodies are what `chiaro link` looks for in other parts.

layout(local_size_x = 64) in;

layout(std430, binding = 0) buffer Distances {
    float distances[];
};

float shape(vec3 p, float radius);
void turn(inout vec3 p, inout uint turns);

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec3 p = vec3(i & 7u, i >> 3 & 7u, 2u) * 0.25 - 0.75;
    uint turns = 0u;
    float nearest = 1.0e9;
    while (turns < 1u + (i & 3u)) {
        nearest = min(nearest, shape(p, 0.5 + 0.125 * float(turns)));
        turn(p, turns);
    }
    distances[i] = nearest;
}
