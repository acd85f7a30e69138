#version 300 es
// Parameters that go in and out, arrays among them; recursion by hand.
uniform vec4 u[3];
in vec4 a;
out vec4 v;
void swap(inout float x, inout float y) { float t = x; x = y; y = t; }
void sort(inout float list[4]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3 - i; j++)
            if (list[j] > list[j + 1]) swap(list[j], list[j + 1]);
}
void shift(inout vec4 p, const in vec4 by, out float length2) { p += by; length2 = dot(p, p); }
void main() {
    float list[4] = float[4](a.x, a.y, a.z, a.w);
    sort(list);
    vec4 p = vec4(list[0], list[1], list[2], list[3]);
    float l = 0.0;
    for (int i = 0; i < 3; i++) { float m; shift(p, u[i], m); l += m; }
    v = p;
    gl_Position = vec4(a.xyz, l + 1.0);
}
