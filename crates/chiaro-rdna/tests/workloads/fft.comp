#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer A { vec2 x[128]; };
shared vec2 s[64];
vec2 cmul(vec2 a, vec2 b) { return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
void main() {
    uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 64u;
    for (uint h = 0u; h < 2u; h++) { uint n = l + 32u * h; s[bitfieldReverse(n) >> 26] = x[base + n]; }
    barrier();
    for (uint half_ = 1u; half_ < 64u; half_ *= 2u) {
        uint k = l & (half_ - 1u), a = ((l - k) << 1) + k, b = a + half_;
        float angle = -3.14159265 * float(k) / float(half_);
        vec2 w = vec2(cos(angle), sin(angle)), u = s[a], v = cmul(w, s[b]);
        s[a] = u + v; s[b] = u - v;
        barrier();
    }
    for (uint h = 0u; h < 2u; h++) x[base + l + 32u * h] = s[l + 32u * h];
}
