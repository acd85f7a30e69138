#version 450
#extension GL_EXT_control_flow_attributes : enable
layout(location = 0, component = 1) in vec2 a;
layout(std140, binding = 2) uniform Block { mat4 m; layout(offset = 64) vec4 v[2], w; } blocks[3];
layout(std430) readonly buffer Data { float data[]; };
layout(early_fragment_tests) in;
struct S { float x; vec2 y[2]; } s, t[2];
const float[2][3] table = float[2][3](float[3](1.0, 2.0, 3.0), float[](4.0, 5.0, 6.0));
uniform sampler2D sampler, image;
uniform texture2D tex;
invariant gl_Position;
precision highp float;
subroutine vec4 colour(vec3 a);
subroutine(colour) vec4 red(vec3 a) { return vec4(a, 1.0); }
subroutine uniform colour chosen;
float f(const in float a, inout highp vec2, out S c[2]);
void g(void) {}
int sample_count;
;
void main()
{
    float a = 1.0, b[2] = { 1.0, 2.0 }, c;
    S s = S(1.0, vec2[2](vec2(0), vec2(1)));
    S S = s;
    S.x = 3.0;
    { struct T { int i; }; T t = T(1), u[2]; }
    precise vec4 p;
    precise p;
    vec3(1.0).x;
    float[2](1.0, 2.0)[0];
    if (a > b[0]) a = 1.0; else if (a == 2.0) { b[1] += 2.0; } else ;
    [[unroll]] for (int i = 0, j = 1; i < 10; i++, --j) { if (i == 3) continue; break; }
    for (;;) break;
    while (bool more = a < 2.0) a++;
    do a--; while (a > 0.0);
    switch (sample_count) { case 1: case 2 + 3: a = 1.0; break; default: { a = 2.0; } }
    a = b[0] ? c : a ? c : b[1], -~!a++ - --b.length() * 3u << 2 & 0x7F ^ 1 | 0 && true || false ^^ true;
    a = c = b[0] <<= 2;
    discard;
    return;
}
--- expect
17 items, 46 statements, 154 expressions
warning: a semicolon that ends nothing
  --> all.frag:19:1
   |
19 | ;
   | ^

