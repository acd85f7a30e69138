#version 450
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e2m1 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
struct S { bfloat16_t b; };
void main() {
    float f = 1.0;
    bfloat16_t b = 1.0;
    b = b + b;
    b++;
    b = -b;
    b += b;
    bool same = b == b;
    same = S(b) == S(b);
    bool truth = bool(b);
    b = bfloat16_t(same);
    int i = b;
    floate2m1_t tiny = floate2m1_t(f);
    floate5m2_t unknown;
    float literal = 1.0fe2m3;
}
--- expect
error: the suffix of `1.0fe2m3` needs `#extension GL_EXT_float_e2m3 : enable`
  --> small_faults.comp:21:21
   |
21 |     float literal = 1.0fe2m3;
   |                     ^^^^^^^^
   |
   = help: leave the suffix away

error: `floate5m2_t` needs `#extension GL_EXT_float_e5m2 : enable`
  --> small_faults.comp:20:5
   |
20 |     floate5m2_t unknown;
   |     ^^^^^^^^^^^

error: wrong type of initialiser: expected `bfloat16_t`, found `float`
 --> small_faults.comp:9:20
  |
9 |     bfloat16_t b = 1.0;
  |                    ^^^
  |
  = help: convert it with `bfloat16_t(...)`

error: `+` does not take `bfloat16_t` and `bfloat16_t`
  --> small_faults.comp:10:9
   |
10 |     b = b + b;
   |         ^^^^^
   |
   = help: it is stored and converted alone: compute with `float` or `vec` of it

error: `++` does not take `bfloat16_t`
  --> small_faults.comp:11:5
   |
11 |     b++;
   |     ^^^

error: `-` does not take `bfloat16_t`
  --> small_faults.comp:12:9
   |
12 |     b = -b;
   |         ^^

error: `+=` cannot put `bfloat16_t` into `bfloat16_t`
  --> small_faults.comp:13:5
   |
13 |     b += b;
   |     ^^^^^^
   |
   = help: it is stored and converted alone: compute with `float` or `vec` of it

error: `==` does not take `bfloat16_t` and `bfloat16_t`
  --> small_faults.comp:14:17
   |
14 |     bool same = b == b;
   |                 ^^^^^^
   |
   = help: it is stored and converted alone: compute with `float` or `vec` of it

error: `==` does not take `S` and `S`
  --> small_faults.comp:15:12
   |
15 |     same = S(b) == S(b);
   |            ^^^^^^^^^^^^

error: `bool` cannot be made from `bfloat16_t`
  --> small_faults.comp:16:23
   |
16 |     bool truth = bool(b);
   |                       ^

error: `bfloat16_t` cannot be made from `bool`
  --> small_faults.comp:17:20
   |
17 |     b = bfloat16_t(same);
   |                    ^^^^

error: wrong type of initialiser: expected `int`, found `bfloat16_t`
  --> small_faults.comp:18:13
   |
18 |     int i = b;
   |             ^
   |
   = help: convert it with `int(...)`

error: `floate2m1_t` is made from constants alone
  --> small_faults.comp:19:36
   |
19 |     floate2m1_t tiny = floate2m1_t(f);
   |                                    ^
   |
   = help: take its bits from integers

