#version 460
#extension GL_EXT_fragment_shader_barycentric : require
#extension GL_ARB_fragment_shader_interlock : require
#extension GL_ARB_sparse_texture2 : require
#extension GL_EXT_ray_query : require
layout(pixel_interlock_ordered) in;
layout(location = 0) pervertexEXT in vec4 corners[3];
layout(location = 1) in vec2 place;
layout(location = 2, component = 0) flat in int number;
layout(location = 2, component = 1) in float share;
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1, rgba8) uniform coherent image2D target;
layout(binding = 2) uniform accelerationStructureEXT scene;
layout(binding = 3) uniform texture2D bare;

void main() {
    vec4 texel;
    int code = sparseTextureARB(picture, place, texel, 1.0);
    colour = corners[0] * gl_BaryCoordEXT.x + (sparseTexelsResidentARB(code) ? texel : vec4(0.0));
    beginInvocationInterlockARB();
    imageStore(target, ivec2(place), colour);
    endInvocationInterlockARB();
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scene, gl_RayFlagsNoneEXT, 0xff, vec3(0.0), 0.0, vec3(1.0), 9.0);
    bool found = rayQueryProceedEXT(query);
    colour.x += rayQueryGetIntersectionTEXT(query, true);
    colour.y += rayQueryGetIntersectionTEXT(query, found);
    colour += texelFetch(bare, ivec2(0), 0);
}
#extension GL_EXT_samplerless_texture_functions : require
vec4 later() { return texelFetch(bare, ivec2(0), 0); }
--- expect
warning: `#extension` has to come before everything but directives
  --> devices.frag:31:1
   |
31 | #extension GL_EXT_samplerless_texture_functions : require
   | ^^^^^^^^^^

error: which intersection is meant must be a constant: `false` is the candidate
  --> devices.frag:28:52
   |
28 |     colour.y += rayQueryGetIntersectionTEXT(query, found);
   |                                                    ^^^^^
   |
   = help: write `true` for the committed intersection, `false` for the candidate

error: `texelFetch` of a texture without a sampler is not available here
  --> devices.frag:29:15
   |
29 |     colour += texelFetch(bare, ivec2(0), 0);
   |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   |
   = help: enable it with `#extension GL_EXT_samplerless_texture_functions : enable`

error: `share` has a location together with a variable of another kind of numbers or interpolation
  --> devices.frag:10:46
   |
10 | layout(location = 2, component = 1) in float share;
   |                                              ^^^^^

