#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { vec4 p[128]; };
layout(std430, binding = 1) buffer B { vec4 v[128]; };
layout(push_constant) uniform P { float dt; float eps; } c;
shared vec4 tile[64];
void main() {
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
    vec3 acc = vec3(0), me = p[i].xyz;
    for (uint t = 0u; t < 2u; t++) {
        tile[l] = p[t * 64u + l];
        barrier();
        for (uint j = 0u; j < 64u; j++) {
            vec3 d = tile[j].xyz - me;
            float r = inversesqrt(dot(d, d) + 0.01 + abs(c.eps));
            acc += d * (abs(tile[j].w) * r * r * r);
        }
        barrier();
    }
    v[i].xyz += acc * c.dt;
}
