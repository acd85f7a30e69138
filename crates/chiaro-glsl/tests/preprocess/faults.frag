#version 100
#define A(x) x
#define A(y) y
#define GL_MINE 1
#define a__b 1
#define P(x, x) x
#define Q(1) x
#define R a ## b
#define S ## b
#define defined 1
#undef __LINE__
A(1, 2)
A
A(
#if FOO
#endif
#if defined(FOO) && FOO > 1
wrong
#elif defined FOO || 2 * 3 == 6 && !(1 > 2)
right
#else
wrong
#endif
#if 1 / 0
#endif
#if 1 +
#elif
#else
#else
#endif junk
#endif
#defne X
#error it is wrong // yes
#extension GL_OES_standard_derivative : enable
#extension GL_OES_standard_derivatives : require
#extension GL_OES_EGL_image_external_essl3 : require
#extension all : require
#extension nonsense
#pragma optimize(off)
#pragma optimise
#pragma STDGL invariant(all)
#version 100
#include "x"
08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
# 
#if 1
/* no end
--- expect
version 100 Es
A
right
x_of_include 7
0 1.0 3u 0 0 0 0
pragma "optimize(off)" from token 2
pragma "optimise" from token 2
pragma "STDGL invariant(all)" from token 2
extension GL_OES_standard_derivatives Require from token 2
error: `A` is defined already, and otherwise
 --> faults.frag:3:9
  |
3 | #define A(y) y
  |         ^
  |
  = help: put `#undef A` before it
note: first here
 --> faults.frag:2:9
  |
2 | #define A(x) x
  |         ^

error: `GL_MINE`: names that start with `GL_` are reserved
 --> faults.frag:4:9
  |
4 | #define GL_MINE 1
  |         ^^^^^^^

error: `a__b`: names with two underscores in a row are reserved
 --> faults.frag:5:9
  |
5 | #define a__b 1
  |         ^^^^

error: two parameters are named `x`
 --> faults.frag:6:14
  |
6 | #define P(x, x) x
  |              ^

error: expected a name among the parameters of a macro
 --> faults.frag:7:11
  |
7 | #define Q(1) x
  |           ^

error: `##` is not in GLSL ES 1.00
 --> faults.frag:8:13
  |
8 | #define R a ## b
  |             ^^
  |
  = note: desktop GLSL has it from `#version 130` on

error: `##` is not in GLSL ES 1.00
 --> faults.frag:9:11
  |
9 | #define S ## b
  |           ^^
  |
  = note: desktop GLSL has it from `#version 130` on

error: `##` needs a token on both sides
 --> faults.frag:9:11
  |
9 | #define S ## b
  |           ^^

error: `defined` belongs to the language
  --> faults.frag:10:9
   |
10 | #define defined 1
   |         ^^^^^^^

error: `__LINE__` belongs to the language and stays
  --> faults.frag:11:8
   |
11 | #undef __LINE__
   |        ^^^^^^^^

error: macro `A` takes 1 argument and gets 2
  --> faults.frag:12:1
   |
12 | A(1, 2)
   | ^
   |
note: defined here
  --> faults.frag:2:9
   |
 2 | #define A(x) x
   |         ^

error: the call of macro `A` has no `)`
  --> faults.frag:14:1
   |
14 | A(
   | ^

error: `FOO` is not defined
  --> faults.frag:15:5
   |
15 | #if FOO
   |     ^^^
   |
   = note: GLSL ES takes only defined names in `#if`; desktop GLSL would take 0
   = help: write `defined(FOO) && ...`

error: division by zero
  --> faults.frag:24:7
   |
24 | #if 1 / 0
   |       ^

error: expected a value at the end of the line
  --> faults.frag:26:7
   |
26 | #if 1 +
   |       ^

error: expected a value at the end of the line
  --> faults.frag:27:1
   |
27 | #elif
   | ^^^^^

error: `#else` behind `#else`
  --> faults.frag:29:1
   |
29 | #else
   | ^^^^^
   |
note: `#else` is here
  --> faults.frag:28:1
   |
28 | #else
   | ^^^^^

warning: what follows `#endif` is ignored
  --> faults.frag:30:8
   |
30 | #endif junk
   |        ^^^^

error: `#endif` without `#if`
  --> faults.frag:31:1
   |
31 | #endif
   | ^^^^^^

error: there is no directive `#defne`
  --> faults.frag:32:1
   |
32 | #defne X
   | ^^^^^^
   |
   = help: did you mean `#define`?

error: #error it is wrong
  --> faults.frag:33:1
   |
33 | #error it is wrong // yes
   | ^^^^^^

warning: `#extension` has to come before everything but directives
  --> faults.frag:34:1
   |
34 | #extension GL_OES_standard_derivative : enable
   | ^^^^^^^^^^

warning: extension `GL_OES_standard_derivative` is not known
  --> faults.frag:34:12
   |
34 | #extension GL_OES_standard_derivative : enable
   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^
   |
   = help: did you mean `GL_OES_standard_derivatives`?

warning: `#extension` has to come before everything but directives
  --> faults.frag:35:1
   |
35 | #extension GL_OES_standard_derivatives : require
   | ^^^^^^^^^^

warning: `#extension` has to come before everything but directives
  --> faults.frag:36:1
   |
36 | #extension GL_OES_EGL_image_external_essl3 : require
   | ^^^^^^^^^^

error: `GL_OES_EGL_image_external_essl3` is not for GLSL ES 1.00
  --> faults.frag:36:12
   |
36 | #extension GL_OES_EGL_image_external_essl3 : require
   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

warning: `#extension` has to come before everything but directives
  --> faults.frag:37:1
   |
37 | #extension all : require
   | ^^^^^^^^^^

error: `all` goes with warn and disable only
  --> faults.frag:37:12
   |
37 | #extension all : require
   |            ^^^

error: `#extension` needs a name, a colon and a behaviour
  --> faults.frag:38:1
   |
38 | #extension nonsense
   | ^^^^^^^^^^
   |
   = help: `#extension GL_OES_standard_derivatives : enable`

error: `#version` was given already
  --> faults.frag:42:1
   |
42 | #version 100
   | ^^^^^^^^^^^^
   |
note: here
  --> faults.frag:1:1
   |
 1 | #version 100
   | ^^^^^^^^^^^^

error: `#include` is not in the language itself
  --> faults.frag:43:1
   |
43 | #include "x"
   | ^^^^^^^^
   |
   = help: put `#extension GL_GOOGLE_include_directive : enable` before it

error: `08` is no number
  --> faults.frag:44:1
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   | ^^
   |
   = note: a number that starts with 0 is octal and has no 8 or 9

error: the suffix of `1.0f` needs `#version 300 es` or later
  --> faults.frag:44:4
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   |    ^^^^
   |
   = help: leave the suffix away

error: the suffix of `3u` needs `#version 300 es` or later
  --> faults.frag:44:9
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   |         ^^
   |
   = help: leave the suffix away

error: `99999999999` does not fit into 32 bits
  --> faults.frag:44:12
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   |            ^^^^^^^^^^^

error: `0x` is no number
  --> faults.frag:44:24
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   |                        ^^
   |
   = note: `0x` needs a digit

error: `1e` is no number
  --> faults.frag:44:27
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   |                           ^^
   |
   = note: an exponent needs a digit

error: `1.5zz` is no number
  --> faults.frag:44:30
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   |                              ^^^^^ `zz` is no suffix

error: `"text"` means nothing here
  --> faults.frag:44:36
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   |                                    ^^^^^^
   |
   = note: GLSL has no strings

error: `@` means nothing here
  --> faults.frag:44:43
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   |                                           ^

error: `é` means nothing here
  --> faults.frag:44:45
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   |                                             ^

error: `\` means nothing here
  --> faults.frag:44:47
   |
44 | 08 1.0f 3u 99999999999 0x 1e 1.5zz "text" @ é \ 
   |                                               ^
   |
   = note: a backslash joins two lines only where the line ends right behind it

error: this comment has no end
  --> faults.frag:47:1
   |
47 | /* no end
   | ^^
   |
   = help: close it with `*/`

error: this `#if` has no `#endif`
  --> faults.frag:46:1
   |
46 | #if 1
   | ^^^ opened here

