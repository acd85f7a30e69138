#version 450
// Constructors, conversions, operators, matrices, comparisons.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Result { uint ok[]; };
layout(std430, binding = 1) readonly buffer Numbers { int one; int minus; float half_; uint big; };
uint n = 0u;
void expect(bool b) { ok[n++] = b ? 1u : 0u; }
struct S { float a; vec2 b[2]; };

void main() {
    expect(vec4(vec2(1.0, 2.0), one, 4u) == vec4(1.0, 2.0, 1.0, 4.0));
    expect(vec2(vec4(1.0, 2.0, 3.0, 4.0)) == vec2(1.0, 2.0) && vec3(one) == vec3(1.0));
    expect(mat2(mat3(2.0)) == mat2(2.0) && mat3(mat2(one, 2.0, 3.0, 4.0))[2] == vec3(0.0, 0.0, 1.0));
    expect(mat2x3(vec3(1.0, 2.0, 3.0), vec3(4.0))[1].y == 4.0 && vec4(mat2(1.0, 2.0, 3.0, 4.0)).z == 3.0);
    expect(ivec3(mat2(1.5, 2.5, 3.5, 4.5)) == ivec3(1, 2, 3));
    expect(int(-1.75) == -1 && uint(minus) == 4294967295u && float(big) == 4000000000.0 && bool(half_));
    expect(int(true) == 1 && float(false) == 0.0 && bvec2(vec2(0.0, -2.0)) == bvec2(false, true));
    expect(one / 2 == 0 && -7 / 2 == -3 && 7u / 2u == 3u && 7 % 4 == 3 && (minus >> 1) == -1 && (big >> 31) == 1u);
    expect((one << 4 | 3) == 19 && (~one) == -2 && (12 ^ 10) == 6 && (ivec2(6, 5) & 4) == ivec2(4, 4));
    expect(2.0 * vec2(one, 2.0) == vec2(2.0, 4.0) && vec2(1.0, 2.0) + 1.0 == vec2(2.0, 3.0) && 6.0 / vec2(one, 2.0) == vec2(6.0, 3.0));
    mat2x3 m = mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
    expect(m * vec2(1.0, 10.0) == vec3(41.0, 52.0, 63.0) && vec3(1.0, 1.0, one) * m == vec2(6.0, 15.0));
    expect(transpose(m)[2] == vec2(3.0, 6.0) && (m * 2.0)[1].z == 12.0 && (1.0 / mat2(2.0, 4.0, 5.0, 8.0))[0] == vec2(0.5, 0.25));
    expect((m + m)[0] == vec3(2.0, 4.0, 6.0) && (-m)[1].x == -4.0 && (m - 1.0)[0].x == 0.0);
    expect(mat2(1.0, 2.0, 3.0, 4.0) * mat2(0.0, 1.0, 1.0, 0.0) == mat2(3.0, 4.0, 1.0, 2.0));
    mat2 w = mat2(1.0, 2.0, 3.0, 4.0);
    w *= 2.0; w[0] *= mat2(2.0);
    expect(w == mat2(4.0, 8.0, 6.0, 8.0) && ++w == mat2(5.0, 9.0, 7.0, 9.0));
    expect(matrixCompMult(w, w)[0] == vec2(25.0, 81.0) && outerProduct(vec2(1.0, 2.0), vec3(3.0, 4.0, 5.0))[1] == vec2(4.0, 8.0));
    expect(determinant(mat2(1.0, 2.0, 3.0, 4.0)) == -2.0 && abs(inverse(mat2(2.0, 0.0, 0.0, 4.0))[1].y - 0.25) < 1e-6);
    S a = S(1.0, vec2[2](vec2(1.0), vec2(2.0))), b = a;
    expect(a == b && !(a != b));
    b.b[1].y = 3.0;
    expect(a != b && a.b != b.b);
    expect(lessThan(vec2(one, 2.0), vec2(2.0)) == bvec2(true, false) && any(equal(ivec2(one), ivec2(1, 2))) && !all(not(bvec2(true, false))));
    expect(dvec2(one, 0.5).y == 0.5lf && float(double(half_) * 2.0lf) == 1.0);
    double d = 1.0lf / 3.0lf;
    expect(abs(d * 3.0lf - 1.0lf) < 1e-15lf && dmat2(2.0lf)[1].y == 2.0lf);
}
