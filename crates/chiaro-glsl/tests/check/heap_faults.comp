#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_structured_descriptor_heap : require
layout(local_size_x = 1) in;
layout(descriptor_heap) uniform sampler2D combined[];
layout(descriptor_heap, r32ui) uniform uimage2D alone;
layout(descriptor_heap, binding = 1) buffer Bound { uint x; } bound[];
layout(descriptor_stride = 16) buffer Loose { uint x; } loose[];
layout(descriptor_heap, descriptor_stride = 12) buffer Odd { uint x; } odd[];
layout(buffer_type) uniform Held { uint x; };
layout(buffer_type) buffer Named { uint x; } instance;
uniform Held outside;
uint changing;
layout(heap_offset = changing) resourceheap Scene { Held held; sampler wrong; } scene;
samplerheap Samplers { texture2D wrong; } samplers[2];
resourceheap Inner { buffer { uint x; } inner; } inner;
uint add(layout(rgba8ui) uimage2D image) { return imageAtomicAdd(image, ivec2(0), 1u); }
void main() {
    scene.held.x = 1u;
    inner = inner;
}
--- expect
error: a `sampler2D` is two descriptors, which lie in two heaps
 --> heap_faults.comp:5:43
  |
5 | layout(descriptor_heap) uniform sampler2D combined[];
  |                                           ^^^^^^^^
  |
  = help: declare a texture and a `sampler`

error: what is `descriptor_heap` is the heap's array: it must be declared as an array
 --> heap_faults.comp:6:49
  |
6 | layout(descriptor_heap, r32ui) uniform uimage2D alone;
  |                                                 ^^^^^
  |
  = help: write `[]` behind its name

error: what lies in a heap has no set and no binding
 --> heap_faults.comp:7:45
  |
7 | layout(descriptor_heap, binding = 1) buffer Bound { uint x; } bound[];
  |                                             ^^^^^

error: `descriptor_stride` says something of a heap: it goes with `descriptor_heap`
 --> heap_faults.comp:8:39
  |
8 | layout(descriptor_stride = 16) buffer Loose { uint x; } loose[];
  |                                       ^^^^^

error: `descriptor_stride` must be a power of two
 --> heap_faults.comp:9:25
  |
9 | layout(descriptor_heap, descriptor_stride = 12) buffer Odd { uint x; } odd[];
  |                         ^^^^^^^^^^^^^^^^^^^^^^

error: a `buffer_type` is a type: it has no instance
  --> heap_faults.comp:11:46
   |
11 | layout(buffer_type) buffer Named { uint x; } instance;
   |                                              ^^^^^^^^

error: a `buffer_type` is for members of heaps
  --> heap_faults.comp:12:14
   |
12 | uniform Held outside;
   |              ^^^^^^^

error: the offset of a heap's block must be a constant, a uniform or `readonly`
  --> heap_faults.comp:14:22
   |
14 | layout(heap_offset = changing) resourceheap Scene { Held held; sampler wrong; } scene;
   |                      ^^^^^^^^

error: this heap has no descriptors of `sampler`
  --> heap_faults.comp:14:72
   |
14 | layout(heap_offset = changing) resourceheap Scene { Held held; sampler wrong; } scene;
   |                                                                        ^^^^^

error: this heap has no descriptors of `texture2D`
  --> heap_faults.comp:15:34
   |
15 | samplerheap Samplers { texture2D wrong; } samplers[2];
   |                                  ^^^^^

error: the block of a heap is no array
  --> heap_faults.comp:15:43
   |
15 | samplerheap Samplers { texture2D wrong; } samplers[2];
   |                                           ^^^^^^^^
   |
   = help: a member can be one

error: a block within a block must be one that is reached by its address
  --> heap_faults.comp:16:22
   |
16 | resourceheap Inner { buffer { uint x; } inner; } inner;
   |                      ^^^^^^^^^^^^^^^^^^
   |
   = help: write `layout(buffer_reference) buffer { ... }`

error: this atomic function takes an image of format `r32i` or `r32ui`
  --> heap_faults.comp:17:51
   |
17 | uint add(layout(rgba8ui) uimage2D image) { return imageAtomicAdd(image, ivec2(0), 1u); }
   |                                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: this cannot be assigned: it lies in a uniform buffer
  --> heap_faults.comp:19:5
   |
19 |     scene.held.x = 1u;
   |     ^^^^^^^^^^^^

error: this cannot be assigned: `Inner` is in a heap, which cannot be written
  --> heap_faults.comp:20:5
   |
20 |     inner = inner;
   |     ^^^^^

