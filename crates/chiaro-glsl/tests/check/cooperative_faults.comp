#version 450
#extension GL_KHR_memory_scope_semantics : enable
#extension GL_KHR_cooperative_matrix : enable
#extension GL_NV_cooperative_matrix2 : enable
#extension GL_NV_cooperative_vector : enable
#extension GL_EXT_shader_explicit_arithmetic_types : enable
layout(local_size_x = 64) in;
#define MAT(T, R, C, U) coopmat<T, gl_ScopeSubgroup, R, C, U>
coopmat bare;
coopmat<float, gl_ScopeSubgroup, 8, 8> three;
coopmat<bool, gl_ScopeSubgroup, 8, 8, 0> bools;
MAT(float, 0, 8, 0) empty;
int variable = 8;
MAT(float, variable, 8, 0) loose;
shared MAT(float, 8, 8, 0) together;
layout(binding = 0) buffer Data { float x[]; MAT(float, 8, 8, 0) held; };
tensorLayoutNV<9> wide;
float16_t loud(float16_t a, float16_t b) { return a; }
float quiet(const in float a, const in float b) { return a; }
void main() {
    MAT(float, 8, 8, 0) a;
    MAT(float16_t, 8, 8, 0) half_a;
    MAT(float, 8, 16, 1) b;
    MAT(float, 8, 8, 2) c;
    float local[8];
    a = half_a;
    a + 1.0;
    a % a;
    a == a;
    a.x;
    a[0][0];
    transpose(a);
    a = MAT(float, 8, 8, 0)(1, 2);
    a = MAT(float, 8, 8, 0)(mat4(1));
    a = MAT(float, 8, 8, 0)(b);
    coopMatLoad(a, local, 0, 8, 0);
    coopMatLoad(a, x, 0);
    coopMatLoad(a, x, 0, 8, variable);
    coopMatMulAdd(a, b, c);
    coopMatMulAdd(b, a, c);
    coopMatReduceNV(c, c, 9, quiet);
    coopMatReduceNV(c, c, 1, loud);
    coopMatReduceNV(c, c, 1, variable);
    coopMatPerElementNV(c, c, quiet);
    coopMatTransposeNV(c, a);
    coopvecNV<float, 4> v;
    v[4] = 1.0;
    coopVecLoadNV(a, x, 0);
    setTensorLayoutStrideNV(createTensorLayoutNV(2), 1);
}
--- expect
error: these are not the arguments of this type
 --> cooperative_faults.comp:9:1
  |
9 | coopmat bare;
  | ^^^^^^^
  |
  = help: write `coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA>`

error: these are not the arguments of this type
  --> cooperative_faults.comp:10:1
   |
10 | coopmat<float, gl_ScopeSubgroup, 8, 8> three;
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   |
   = help: write `coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA>`

error: the elements of a cooperative type are numbers, found `bool`
  --> cooperative_faults.comp:11:1
   |
11 | coopmat<bool, gl_ScopeSubgroup, 8, 8, 0> bools;
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: rows, columns and components are positive numbers
  --> cooperative_faults.comp:12:1
   |
12 | MAT(float, 0, 8, 0) empty;
   | ^^^
   |
note: in this expansion of macro `MAT`
  --> cooperative_faults.comp:8:25
   |
 8 | #define MAT(T, R, C, U) coopmat<T, gl_ScopeSubgroup, R, C, U>
   |                         ^^^^^^^

error: this must be a constant integer that is not negative
  --> cooperative_faults.comp:14:12
   |
14 | MAT(float, variable, 8, 0) loose;
   |            ^^^^^^^^

error: a cooperative type cannot be shared
  --> cooperative_faults.comp:15:28
   |
15 | shared MAT(float, 8, 8, 0) together;
   |                            ^^^^^^^^

error: a block cannot hold the cooperative type `coopmat<float, 3, 8, 8, 0>`
  --> cooperative_faults.comp:16:66
   |
16 | layout(binding = 0) buffer Data { float x[]; MAT(float, 8, 8, 0) held; };
   |                                                                  ^^^^
   |
   = help: load it from an array in the block

error: layouts and views of tensors have 1 to 5 dimensions
  --> cooperative_faults.comp:17:1
   |
17 | tensorLayoutNV<9> wide;
   | ^^^^^^^^^^^^^^^^^

error: wrong type in this assignment: expected `coopmat<float, 3, 8, 8, 0>`, found `coopmat<float16_t, 3, 8, 8, 0>`
  --> cooperative_faults.comp:26:9
   |
26 |     a = half_a;
   |         ^^^^^^
   |
   = help: write `coopmat<float, 3, 8, 8, 0>(...)`, or use `#version 400` or later, which converts by itself

error: `+` does not take `coopmat<float, 3, 8, 8, 0>` and `float`
  --> cooperative_faults.comp:27:5
   |
27 |     a + 1.0;
   |     ^^^^^^^

error: `%` does not take `coopmat<float, 3, 8, 8, 0>` and `coopmat<float, 3, 8, 8, 0>`
  --> cooperative_faults.comp:28:5
   |
28 |     a % a;
   |     ^^^^^
   |
   = help: write `coopmat<float, 3, 8, 8, 0>(...)`, or use `#version 400` or later, which converts by itself

