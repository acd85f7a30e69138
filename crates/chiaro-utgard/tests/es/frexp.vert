#version 310 es
// Significands and exponents, modf, rounding.
uniform float scale;
in vec4 a;
out vec4 v;
flat out int e;
void main() {
    int n;
    float f = frexp(abs(a.x) * 3.0 + 0.3, n);
    e = n;
    float whole;
    float rest = modf(a.y, whole);
    v = vec4(f, ldexp(f, n & 7), rest + whole, round(a.z) + roundEven(a.w) + trunc(a.x * scale));
    gl_Position = vec4(a.xyz, 3.0);
}
