#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 1) in;
spirv_execution_mode(capabilities = [4466], extensions = ["SPV_KHR_float_controls"], 4461, 32);
spirv_instruction(extensions = ["SPV_KHR_expect_assume"], capabilities = [5629], id = 5631)
uint expect(uint value, uint expected);
spirv_instruction(set = "GLSL.std.450", id = 35)
float split(float value, spirv_by_reference float whole);
spirv_instruction(id = 61)
vec4 load(spirv_by_reference vec4 pointer, spirv_literal int flags);
spirv_instruction(capabilities = [99999], id = 60000) void nothing();
spirv_instruction(set = "X", id = 1) void body() {}
spirv_decorate("text", 3) float wrong;
vec4 place;
void main() {
    float whole;
    float part = split(1.5, whole);
    split(part, 2.0);
    load(place, int(whole));
    load(place, 2);
    uint likely = expect(3u, 4u);
    uint text = uint("text");
}
--- expect
error: SPIR-V has no capability 99999 that is known here
  --> instructions.comp:11:35
   |
11 | spirv_instruction(capabilities = [99999], id = 60000) void nothing();
   |                                   ^^^^^

error: SPIR-V has no instruction 60000 that is known here
  --> instructions.comp:11:1
   |
11 | spirv_instruction(capabilities = [99999], id = 60000) void nothing();
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: a function that is an instruction has no body
  --> instructions.comp:12:43
   |
12 | spirv_instruction(set = "X", id = 1) void body() {}
   |                                           ^^^^

error: a decoration needs its number first
  --> instructions.comp:13:1
   |
13 | spirv_decorate("text", 3) float wrong;
   | ^^^^^^^^^^^^^^^^^^^^^^^^^

error: an argument by reference must be a variable
  --> instructions.comp:18:17
   |
18 |     split(part, 2.0);
   |                 ^^^

error: a literal argument must be a constant of 32 bits or fewer
  --> instructions.comp:19:17
   |
19 |     load(place, int(whole));
   |                 ^^^^^^^^^^

error: a text can only be an argument of what takes one
  --> instructions.comp:22:22
   |
22 |     uint text = uint("text");
   |                      ^^^^^^

