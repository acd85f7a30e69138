#version 460
#extension GL_NV_explicit_typecast : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) out vec4 colour;
struct Part { float a; };
void main() {
    uint8_t small = (uint8_t)(float)(int) colour.x;
    vec3 three = (vec3)(1.0, 2.0, 3.0) + (vec3) small;
    colour = (vec4(three, 1.0)) * (float) small;
    Part part = (Part) 1.0;
    float wrong = (mat2) three;
}
--- expect
error: `Part` is no scalar, vector, matrix or address to cast to
  --> casts.frag:10:17
   |
10 |     Part part = (Part) 1.0;
   |                 ^^^^^^^^^^

error: `mat2` needs 4 components, 3 are given
  --> casts.frag:11:19
   |
11 |     float wrong = (mat2) three;
   |                   ^^^^^^^^^^^^

