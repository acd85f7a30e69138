#version 100
precision mediump float;
uniform sampler2D image;
uniform samplerCube cube;
varying vec2 uv;
in vec2 other;
layout(location = 0) out vec4 colour;
void main()
{
    float a = 1;
    int b = 5 % 2;
    float d = dFdx(uv.x);
    vec4 c = texture(image, uv);
    c = texture2DLod(image, uv, 1.0);
    c = textureCubeLodEXT(cube, vec3(1.0), 0.0);
    c.x = round(c.x);
    switch (b) { case 1: break; }
    float list[2] = float[2](1.0, 2.0);
    gl_FragDepth = 1.0;
    gl_FragColor = c + gl_Color;
}
--- expect
error: `layout` needs `#version 300 es` or later, or `#extension GL_EXT_separate_shader_objects : enable`
 --> versions.frag:7:1
  |
7 | layout(location = 0) out vec4 colour;
  | ^^^^^^

error: `switch` needs `#version 300 es` or later
  --> versions.frag:17:5
   |
17 |     switch (b) { case 1: break; }
   |     ^^^^^^

error: `in` is not available here
 --> versions.frag:6:1
  |
6 | in vec2 other;
  | ^^
  |
  = help: needs `#version 300 es` or later

error: wrong type of initialiser: expected `float`, found `int`
  --> versions.frag:10:15
   |
10 |     float a = 1;
   |               ^
   |
   = help: convert it with `float(...)`

error: `%` is not available here
  --> versions.frag:11:13
   |
11 |     int b = 5 % 2;
   |             ^^^^^
   |
   = help: needs `#version 300 es` or later

error: the function `dFdx` is not available here
  --> versions.frag:12:15
   |
12 |     float d = dFdx(uv.x);
   |               ^^^^
   |
   = help: needs `#version 300 es` or later, or `#extension GL_OES_standard_derivatives : enable`

error: the function `texture` is not available here
  --> versions.frag:13:14
   |
13 |     vec4 c = texture(image, uv);
   |              ^^^^^^^
   |
   = help: needs `#version 300 es` or later

error: the function `texture2DLod` is not available here
  --> versions.frag:14:9
   |
14 |     c = texture2DLod(image, uv, 1.0);
   |         ^^^^^^^^^^^^
   |
   = help: only vertex shaders have it
   = help: or use `texture2DLodEXT`: enable it with `#extension GL_EXT_shader_texture_lod : enable`

error: the function `textureCubeLodEXT` is not available here
  --> versions.frag:15:9
   |
15 |     c = textureCubeLodEXT(cube, vec3(1.0), 0.0);
   |         ^^^^^^^^^^^^^^^^^
   |
   = help: enable it with `#extension GL_EXT_shader_texture_lod : enable`

error: the function `round` is not available here
  --> versions.frag:16:11
   |
16 |     c.x = round(c.x);
   |           ^^^^^
   |
   = help: needs `#version 300 es` or later

error: a constructor of an array is not available here
  --> versions.frag:18:21
   |
18 |     float list[2] = float[2](1.0, 2.0);
   |                     ^^^^^^^^^^^^^^^^^^
   |
   = help: needs `#version 300 es` or later

error: an initialiser of an array is not available here
  --> versions.frag:18:21
   |
18 |     float list[2] = float[2](1.0, 2.0);
   |                     ^^^^^^^^^^^^^^^^^^
   |
   = help: needs `#version 300 es` or later

error: `gl_FragDepth` is not available here
  --> versions.frag:19:5
   |
19 |     gl_FragDepth = 1.0;
   |     ^^^^^^^^^^^^
   |
   = help: needs `#version 300 es` or later

error: `gl_Color` is not available here
  --> versions.frag:20:24
   |
20 |     gl_FragColor = c + gl_Color;
   |                        ^^^^^^^^
   |
   = help: only desktop GLSL has it

