#version 450
layout(local_size_x = 0) in;
layout(local_size_x = 8) in;
layout(std430, binding = 2) readonly buffer Source { vec4 source[]; };
layout(binding = 3, rgba8) uniform writeonly image2D target;
layout(binding = 4) uniform image2D no_format;
in vec4 nothing;
uint mine;
void main()
{
    source[0] = vec4(1.0);
    vec4 c = imageLoad(target, ivec2(0));
    atomicAdd(mine, 1u);
    imageAtomicAdd(target, ivec2(0), 1u);
    imageStore(target, vec2(0.0), vec4(1.0));
    discard;
    float d = dFdx(1.0);
}
--- expect
error: `local_size_x` must be at least 1
 --> compute_faults.comp:2:8
  |
2 | layout(local_size_x = 0) in;
  |        ^^^^^^^^^^^^^^^^

error: the size of the workgroup was declared differently before
 --> compute_faults.comp:3:1
  |
3 | layout(local_size_x = 8) in;
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: an image that is read needs a format
 --> compute_faults.comp:6:37
  |
6 | layout(binding = 4) uniform image2D no_format;
  |                                     ^^^^^^^^^
  |
  = help: write `layout(rgba8)`, or `writeonly` if it is never read

error: compute shaders have no inputs and outputs of their own
 --> compute_faults.comp:7:1
  |
7 | in vec4 nothing;
  | ^^

error: this cannot be assigned: the member is `readonly`
  --> compute_faults.comp:11:5
   |
11 |     source[0] = vec4(1.0);
   |     ^^^^^^^^^

error: the image is `writeonly` and cannot be loaded
  --> compute_faults.comp:12:14
   |
12 |     vec4 c = imageLoad(target, ivec2(0));
   |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: an atomic function works on a variable of a buffer or a `shared` one
  --> compute_faults.comp:13:15
   |
13 |     atomicAdd(mine, 1u);
   |               ^^^^

error: `imageAtomicAdd` takes an image of integers
  --> compute_faults.comp:14:5
   |
14 |     imageAtomicAdd(target, ivec2(0), 1u);
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: this atomic function takes an image of format `r32i` or `r32ui`
  --> compute_faults.comp:14:5
   |
14 |     imageAtomicAdd(target, ivec2(0), 1u);
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: no `imageStore` takes (image2D, vec2, vec4)
  --> compute_faults.comp:15:5
   |
15 |     imageStore(target, vec2(0.0), vec4(1.0));
   |     ^^^^^^^^^^
   |
   = note: `imageStore(image2D, ivec2, vec4)`: argument 2 is `vec2`, not `ivec2`

error: `discard` is for fragment shaders
  --> compute_faults.comp:16:5
   |
16 |     discard;
   |     ^^^^^^^^

error: the function `dFdx` is not available here
  --> compute_faults.comp:17:15
   |
17 |     float d = dFdx(1.0);
   |               ^^^^
   |
   = help: only fragment shaders have it

