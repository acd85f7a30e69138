#version 450
#extension GL_EXT_long_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(set = 0, binding = 0, std430) buffer Data { vector<float, 7> list[]; };
uniform vector<float, 5> loose;
const vector<int, 6> fixed_values = vector<int, 6>(ivec4(1, 2, 3, 4), 5, 6);
int sized[fixed_values[5]];
vector<void, 5> nothing;
vector<float, 0> single;
vector<float> open;
void main() {
    vector<float, 7> v = list[1];
    v = sin(v) * 2.0 + vector<float, 7>(v.xyz, vec4(1.0));
    v[7] = 1.0;
    vector<float, 5> five = vector<float, 5>(v);
    five = v;
    vector<bool, 5> flags = lessThan(five, five);
    vector<float, 9> nine = vector<float, 9>(mat3(1.0));
    list[0] = any(flags) ? v : -v;
    vector<float, 5> few = vector<float, 5>(1.0, 2.0);
    vec4 plain = vec4(1.0, mat2(1.0));
    vector<float, 5> mixed = vector<float, 5>(1.0, mat2(1.0));
}
--- expect
error: a `vector<float, 5>` cannot be a uniform by itself
 --> vectors.comp:5:26
  |
5 | uniform vector<float, 5> loose;
  |                          ^^^^^
  |
  = help: put it into a block

error: the components of a vector are scalars
 --> vectors.comp:8:1
  |
8 | vector<void, 5> nothing;
  | ^^^^^^^^^^^^^^^

error: a vector has 1 to 65536 components
 --> vectors.comp:9:15
  |
9 | vector<float, 0> single;
  |               ^

error: a vector has a type of components and their number: `vector<float, 5>`
  --> vectors.comp:10:1
   |
10 | vector<float> open;
   | ^^^^^^^^^^^^^

error: the index 7 is out of bounds: `vector<float, 7>` has elements 0 to 6
  --> vectors.comp:14:7
   |
14 |     v[7] = 1.0;
   |       ^

error: wrong type in this assignment: expected `vector<float, 5>`, found `vector<float, 7>`
  --> vectors.comp:16:12
   |
16 |     five = v;
   |            ^

error: `vector<float, 9>` cannot be made from `mat3`
  --> vectors.comp:18:29
   |
18 |     vector<float, 9> nine = vector<float, 9>(mat3(1.0));
   |                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: `vector<float, 5>` needs 5 components, 2 are given
  --> vectors.comp:20:28
   |
20 |     vector<float, 5> few = vector<float, 5>(1.0, 2.0);
   |                            ^^^^^^^^^^^^^^^^^^^^^^^^^^

error: `vector<float, 5>` is made from scalars and vectors
  --> vectors.comp:22:30
   |
22 |     vector<float, 5> mixed = vector<float, 5>(1.0, mat2(1.0));
   |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

