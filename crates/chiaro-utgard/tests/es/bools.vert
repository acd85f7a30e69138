#version 300 es
// Bools of all shapes: vectors, functions, short circuits.
uniform bvec4 on;
uniform float limit;
in vec4 a;
in vec4 b;
flat out int which;
out vec4 colour;
bool both(bool x, out bool y) { y = !x; return x && on.y; }
void main() {
    bvec4 less = lessThan(a, b);
    bool other;
    bool first = both(less.x, other);
    bool odd = any(less.zw) ^^ all(on.xy);
    which = int(first) + 2 * int(other) + 4 * int(odd);
    bvec4 chosen = bvec4(first || a.x > limit, other && b.x < limit, !odd, not(less).w);
    colour = mix(a, b, vec4(chosen));
    gl_Position = vec4(all(equal(on, bvec4(true, false, true, false))) ? a.xyz : b.xyz, 4.0);
}
