#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_ray_tracing_position_fetch : require

layout(set = 0, binding = 0) uniform accelerationStructureEXT world;
layout(set = 0, binding = 3) uniform Light { vec3 position; } light;

layout(location = 0) rayPayloadInEXT vec3 colour;
layout(location = 1) rayPayloadEXT bool lit;

void main()
{
    vec3 a = gl_HitTriangleVertexPositionsEXT[0];
    vec3 b = gl_HitTriangleVertexPositionsEXT[1];
    vec3 c = gl_HitTriangleVertexPositionsEXT[2];
    vec3 normal = normalize(vec3(cross(b - a, c - a) * gl_WorldToObjectEXT));
    normal = faceforward(normal, gl_WorldRayDirectionEXT, normal);
    vec3 here = gl_WorldRayOriginEXT + gl_WorldRayDirectionEXT * gl_HitTEXT;
    vec3 to = light.position - here;
    lit = false;
    uint flags = gl_RayFlagsOpaqueEXT | gl_RayFlagsTerminateOnFirstHitEXT | gl_RayFlagsSkipClosestHitShaderEXT;
    traceRayEXT(world, flags, 0xff, 0, 0, 1, here + normal * 0.001, 0.0, normalize(to), length(to), 1);
    float diffuse = max(dot(normal, normalize(to)), 0.0);
    vec3 tint = gl_InstanceCustomIndexEXT == 0 ? vec3(0.8) : vec3(0.9, 0.5, 0.2);
    colour = tint * (0.15 + (lit ? 0.85 * diffuse : 0.0));
}
