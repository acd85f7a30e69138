#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_opacity_micromap_ray_query_mode : require
layout(constant_id = 2) const bool gl_EnableOpacityMicromapEXT = true;
bool gl_EnableOpacityMicromapEXT = true;
const int gl_MaxDrawBuffers = 3;
void main() {}
--- expect
error: as a specialisation constant `gl_EnableOpacityMicromapEXT` takes no type and no value
 --> micromaps_faults.comp:4:36
  |
4 | layout(constant_id = 2) const bool gl_EnableOpacityMicromapEXT = true;
  |                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write `layout(constant_id = 0) gl_EnableOpacityMicromapEXT;`

error: `gl_EnableOpacityMicromapEXT` is declared as a constant `bool` with a value, or left alone
 --> micromaps_faults.comp:5:6
  |
5 | bool gl_EnableOpacityMicromapEXT = true;
  |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write `const bool gl_EnableOpacityMicromapEXT = true;`

error: `gl_MaxDrawBuffers` cannot be declared: names that begin with `gl_` are reserved
 --> micromaps_faults.comp:6:11
  |
6 | const int gl_MaxDrawBuffers = 3;
  |           ^^^^^^^^^^^^^^^^^

