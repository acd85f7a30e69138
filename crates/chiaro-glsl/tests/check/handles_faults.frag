#version 450
#extension GL_ARB_bindless_texture : require
layout(location = 0) flat in sampler2D given;
layout(std140, binding = 0) uniform Material { texture2D without; uvec2 handle; };
layout(location = 0) out vec4 colour;
void main() {
    sampler2D mine = sampler2D(handle);
    colour = texture(mine, vec2(0.5));
}
--- expect
error: an input cannot be of the opaque type `sampler2D`
 --> handles_faults.frag:3:40
  |
3 | layout(location = 0) flat in sampler2D given;
  |                                        ^^^^^
  |
  = help: keep the handle, a `uvec2`, and write `sampler2D(handle)` where it is used

error: a block cannot hold the opaque type `texture2D`
 --> handles_faults.frag:4:58
  |
4 | layout(std140, binding = 0) uniform Material { texture2D without; uvec2 handle; };
  |                                                          ^^^^^^^
  |
  = help: declare it as a uniform by itself

error: `mine` is of opaque type: it must be a `uniform` or a parameter
 --> handles_faults.frag:7:15
  |
7 |     sampler2D mine = sampler2D(handle);
  |               ^^^^
  |
  = help: keep the handle, a `uvec2`, and write `sampler2D(handle)` where it is used

error: a value of opaque type cannot be copied
 --> handles_faults.frag:7:22
  |
7 |     sampler2D mine = sampler2D(handle);
  |                      ^^^^^^^^^^^^^^^^^

