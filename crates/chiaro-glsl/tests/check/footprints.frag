#version 450
#extension GL_NV_shader_texture_footprint : require
layout(binding = 0) uniform sampler2D plane;
layout(binding = 1) uniform sampler3D solid;
layout(binding = 2) uniform samplerCube cube;
layout(location = 0) in vec3 place;
layout(location = 0) out uvec4 result;
void main() {
    gl_TextureFootprint2DNV flat_one;
    gl_TextureFootprint3DNV deep_one;
    bool single = textureFootprintNV(plane, place.xy, 2, true, flat_one, 1);
    single = textureFootprintGradClampNV(solid, place, place, place, 0.5, 2, false, deep_one);
    single = textureFootprintNV(plane, place.xy, 2, true, deep_one);
    single = textureFootprintLodNV(plane, place.xy, 1.0, 2, true, flat_one, 1.0);
    single = textureFootprintNV(cube, place, 2, true, deep_one);
    result = uvec4(flat_one.anchor, deep_one.offset.z, uint(single));
}
--- expect
error: the footprint goes to a variable of `gl_TextureFootprint2DNV`, found `gl_TextureFootprint3DNV`
  --> footprints.frag:13:59
   |
13 |     single = textureFootprintNV(plane, place.xy, 2, true, deep_one);
   |                                                           ^^^^^^^^

error: `textureFootprintLodNV` takes 6 arguments, 7 are given
  --> footprints.frag:14:14
   |
14 |     single = textureFootprintLodNV(plane, place.xy, 1.0, 2, true, flat_one, 1.0);
   |              ^^^^^^^^^^^^^^^^^^^^^

error: a `sampler2D` or `sampler3D` has a footprint, found `samplerCube`
  --> footprints.frag:15:33
   |
15 |     single = textureFootprintNV(cube, place, 2, true, deep_one);
   |                                 ^^^^

