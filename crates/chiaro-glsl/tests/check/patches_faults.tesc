#version 400
layout(vertices = 3) out;
layout(vertices = 4) out;
in vec3 normal;
out vec3 bent[5];
patch in float weight;
out vec3 other[];
layout(triangles) in;
void main() {
    other[0] = vec3(1.0);
    gl_out[gl_InvocationID + 1].gl_Position = vec4(0.0);
    EmitVertex();
    float x = gl_TessCoord.x;
}
--- expect
error: this number was declared differently before
 --> patches_faults.tesc:3:1
  |
3 | layout(vertices = 4) out;
  | ^^^^^^^^^^^^^^^^^^^^^^^^^

error: `patch` is for outputs of tessellation control and inputs of evaluation shaders
 --> patches_faults.tesc:6:1
  |
6 | patch in float weight;
  | ^^^^^

error: `triangles` for a declaration without a name is not available here
 --> patches_faults.tesc:8:8
  |
8 | layout(triangles) in;
  |        ^^^^^^^^^
  |
  = help: only geometry shaders have it

error: this cannot be assigned: an invocation writes its own vertex alone, `[gl_InvocationID]`
  --> patches_faults.tesc:10:5
   |
10 |     other[0] = vec3(1.0);
   |     ^^^^^^^^

error: this cannot be assigned: an invocation writes its own vertex alone, `[gl_InvocationID]`
  --> patches_faults.tesc:11:5
   |
11 |     gl_out[gl_InvocationID + 1].gl_Position = vec4(0.0);
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: the function `EmitVertex` is not available here
  --> patches_faults.tesc:12:5
   |
12 |     EmitVertex();
   |     ^^^^^^^^^^
   |
   = help: only geometry shaders have it

error: `gl_TessCoord` is not available here
  --> patches_faults.tesc:13:15
   |
13 |     float x = gl_TessCoord.x;
   |               ^^^^^^^^^^^^
   |
   = help: only tessellation evaluation shaders have it

error: a tessellation control shader has this by vertex: it must be an array
 --> patches_faults.tesc:4:9
  |
4 | in vec3 normal;
  |         ^^^^^^
  |
  = help: write `[]` behind the name

error: there are 4 vertices or primitives, not 5
 --> patches_faults.tesc:5:10
  |
5 | out vec3 bent[5];
  |          ^^^^
  |
  = help: write `[]` behind the name

error: a tessellation control shader has this by vertex: it must be an array
 --> patches_faults.tesc:6:16
  |
6 | patch in float weight;
  |                ^^^^^^
  |
  = help: write `[]` behind the name

