#version 330
uniform sampler2D image;
uniform int count;
in vec3 position;
out vec4 colour;
float f(float a) { return a; }
float f(vec2 a) { return a.x; }
void main()
{
    int i = 1.5;
    vec3 v = vec2(1.0);
    v.xx = vec2(1.0);
    v.w = 1.0;
    v.xg = vec2(0.0);
    position.x = 1.0;
    count++;
    1.0 = v.x;
    bool b = v;
    if (count) discard;
    float g = f(vec3(1.0));
    vec4 t = texture(image, position);
    vec4 u = textur(image, position.xy);
    mat3 m = mat3(1.0) * vec4(1.0);
    colour = vec4(1.0, 2.0, 3.0);
    colour = vec4(1.0, 2.0, 3.0, 4.0, 5.0);
    colour = colr;
    float h = unknown(1.0) + unknown(2.0) * missing + missing;
    int[2] a = int[](1, 2, 3);
    a[2] = 1;
    a.x = 1;
    i = i + 1u;
    i = ~1.0;
    i = true ? 1 : vec2(1.0).x;
    colour += count && true;
    return colour;
}
--- expect
error: wrong type of initialiser: expected `int`, found `float`
  --> types.frag:10:13
   |
10 |     int i = 1.5;
   |             ^^^
   |
   = help: convert it with `int(...)`

error: wrong type of initialiser: expected `vec3`, found `vec2`
  --> types.frag:11:14
   |
11 |     vec3 v = vec2(1.0);
   |              ^^^^^^^^^

error: this cannot be assigned: a component is named twice
  --> types.frag:12:5
   |
12 |     v.xx = vec2(1.0);
   |     ^^^^

error: `vec3` has no component `w`
  --> types.frag:13:7
   |
13 |     v.w = 1.0;
   |       ^

error: `xg` names no components: use letters of one of xyzw, rgba, stpq
  --> types.frag:14:7
   |
14 |     v.xg = vec2(0.0);
   |       ^^

error: this cannot be assigned: `position` is an input, which cannot be written
  --> types.frag:15:5
   |
15 |     position.x = 1.0;
   |     ^^^^^^^^^^

error: this cannot be counted: `count` is a uniform, which cannot be written
  --> types.frag:16:5
   |
16 |     count++;
   |     ^^^^^

error: this cannot be assigned: it is not a variable
  --> types.frag:17:5
   |
17 |     1.0 = v.x;
   |     ^^^

error: wrong type of initialiser: expected `bool`, found `vec3`
  --> types.frag:18:14
   |
18 |     bool b = v;
   |              ^

error: the condition of `if` must be `bool`, found `int`
  --> types.frag:19:9
   |
19 |     if (count) discard;
   |         ^^^^^
   |
   = help: compare it, as in `x != 0`

error: no `f` takes (vec3)
  --> types.frag:20:15
   |
20 |     float g = f(vec3(1.0));
   |               ^
   |
   = note: `f(float)`: argument 1 is `vec3`, not `float`
   = note: `f(vec2)`: argument 1 is `vec3`, not `vec2`

error: no `texture` takes (sampler2D, vec3)
  --> types.frag:21:14
   |
21 |     vec4 t = texture(image, position);
   |              ^^^^^^^
   |
   = note: `texture(sampler2D, vec2)`: argument 2 is `vec3`, not `vec2`
   = note: `texture(sampler2D, vec2, float)` takes 3 arguments

error: there is no function `textur`
  --> types.frag:22:14
   |
22 |     vec4 u = textur(image, position.xy);
   |              ^^^^^^
   |
   = help: did you mean `texture`?

error: `*` does not take `mat3` and `vec4`
  --> types.frag:23:14
   |
23 |     mat3 m = mat3(1.0) * vec4(1.0);
   |              ^^^^^^^^^^^^^^^^^^^^^
   |
   = help: take 3 components: `.xyz`

error: `vec4` needs 4 components, 3 are given
  --> types.frag:24:14
   |
24 |     colour = vec4(1.0, 2.0, 3.0);
   |              ^^^^^^^^^^^^^^^^^^^

error: `vec4` has 4 components, more are given
  --> types.frag:25:14
   |
25 |     colour = vec4(1.0, 2.0, 3.0, 4.0, 5.0);
   |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: `colr` is not declared
  --> types.frag:26:14
   |
26 |     colour = colr;
   |              ^^^^
   |
   = help: did you mean `colour`?

error: there is no function `unknown`
  --> types.frag:27:15
   |
27 |     float h = unknown(1.0) + unknown(2.0) * missing + missing;
   |               ^^^^^^^

error: `missing` is not declared
  --> types.frag:27:45
   |
27 |     float h = unknown(1.0) + unknown(2.0) * missing + missing;
   |                                             ^^^^^^^

error: wrong type of initialiser: expected `int[2]`, found `int[3]`
  --> types.frag:28:16
   |
28 |     int[2] a = int[](1, 2, 3);
   |                ^^^^^^^^^^^^^^

error: the index 2 is out of bounds: `int[2]` has elements 0 to 1
  --> types.frag:29:7
   |
29 |     a[2] = 1;
   |       ^

error: `int[2]` has no member `x`
  --> types.frag:30:7
   |
30 |     a.x = 1;
   |       ^

error: `+` does not take `int` and `uint`
  --> types.frag:31:9
   |
31 |     i = i + 1u;
   |         ^^^^^^
   |
   = help: convert it with `int(...)`

error: `~` does not take `float`
  --> types.frag:32:9
   |
32 |     i = ~1.0;
   |         ^^^^

error: wrong type in this assignment: expected `int`, found `float`
  --> types.frag:33:9
   |
33 |     i = true ? 1 : vec2(1.0).x;
   |         ^^^^^^^^^^^^^^^^^^^^^^
   |
   = help: convert it with `int(...)`

error: `&&` does not take `int` and `bool`
  --> types.frag:34:15
   |
34 |     colour += count && true;
   |               ^^^^^^^^^^^^^
   |
   = help: convert it with `int(...)`

error: a function that returns `void` cannot return a value
  --> types.frag:35:5
   |
35 |     return colour;
   |     ^^^^^^^^^^^^^^

