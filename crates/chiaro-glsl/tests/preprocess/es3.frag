// a comment before
#version 300 es
#extension GL_OES_standard_derivatives : enable
int a = 3u;
#extension GL_EXT_shader_framebuffer_fetch : enable
#if defined(GL_ES) && __VERSION__ >= 300
x
#endif
--- expect
version 300 Es
int a = 3u ;
x
extension GL_OES_standard_derivatives Enable from token 0
extension GL_EXT_shader_framebuffer_fetch Enable from token 5
warning: `#version` has to be on the first line, before comments and blank lines
 --> es3.frag:2:1
  |
2 | #version 300 es
  | ^^^^^^^^^^^^^^^
  |
  = note: browsers and drivers refuse this

error: `#extension` has to come before everything but directives
 --> es3.frag:5:1
  |
5 | #extension GL_EXT_shader_framebuffer_fetch : enable
  | ^^^^^^^^^^

