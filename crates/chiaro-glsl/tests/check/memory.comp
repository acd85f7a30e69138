#version 460
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_null_initializer : require
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 4) in;
layout(constant_id = 7) const int count = 3;
const int twice = 2 * count + 1;
const bool many = twice > 5 && count != 4;
layout(buffer_reference) buffer Node;
layout(buffer_reference, buffer_reference_align = 8, std430) buffer Node {
    vec3 value;
    Node next;
    mat3 turn;
    bool last;
};
struct Pair { Node first; Node second; };
layout(set = 0, binding = 0, std430) buffer Heads { Pair heads[2]; i8vec4 bytes; uint64_t wide; };
spirv_instruction(id = 197) uint either(uint a, uint b);
spirv_instruction(set = "GLSL.std.450", id = 35) float split(float value, spirv_by_reference float whole);
shared int zeros[twice] = {};
vec3 sum(Node start, inout Node end) {
    vec3 total = {};
    for (int i = 0; i < twice && !start.last; ++i) {
        total += start.turn * start.value;
        start = many ? start.next : start + 1;
    }
    end = start;
    return total;
}
void main() {
    Node end;
    Pair pair = heads[0];
    vec3 total = sum(pair.first, end);
    float whole;
    total.x = split(total.y, whole) + whole;
    end[2].value.yz = total.xy;
    end -= 1;
    heads[1] = Pair(end, Node(wide));
    wide = uint64_t(end - pair.second) + uint64_t(bitCount(wide)) + uint64_t(findMSB(int64_t(wide)));
    bytes = bitfieldReverse(bytes) + i8vec4(findLSB(bytes));
    bytes.x = int8_t(pack32(bytes) >> 3);
    zeros[gl_LocalInvocationIndex] = int(either(uint(count), 8u));
    Node none[2] = {};
    bool same = none[0] == pair.first;
    if (same) atomicAdd(zeros[0], 1);
}
--- expect
Buffer block Heads binding=0
Shared zeros Spec(1, 7)
In gl_LocalInvocationIndex
