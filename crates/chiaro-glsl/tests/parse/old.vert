attribute vec4 position;
varying lowp vec3 colour;
uint n;
flat in vec3 v;
in vec2 u;
layout(location = 0) attribute vec2 w;
uniform sampler2D input;
uniform sampler3D volume;
void main() {
    uvec2 a = uvec2(1);
    int active = 1, sample = 2, buffer = 3, texture = 4;
    switch (active) { case 1: break; }
    precise float b;
    half c;
    double d;
    gl_Position = position;
    mat2x3 m;
};
--- expect
9 items, 9 statements, 9 expressions
error: `uint` needs `#version 300 es` or later
 --> old.vert:3:1
  |
3 | uint n;
  | ^^^^

error: `flat` needs `#version 300 es` or later
 --> old.vert:4:1
  |
4 | flat in vec3 v;
  | ^^^^

error: `layout` needs `#version 300 es` or later, or `#extension GL_EXT_separate_shader_objects : enable`
 --> old.vert:6:1
  |
6 | layout(location = 0) attribute vec2 w;
  | ^^^^^^

error: `input` is a reserved word of GLSL ES 1.00
 --> old.vert:7:19
  |
7 | uniform sampler2D input;
  |                   ^^^^^

error: `sampler3D` needs `#version 300 es` or later, or `#extension GL_OES_texture_3D : enable`
 --> old.vert:8:9
  |
8 | uniform sampler3D volume;
  |         ^^^^^^^^^

error: `uvec2` needs `#version 300 es` or later
  --> old.vert:10:5
   |
10 |     uvec2 a = uvec2(1);
   |     ^^^^^

error: `uvec2` needs `#version 300 es` or later
  --> old.vert:10:15
   |
10 |     uvec2 a = uvec2(1);
   |               ^^^^^

error: `switch` needs `#version 300 es` or later
  --> old.vert:12:5
   |
12 |     switch (active) { case 1: break; }
   |     ^^^^^^

error: `precise` needs `#version 320 es` or later
  --> old.vert:13:5
   |
13 |     precise float b;
   |     ^^^^^^^

error: `half` is a reserved word of GLSL ES 1.00
  --> old.vert:14:5
   |
14 |     half c;
   |     ^^^^

error: `double` is a reserved word of GLSL ES 1.00
  --> old.vert:15:5
   |
15 |     double d;
   |     ^^^^^^

error: `mat2x3` needs `#version 300 es` or later
  --> old.vert:17:5
   |
17 |     mat2x3 m;
   |     ^^^^^^

warning: a semicolon that ends nothing
  --> old.vert:18:2
   |
18 | };
   |  ^

