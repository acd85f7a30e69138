#version 300 es
uniform float no_precision;
precision highp float;
in int not_flat;
out mat3 no_matrix;
uniform sampler2D ok;
sampler2D not_uniform;
uniform sampler3D needs_precision;
float twice;
float twice;
const float no_value;
const float not_constant = twice;
float not_constant_either = no_precision;
attribute vec4 old;
shared float nowhere;
uniform Block { mat4 m; sampler2D s; float n[]; } block;
uniform Block2 { float shadowed; };
float shadowed;
layout(binding = 1) uniform sampler2D later;
layout(std430) uniform Block3 { float x; };
float gl_mine;
int size = 2;
float array[size];
float negative[-1];
struct S { float a; float a; };
invariant twice;
void f(out sampler2D s);
int f2(int a);
float f2(int a);
void f3(int a) { int a = 1; }
void f4() { f5(); }
void f5() { f4(); }
vec4 texture(sampler2D s, vec2 p) { return vec4(0.0); }
int no_return() { }
void main(int a) { break; continue; }
--- expect
error: `attribute` is no qualifier
  --> declarations.frag:14:1
   |
14 | attribute vec4 old;
   | ^^^^^^^^^
   |
   = help: this version says `in`

error: `shared` needs `#version 310 es` or later
  --> declarations.frag:15:1
   |
15 | shared float nowhere;
   | ^^^^^^

error: `float` has no precision here
 --> declarations.frag:2:15
  |
2 | uniform float no_precision;
  |               ^^^^^^^^^^^^
  |
  = help: write a precision, or `precision mediump float;` at the start

error: `int` cannot be interpolated: it must be `flat`
 --> declarations.frag:4:8
  |
4 | in int not_flat;
  |        ^^^^^^^^

error: a fragment output is a scalar, a vector or an array of those, found `mat3`
 --> declarations.frag:5:10
  |
5 | out mat3 no_matrix;
  |          ^^^^^^^^^

error: `not_uniform` is of opaque type: it must be a `uniform`
 --> declarations.frag:7:11
  |
7 | sampler2D not_uniform;
  |           ^^^^^^^^^^^

error: `sampler3D` has no precision here
 --> declarations.frag:8:19
  |
8 | uniform sampler3D needs_precision;
  |                   ^^^^^^^^^^^^^^^
  |
  = help: write a precision, or `precision mediump sampler3D;` at the start

error: `twice` is declared already
  --> declarations.frag:10:7
   |
10 | float twice;
   |       ^^^^^
   |
note: here for the first time
  --> declarations.frag:9:7
   |
 9 | float twice;
   |       ^^^^^

error: the constant `no_value` has no value
  --> declarations.frag:11:13
   |
11 | const float no_value;
   |             ^^^^^^^^
   |
   = help: write `= ...` behind it

error: the value of `not_constant` is not a constant expression
  --> declarations.frag:12:28
   |
12 | const float not_constant = twice;
   |                            ^^^^^

error: the initialiser of a global must be a constant expression
  --> declarations.frag:13:29
   |
13 | float not_constant_either = no_precision;
   |                             ^^^^^^^^^^^^
   |
   = help: assign it at the start of `main`

error: a block cannot hold the opaque type `sampler2D`
  --> declarations.frag:16:35
   |
16 | uniform Block { mat4 m; sampler2D s; float n[]; } block;
   |                                   ^
   |
   = help: declare it as a uniform by itself

error: only the last member of a buffer block may have no size
  --> declarations.frag:16:44
   |
16 | uniform Block { mat4 m; sampler2D s; float n[]; } block;
   |                                            ^

error: `shadowed` is declared already
  --> declarations.frag:18:7
   |
18 | float shadowed;
   |       ^^^^^^^^
   |
note: here for the first time
  --> declarations.frag:17:24
   |
17 | uniform Block2 { float shadowed; };
   |                        ^^^^^^^^

error: `binding` for a sampler is not available here
  --> declarations.frag:19:8
   |
19 | layout(binding = 1) uniform sampler2D later;
   |        ^^^^^^^^^^^
   |
   = help: needs `#version 310 es` or later

error: a uniform block cannot be `std430`
  --> declarations.frag:20:16
   |
20 | layout(std430) uniform Block3 { float x; };
   |                ^^^^^^^
   |
   = help: use `std140`, or a `buffer` block

error: `std430` for this block is not available here
  --> declarations.frag:20:8
   |
20 | layout(std430) uniform Block3 { float x; };
   |        ^^^^^^
   |
   = help: needs `#version 310 es` or later

error: `gl_mine` cannot be declared: names that begin with `gl_` are reserved
  --> declarations.frag:21:7
   |
21 | float gl_mine;
   |       ^^^^^^^

error: the size of an array must be a constant expression
  --> declarations.frag:23:13
   |
23 | float array[size];
   |             ^^^^

error: the size of an array must be positive, found -1
  --> declarations.frag:24:16
   |
24 | float negative[-1];
   |                ^^

error: the structure has two members named `a`
  --> declarations.frag:25:1
   |
25 | struct S { float a; float a; };
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: only outputs can be `invariant`
  --> declarations.frag:26:1
   |
26 | invariant twice;
   | ^^^^^^^^^

error: a parameter of opaque type cannot be `out`
  --> declarations.frag:27:22
   |
27 | void f(out sampler2D s);
   |                      ^

error: `f2` returns another type than before
  --> declarations.frag:29:7
   |
29 | float f2(int a);
   |       ^^
   |
note: here
  --> declarations.frag:28:5
   |
28 | int f2(int a);
   |     ^^

error: `a` is declared already
  --> declarations.frag:30:22
   |
30 | void f3(int a) { int a = 1; }
   |                      ^
   |
note: here for the first time
  --> declarations.frag:30:13
   |
30 | void f3(int a) { int a = 1; }
   |             ^

error: there is no function `f5`
  --> declarations.frag:31:13
   |
31 | void f4() { f5(); }
   |             ^^
   |
   = help: did you mean `f2`?

error: `texture` is a function of the language, which GLSL ES does not let you declare
  --> declarations.frag:33:6
   |
33 | vec4 texture(sampler2D s, vec2 p) { return vec4(0.0); }
   |      ^^^^^^^

error: `no_return` returns no value
  --> declarations.frag:34:5
   |
34 | int no_return() { }
   |     ^^^^^^^^^

error: `main` takes no parameters
  --> declarations.frag:35:6
   |
35 | void main(int a) { break; continue; }
   |      ^^^^

error: `break` outside of a loop or a `switch`
  --> declarations.frag:35:20
   |
35 | void main(int a) { break; continue; }
   |                    ^^^^^^

error: `continue` outside of a loop
  --> declarations.frag:35:27
   |
35 | void main(int a) { break; continue; }
   |                           ^^^^^^^^^

