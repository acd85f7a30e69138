#version 450
#extension GL_EXT_spirv_intrinsics : require
#define Empty spirv_type(id = 30)
#define Pair spirv_type(id = 23, float, 2)
layout(local_size_x = 1) in;
layout(constant_id = 3) const int size = 3;
layout(binding = 1) uniform Counter { uint count; } counter;
layout(binding = 0) spirv_decorate_id(5634, counter) buffer Data { float x; } data;
spirv_storage_class(6) float own;
spirv_storage_class(99) float unknown;
spirv_storage_class(6, 7) float several;
spirv_instruction(id = 81) float first(Pair pair, spirv_literal uint index);
spirv_instruction(id = 1) Pair undefined();
Empty nothing[size];
void take(Empty value) {}
spirv_type(id = 61) no_type;
spirv_type(extensions = ["SPV_KHR_ray_query"]) no_number;
layout(binding = 2) spirv_decorate_id(5634, counter.count) buffer Other { float x; } other;
void main() {
    Empty here;
    take(here);
    own = first(undefined(), 1u);
    data.x = own;
}
--- expect
error: SPIR-V has no storage class 99 that is known here
  --> spirv_words.comp:10:1
   |
10 | spirv_storage_class(99) float unknown;
   | ^^^^^^^^^^^^^^^^^^^^^^^

error: a storage class is one number
  --> spirv_words.comp:11:1
   |
11 | spirv_storage_class(6, 7) float several;
   | ^^^^^^^^^^^^^^^^^^^^^^^^^

error: instruction 61 of SPIR-V declares no type
  --> spirv_words.comp:16:1
   |
16 | spirv_type(id = 61) no_type;
   | ^^^^^^^^^^^^^^^^^^^

error: a type of SPIR-V needs the number of its instruction: `id = 30`
  --> spirv_words.comp:17:1
   |
17 | spirv_type(extensions = ["SPV_KHR_ray_query"]) no_number;
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: this must be a variable of the outermost level or a constant
  --> spirv_words.comp:18:45
   |
18 | layout(binding = 2) spirv_decorate_id(5634, counter.count) buffer Other { float x; } other;
   |                                             ^^^^^^^^^^^^^