error: `==` does not take `coopmat<float, 3, 8, 8, 0>` and `coopmat<float, 3, 8, 8, 0>`
  --> cooperative_faults.comp:29:5
   |
29 |     a == a;
   |     ^^^^^^
   |
   = help: write `coopmat<float, 3, 8, 8, 0>(...)`, or use `#version 400` or later, which converts by itself

error: `coopmat<float, 3, 8, 8, 0>` has no member `x`
  --> cooperative_faults.comp:30:7
   |
30 |     a.x;
   |       ^

error: `float` has no elements: only arrays, vectors and matrices do
  --> cooperative_faults.comp:31:5
   |
31 |     a[0][0];
   |     ^^^^^^^

error: no `transpose` takes (coopmat<float, 3, 8, 8, 0>)
  --> cooperative_faults.comp:32:5
   |
32 |     transpose(a);
   |     ^^^^^^^^^

error: `coopmat<float, 3, 8, 8, 0>` is made of one value, 2 are given
  --> cooperative_faults.comp:33:9
   |
33 |     a = MAT(float, 8, 8, 0)(1, 2);
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^
   |
note: in this expansion of macro `MAT`
  --> cooperative_faults.comp:8:25
   |
 8 | #define MAT(T, R, C, U) coopmat<T, gl_ScopeSubgroup, R, C, U>
   |                         ^^^^^^^

error: `coopmat<float, 3, 8, 8, 0>` cannot be made from `mat4`
  --> cooperative_faults.comp:34:9
   |
34 |     a = MAT(float, 8, 8, 0)(mat4(1));
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   |
note: in this expansion of macro `MAT`
  --> cooperative_faults.comp:8:25
   |
 8 | #define MAT(T, R, C, U) coopmat<T, gl_ScopeSubgroup, R, C, U>
   |                         ^^^^^^^

error: `coopmat<float, 3, 8, 8, 0>` cannot be made from `coopmat<float, 3, 8, 16, 1>`
  --> cooperative_faults.comp:35:9
   |
35 |     a = MAT(float, 8, 8, 0)(b);
   |         ^^^^^^^^^^^^^^^^^^^^^^
   |
note: in this expansion of macro `MAT`
  --> cooperative_faults.comp:8:25
   |
 8 | #define MAT(T, R, C, U) coopmat<T, gl_ScopeSubgroup, R, C, U>
   |                         ^^^^^^^

error: the array must stand in a buffer or in shared memory
  --> cooperative_faults.comp:36:20
   |
36 |     coopMatLoad(a, local, 0, 8, 0);
   |                    ^^^^^

error: `coopMatLoad` takes (matrix, array in a buffer, element, stride, layout)
  --> cooperative_faults.comp:37:5
   |
37 |     coopMatLoad(a, x, 0);
   |     ^^^^^^^^^^^

error: the layout of a matrix must be a constant integer
  --> cooperative_faults.comp:38:29
   |
38 |     coopMatLoad(a, x, 0, 8, variable);
   |                             ^^^^^^^^

error: C must have the rows of A and the columns of B
  --> cooperative_faults.comp:39:5
   |
39 |     coopMatMulAdd(a, b, c);
   |     ^^^^^^^^^^^^^^^^^^^^^^

error: the columns of A must be as many as the rows of B
  --> cooperative_faults.comp:40:5
   |
40 |     coopMatMulAdd(b, a, c);
   |     ^^^^^^^^^^^^^^^^^^^^^^

error: the way of reduction must be one of `gl_CooperativeMatrixReduce...`
  --> cooperative_faults.comp:41:5
   |
41 |     coopMatReduceNV(c, c, 9, quiet);
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: the parameters of this function must all be `const in`
  --> cooperative_faults.comp:42:30
   |
42 |     coopMatReduceNV(c, c, 1, loud);
   |                              ^^^^

error: the name of a function is expected here
  --> cooperative_faults.comp:43:30
   |
43 |     coopMatReduceNV(c, c, 1, variable);
   |                              ^^^^^^^^

error: the function must take a row, a column and an element
  --> cooperative_faults.comp:44:5
   |
44 |     coopMatPerElementNV(c, c, quiet);
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: a matrix for accumulation is transposed to one that is a factor
  --> cooperative_faults.comp:45:5
   |
45 |     coopMatTransposeNV(c, a);
   |     ^^^^^^^^^^^^^^^^^^^^^^^^

error: the index 4 is out of bounds: `coopvecNV<float, 4>` has elements 0 to 3
  --> cooperative_faults.comp:47:7
   |
47 |     v[4] = 1.0;
   |       ^

error: a `coopvecNV` is expected here, found `coopmat<float, 3, 8, 8, 0>`
  --> cooperative_faults.comp:48:19
   |
48 |     coopVecLoadNV(a, x, 0);
   |                   ^

error: `setTensorLayoutStrideNV` takes 2 numbers here, not 1
  --> cooperative_faults.comp:49:5
   |
49 |     setTensorLayoutStrideNV(createTensorLayoutNV(2), 1);
   |     ^^^^^^^^^^^^^^^^^^^^^^^

