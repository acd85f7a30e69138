#version 330
#define BROKEN(x) ((x) + )
#define OUTER(x) BROKEN(x) * 2.0
unifrom vec3 colour;
vce3 position;
uniform vec4 a
uniform vec4 b;
const x = 3;
out vec4 result;
main() {}
void f(float a, foo b, vec2 c = vec2(0)) { a = ; }
struct A { float x = 1.0; vec y; };
vec4 g(A a) {
    float x = 1.0
    float y = OUTER(3.0);
    float z = 1.0 +* 2.0, w = (1.0;
    retrun x;
    whlie (x) { y = 1.0; }
    int input = 3;
    double d = 1.0;
    else x = 2.0;
    case 1: x = 3.0;
    a.1 = 2;
    vec2 v = { 1.0, 2.0 };
    a[] = 3.0;
    float h(float a) { return a; }
    if x { }
    if (x y = 1.0;
    for (int i = 0, i < 3; i++) { x = 1; }
    x = float + 1;
    return vec4(x y);
}
x = 3;
if (true) {}
uniform Block { float q; int; } block;
void unclosed() {
    { x = 1.0;
--- expect
8 items, 21 statements, 23 expressions
error: `unifrom` is no qualifier
 --> faults.frag:4:1
  |
4 | unifrom vec3 colour;
  | ^^^^^^^
  |
  = help: did you mean `uniform`?

error: unknown type `vce3`
 --> faults.frag:5:1
  |
5 | vce3 position;
  | ^^^^
  |
  = help: did you mean `vec3`?

error: expected `;`, found `uniform`
 --> faults.frag:6:14
  |
6 | uniform vec4 a
  |              ^ `;` is missing behind this

error: `x` needs a type before its name
 --> faults.frag:8:7
  |
8 | const x = 3;
  |       ^

error: `main` needs the type of its result before its name
  --> faults.frag:10:1
   |
10 | main() {}
   | ^^^^

error: unknown type `foo`
  --> faults.frag:11:17
   |
11 | void f(float a, foo b, vec2 c = vec2(0)) { a = ; }
   |                 ^^^

error: a parameter cannot have a default value
  --> faults.frag:11:31
   |
11 | void f(float a, foo b, vec2 c = vec2(0)) { a = ; }
   |                               ^

error: a member cannot have an initialiser
  --> faults.frag:12:20
   |
12 | struct A { float x = 1.0; vec y; };
   |                    ^

error: unknown type `vec`
  --> faults.frag:12:27
   |
12 | struct A { float x = 1.0; vec y; };
   |                           ^^^
   |
   = help: did you mean `vec2`?

error: expected `;`, found `float`
  --> faults.frag:14:15
   |
14 |     float x = 1.0
   |               ^^^ `;` is missing behind this

error: expected an expression, found `)`
  --> faults.frag:15:15
   |
15 |     float y = OUTER(3.0);
   |               ^^^^^
   |
note: in the expansion of macro `OUTER`
  --> faults.frag:3:18
   |
 3 | #define OUTER(x) BROKEN(x) * 2.0
   |                  ^^^^^^
note: in the expansion of macro `BROKEN`
  --> faults.frag:2:26
   |
 2 | #define BROKEN(x) ((x) + )
   |                          ^

error: expected an expression, found `*`
  --> faults.frag:16:20
   |
16 |     float z = 1.0 +* 2.0, w = (1.0;
   |                    ^

error: expected `)`, found `;`
  --> faults.frag:16:35
   |
16 |     float z = 1.0 +* 2.0, w = (1.0;
   |                                   ^

error: unknown type `retrun`
  --> faults.frag:17:5
   |
17 |     retrun x;
   |     ^^^^^^
   |
   = help: did you mean `return`?

error: there is no statement `whlie`
  --> faults.frag:18:5
   |
18 |     whlie (x) { y = 1.0; }
   |     ^^^^^
   |
   = help: did you mean `while`?

error: `input` is a reserved word of GLSL 3.30
  --> faults.frag:19:9
   |
19 |     int input = 3;
   |         ^^^^^

error: `double` needs `#version 400` or later, or `#extension GL_ARB_gpu_shader_fp64 : enable`
  --> faults.frag:20:5
   |
20 |     double d = 1.0;
   |     ^^^^^^

error: `else` without `if`
  --> faults.frag:21:5
   |
21 |     else x = 2.0;
   |     ^^^^

error: a label can only stand directly in the braces of a `switch`
  --> faults.frag:22:5
   |
22 |     case 1: x = 3.0;
   |     ^^^^

error: expected `;`, found `0.1`
  --> faults.frag:23:5
   |
23 |     a.1 = 2;
   |     ^ `;` is missing behind this

error: an initialiser in braces needs `#version 420` or later, or `#extension GL_ARB_shading_language_420pack : enable`
  --> faults.frag:24:14
   |
24 |     vec2 v = { 1.0, 2.0 };
   |              ^
   |
   = help: use a constructor: `vec2(a, b)`, `float[2](a, b)`

error: expected an index, found `]`
  --> faults.frag:25:7
   |
25 |     a[] = 3.0;
   |       ^

error: a function can only be declared at the outermost level
  --> faults.frag:26:11
   |
26 |     float h(float a) { return a; }
   |           ^

error: expected `(`, found `x`
  --> faults.frag:27:8
   |
27 |     if x { }
   |        ^

error: expected `)`, found `y`
  --> faults.frag:28:11
   |
28 |     if (x y = 1.0;
   |           ^

error: expected `;`, found `<`
  --> faults.frag:29:21
   |
29 |     for (int i = 0, i < 3; i++) { x = 1; }
   |                     ^ `;` is missing behind this

error: expected `(` behind the type, found `+`
  --> faults.frag:30:15
   |
30 |     x = float + 1;
   |               ^

error: expected `,` or `)`, found `y`
  --> faults.frag:31:19
   |
31 |     return vec4(x y);
   |                   ^

error: expected a declaration, found `x`
  --> faults.frag:33:1
   |
33 | x = 3;
   | ^

error: `if` can only stand in a function
  --> faults.frag:34:1
   |
34 | if (true) {}
   | ^^

error: expected the name of a member, found `;`
  --> faults.frag:35:29
   |
35 | uniform Block { float q; int; } block;
   |                             ^

error: this `{` has no `}`
  --> faults.frag:37:5
   |
37 |     { x = 1.0;
   |     ^

error: this `{` has no `}`
  --> faults.frag:36:17
   |
36 | void unclosed() {
   |                 ^

