#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT vec4 colour;
layout(location = 1) rayPayloadEXT float shadow;
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(shaderRecordEXT, std430) buffer Material { vec3 albedo; float gloss; };
hitAttributeEXT vec2 weights;

void main() {
    vec3 point = gl_WorldRayOriginEXT + gl_WorldRayDirectionEXT * gl_HitTEXT;
    vec3 normal = gl_ObjectToWorldEXT * vec4(weights, 1.0 - weights.x - weights.y, 0.0);
    shadow = 0.0;
    traceRayEXT(scene, gl_RayFlagsSkipClosestHitShaderEXT, 0xff, 0, 0, 1, point, 0.001, normal, 10.0, 1);
    colour = vec4(albedo * shadow, gloss) * float(gl_InstanceCustomIndexEXT + gl_GeometryIndexEXT + gl_PrimitiveID);
}
