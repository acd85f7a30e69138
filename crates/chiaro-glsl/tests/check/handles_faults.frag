#version 450
#extension GL_ARB_bindless_texture : require
layout(std140, binding = 0) uniform Material { texture2D without; uvec2 handle; };
layout(location = 0) out vec4 colour;
layout(location = 1) out sampler2D made;
void main() {
    sampler2D mine = sampler2D(handle);
    colour = texture(mine, vec2(0.5));
}
--- expect
error: a block cannot hold the opaque type `texture2D`
 --> handles_faults.frag:3:58
  |
3 | layout(std140, binding = 0) uniform Material { texture2D without; uvec2 handle; };
  |                                                          ^^^^^^^
  |
  = help: declare it as a uniform by itself

error: a fragment output cannot be of the opaque type `sampler2D`
 --> handles_faults.frag:5:36
  |
5 | layout(location = 1) out sampler2D made;
  |                                    ^^^^
  |
  = help: keep the handle, a `uvec2`, and write `sampler2D(handle)` where it is used

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

