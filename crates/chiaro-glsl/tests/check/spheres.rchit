#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_ray_tracing : require
#extension GL_NV_displacement_micromap : require
#extension GL_NV_linear_swept_spheres : require
#extension GL_NV_shader_invocation_reorder : require
#extension GL_NV_cluster_acceleration_structure : require
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) rayPayloadInEXT vec4 colour;

void main() {
    hitObjectNV hit;
    rayQueryEXT query;
    vec3 ends[2];
    float radii[2];
    hitObjectGetLSSPositionsNV(hit, ends);
    rayQueryGetIntersectionLSSRadiiNV(query, true, radii);
    colour.xyz = hitObjectGetSpherePositionNV(hit) + ends[1] * radii[0] + gl_HitLSSPositionsNV[0];
    colour.xyz += gl_HitMicroTriangleVertexPositionsNV[2];
    colour.xyz += fetchMicroTriangleVertexPositionNV(scene, 1, 2, 3, ivec2(4, 5));
    if (gl_HitIsSphereNV || rayQueryIsLSSHitNV(query, false)) colour.w = gl_HitLSSRadiiNV[1];
    colour.w += float(hitObjectGetClusterIdNV(hit));
    if (gl_HitKindEXT == gl_HitKindFrontFacingMicroTriangleNV) colour.w = 0.0;
}
--- expect
Uniform scene binding=0
Ray(PayloadIn) colour location=0
In gl_HitLSSPositionsNV Known(2)
In gl_HitMicroTriangleVertexPositionsNV Known(3)
In gl_HitIsSphereNV
In gl_HitLSSRadiiNV Known(2)
In gl_HitKindEXT
In gl_HitKindFrontFacingMicroTriangleNV
