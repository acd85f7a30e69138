#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_null_initializer : require
#extension GL_EXT_shared_memory_block : require
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const int count = 4;
layout(constant_id = 1) const int16_t small = -20000s;
const int twice = count * 2;
const bool many = twice > 6 && !(count == 5);
float list[twice + 1];
uint by_group[gl_WorkGroupSize.x * uint(count)];
shared Block { int8_t a; int b[count]; };
shared int loose;
const int one[count] = {};
void main() {
    int zeros[count] = {};
    zeros[small + 1s] = int(bitCount(a)) + pack32(i16vec2(small));
    int outside = zeros[4];
    b[int8_t(1)] = loose;
    float wrong[] = {};
    list[twice] = many ? 1.0 : 0.0;
    uint64_t found = uint64_t(findMSB(-1l)) + uint64_t(pack64(u32vec2(1)));
}
--- expect
error: the index 4 is out of bounds: `int[specialised]` has elements 0 to 3
  --> sizes.comp:18:25
   |
18 |     int outside = zeros[4];
   |                         ^

error: `float[]` has no value of zeros
  --> sizes.comp:20:21
   |
20 |     float wrong[] = {};
   |                     ^^

error: `shared` variables cannot be mixed with `shared` blocks
  --> sizes.comp:13:12
   |
13 | shared int loose;
   |            ^^^^^
   |
note: a block is here
  --> sizes.comp:12:8
   |
12 | shared Block { int8_t a; int b[count]; };
   |        ^^^^^

