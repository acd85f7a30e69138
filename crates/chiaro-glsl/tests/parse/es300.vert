#version 300 es
attribute vec4 position;
varying vec3 colour;
uniform sampler1D line;
buffer vec4 data;
in vec4 sample;
int filter;
precision float;
void main() { double x; uint y = 1u; image2D z; }
--- expect
7 items, 4 statements, 1 expressions
error: `attribute` is no qualifier
 --> es300.vert:2:1
  |
2 | attribute vec4 position;
  | ^^^^^^^^^
  |
  = help: this version says `in`

error: `varying` is no qualifier
 --> es300.vert:3:1
  |
3 | varying vec3 colour;
  | ^^^^^^^
  |
  = help: this version says `out` in the vertex shader and `in` in the fragment shader

error: `sampler1D` is a reserved word of GLSL ES 3.00
 --> es300.vert:4:9
  |
4 | uniform sampler1D line;
  |         ^^^^^^^^^

error: `buffer` needs `#version 310 es` or later
 --> es300.vert:5:1
  |
5 | buffer vec4 data;
  | ^^^^^^

error: `sample` is a reserved word of GLSL ES 3.00
 --> es300.vert:6:9
  |
6 | in vec4 sample;
  |         ^^^^^^
  |
  = note: it is a keyword with `#version 320 es` or later, or `#extension GL_OES_shader_multisample_interpolation : enable`

error: `filter` is a reserved word of GLSL ES 3.00
 --> es300.vert:7:5
  |
7 | int filter;
  |     ^^^^^^

error: expected `lowp`, `mediump` or `highp`, found `float`
 --> es300.vert:8:11
  |
8 | precision float;
  |           ^^^^^

error: `double` is a reserved word of GLSL ES 3.00
 --> es300.vert:9:15
  |
9 | void main() { double x; uint y = 1u; image2D z; }
  |               ^^^^^^

error: `image2D` needs `#version 310 es` or later
 --> es300.vert:9:38
  |
9 | void main() { double x; uint y = 1u; image2D z; }
  |                                      ^^^^^^^

