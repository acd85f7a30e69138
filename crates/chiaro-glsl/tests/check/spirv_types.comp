#version 450
#extension GL_EXT_spirv_intrinsics : enable
layout(local_size_x = 1) in;
#define Empty spirv_type(id = 30)
#define half spirv_type(capabilities = [9], id = 22, 16)
#define Pair spirv_type(id = 23, uint, 2)
void take(Empty empty) {}
spirv_instruction(id = 80) Pair pair(uint a, uint b);
spirv_type(22) unnumbered;
spirv_type(id = 60000) unknown;
spirv_type(id = 30, "text") texts;
void main() {
    Empty empties[3];
    take(empties[1]);
    Pair p = pair(1, 2);
    half h;
    h = 1.5;
    empties[0] = p;
    p + p;
}
--- expect
error: a type needs the number of its instruction: `id = 22`
 --> spirv_types.comp:9:1
  |
9 | spirv_type(22) unnumbered;
  | ^^^^^^^^^^^^^^

error: SPIR-V has no instruction 60000 that is known here
  --> spirv_types.comp:10:1
   |
10 | spirv_type(id = 60000) unknown;
   | ^^^^^^^^^^^^^^^^^^^^^^

error: a type takes numbers and types
  --> spirv_types.comp:11:1
   |
11 | spirv_type(id = 30, "text") texts;
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: wrong type in this assignment: expected `float16_t`, found `float`
  --> spirv_types.comp:17:9
   |
17 |     h = 1.5;
   |         ^^^
   |
   = help: convert it with `float16_t(...)`

error: wrong type in this assignment: expected `spirv_type(id = 30)`, found `spirv_type(id = 23)`
  --> spirv_types.comp:18:18
   |
18 |     empties[0] = p;
   |                  ^

error: `+` does not take `spirv_type(id = 23)` and `spirv_type(id = 23)`
  --> spirv_types.comp:19:5
   |
19 |     p + p;
   |     ^^^^^

