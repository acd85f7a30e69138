#version 400
layout(quads) in;
layout(triangles) in;
layout(vertices = 3) out;
in float single;
patch out float weight;
void main() { gl_TessLevelOuter[0] = 1.0; barrier(); }
--- expect
error: another primitive was declared before
 --> patches_faults.tese:3:1
  |
3 | layout(triangles) in;
  | ^^^^^^^^^^^^^^^^^^^^^

error: `vertices` for a declaration without a name is not available here
 --> patches_faults.tese:4:8
  |
4 | layout(vertices = 3) out;
  |        ^^^^^^^^^^^^
  |
  = help: only tessellation control shaders have it

error: `patch` is for outputs of tessellation control and inputs of evaluation shaders
 --> patches_faults.tese:6:1
  |
6 | patch out float weight;
  | ^^^^^

error: this cannot be assigned: `gl_TessLevelOuter` is an input, which cannot be written
 --> patches_faults.tese:7:15
  |
7 | void main() { gl_TessLevelOuter[0] = 1.0; barrier(); }
  |               ^^^^^^^^^^^^^^^^^^^^

error: the function `barrier` is not available here
 --> patches_faults.tese:7:43
  |
7 | void main() { gl_TessLevelOuter[0] = 1.0; barrier(); }
  |                                           ^^^^^^^
  |
  = help: only task and mesh and compute shaders have it

error: a tessellation evaluation shader has this by vertex: it must be an array
 --> patches_faults.tese:5:10
  |
5 | in float single;
  |          ^^^^^^
  |
  = help: write `[]` behind the name

