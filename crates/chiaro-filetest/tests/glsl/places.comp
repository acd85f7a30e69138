#version 450
// Everything that can stand on the left of an assignment, and arguments that are written.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Result { uint ok[]; };
uint n = 0u;
void expect(bool b) { ok[n++] = b ? 1u : 0u; }

struct Inner { vec3 v; float f[3]; mat2 m; };
struct Outer { Inner a[2]; bvec2 flags; };

void swap(inout float a, inout float b) { float t = a; a = b; b = t; }
void both(out vec2 a, out int b) { a = vec2(3.0, 4.0); b = 7; }
float bump(inout int i) { return float(++i); }
void early(out float x, bool leave) { x = 1.0; if (leave) return; x = 2.0; }

void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    v.wx = v.xy;
    expect(v == vec4(2.0, 2.0, 3.0, 1.0));
    v.zyx.yx = vec2(9.0, 8.0);
    expect(v == vec4(2.0, 9.0, 8.0, 1.0));
    int i = 2;
    v[i] = 5.0;
    v.wzyx[i] += 1.0;
    expect(v == vec4(2.0, 10.0, 5.0, 1.0));
    swap(v.x, v[i]);
    expect(v == vec4(5.0, 10.0, 2.0, 1.0));
    both(v.yw, i);
    expect(v == vec4(5.0, 3.0, 2.0, 4.0) && i == 7);
    Outer o;
    o.a[1].m = mat2(1.0);
    o.a[1].m[1].x = 6.0;
    o.a[1].f[2] = 4.0;
    o.a[1].v.zy = vec2(1.0, 2.0);
    o.flags = bvec2(false, true);
    Outer p = o;
    i = 1;
    expect(p.a[i].m[i][0] == 6.0 && p.a[i].m == mat2(1.0, 0.0, 6.0, 1.0));
    expect(p.a[i].f[i + 1] == 4.0 && p.a[1].v.yz == vec2(2.0, 1.0) && p.flags.y && !p.flags.x);
    float f[3] = float[](1.0, 2.0, 3.0);
    f[i]++;
    expect(f == float[3](1.0, 3.0, 3.0) && f[i]-- == 3.0 && --f[i] == 1.0);
    expect(f.length() == 3);
    // The index is computed once.
    int k = 0;
    f[k++] += 10.0;
    expect(k == 1 && f[0] == 11.0);
    k = 0;
    float g = bump(k) + bump(k) * 10.0;
    expect(k == 2 && g == 21.0);
    float x;
    early(x, true);
    expect(x == 1.0);
    early(x, false);
    expect(x == 2.0);
    mat3 m = mat3(0.0);
    m[2].zx = vec2(1.0, 2.0);
    m[0] = vec3(7.0);
    expect(m == mat3(7.0, 7.0, 7.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0));
    int a[2][3];
    a[1] = int[3](1, 2, 3);
    a[0] = a[1];
    a[0][2] = 9;
    expect(a[0] == int[3](1, 2, 9) && a[1] != a[0]);
    const int table[4] = int[4](4, 3, 2, 1);
    expect(table[i] == 3 && table[k] == 2);
    expect(vec3(1.0, 2.0, 3.0)[k] == 3.0 && mat2(1.0, 2.0, 3.0, 4.0)[i] == vec2(3.0, 4.0));
}
