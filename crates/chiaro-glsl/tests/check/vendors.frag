#version 450
#extension GL_AMD_shader_explicit_vertex_parameter : require
#extension GL_EXT_mesh_shader : require
#extension GL_QCOM_image_processing3 : require
layout(location = 0) __explicitInterpAMD in vec4 colour;
layout(location = 1) perprimitiveEXT flat in int number;
layout(location = 2) perprimitiveEXT in uint kind;
layout(location = 0) out vec4 result;
layout(binding = 0) uniform sampler2D plane;
void main() {
    vec4 local = interpolateAtVertexAMD(colour, 1u) * gl_BaryCoordSmoothAMD.x;
    result = interpolateAtVertexAMD(local, 0u) + textureGatherDQCOM(plane, vec2(0.5), number);
}
--- expect
error: `interpolateAtVertexAMD` takes an input of the fragment shader
  --> vendors.frag:12:14
   |
12 |     result = interpolateAtVertexAMD(local, 0u) + textureGatherDQCOM(plane, vec2(0.5), number);
   |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: the component must be a constant from 0 to 3
  --> vendors.frag:12:87
   |
12 |     result = interpolateAtVertexAMD(local, 0u) + textureGatherDQCOM(plane, vec2(0.5), number);
   |                                                                                       ^^^^^^

