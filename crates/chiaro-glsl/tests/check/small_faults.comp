#version 450
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e2m1 : require
#extension GL_ARM_tensors : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
uniform tensorARM<bfloat16_t, 1> brains;
uniform tensorARM<floate2m1_t, 1> tinies;
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
  --> small_faults.comp:24:21
   |
24 |     float literal = 1.0fe2m3;
   |                     ^^^^^^^^
   |
   = help: leave the suffix away

error: `floate5m2_t` needs `#extension GL_EXT_float_e5m2 : enable`
  --> small_faults.comp:23:5
   |
23 |     floate5m2_t unknown;
   |     ^^^^^^^^^^^

error: elements of this type need `#extension GL_ARM_tensors_bfloat16 : enable`
 --> small_faults.comp:6:9
  |
6 | uniform tensorARM<bfloat16_t, 1> brains;
  |         ^^^^^^^^^^^^^^^^^^^^^^^^

error: the elements of a tensor cannot be of this type
 --> small_faults.comp:7:9
  |
7 | uniform tensorARM<floate2m1_t, 1> tinies;
  |         ^^^^^^^^^^^^^^^^^^^^^^^^^

error: wrong type of initialiser: expected `bfloat16_t`, found `float`
  --> small_faults.comp:12:20
   |
12 |     bfloat16_t b = 1.0;
   |                    ^^^
   |
   = help: convert it with `bfloat16_t(...)`

error: `+` does not take `bfloat16_t` and `bfloat16_t`
  --> small_faults.comp:13:9
   |
13 |     b = b + b;
   |         ^^^^^
   |
   = help: it is stored and converted alone: compute with `float` or `vec` of it

error: `++` does not take `bfloat16_t`
  --> small_faults.comp:14:5
   |
14 |     b++;
   |     ^^^

error: `-` does not take `bfloat16_t`
  --> small_faults.comp:15:9
   |
15 |     b = -b;
   |         ^^

error: `+=` cannot put `bfloat16_t` into `bfloat16_t`
  --> small_faults.comp:16:5
   |
16 |     b += b;
   |     ^^^^^^
   |
   = help: it is stored and converted alone: compute with `float` or `vec` of it

error: `==` does not take `bfloat16_t` and `bfloat16_t`
  --> small_faults.comp:17:17
   |
17 |     bool same = b == b;
   |                 ^^^^^^
   |
   = help: it is stored and converted alone: compute with `float` or `vec` of it

error: `==` does not take `S` and `S`
  --> small_faults.comp:18:12
   |
18 |     same = S(b) == S(b);
   |            ^^^^^^^^^^^^

error: `bool` cannot be made from `bfloat16_t`
  --> small_faults.comp:19:23
   |
19 |     bool truth = bool(b);
   |                       ^

error: `bfloat16_t` cannot be made from `bool`
  --> small_faults.comp:20:20
   |
20 |     b = bfloat16_t(same);
   |                    ^^^^

error: wrong type of initialiser: expected `int`, found `bfloat16_t`
  --> small_faults.comp:21:13
   |
21 |     int i = b;
   |             ^
   |
   = help: convert it with `int(...)`

error: `floate2m1_t` is made from constants alone
  --> small_faults.comp:22:36
   |
22 |     floate2m1_t tiny = floate2m1_t(f);
   |                                    ^
   |
   = help: take its bits from integers

