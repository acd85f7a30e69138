#version 460
#extension GL_EXT_ray_tracing : require

// What is near above the wall darkens it, and lends it some colour.
struct Nearby { float distance; uint who; };
layout(set = 0, binding = 0) uniform accelerationStructureEXT world;
layout(location = 0) rayPayloadInEXT vec3 colour;
layout(location = 1) rayPayloadEXT Nearby nearby;

void main()
{
    vec3 here = gl_WorldRayOriginEXT + gl_WorldRayDirectionEXT * gl_HitTEXT;
    vec3 towards = normalize(vec3(0.4, 1.0, 0.6) + 0.2 * sin(here.zxy * 5.0));
    traceRayEXT(world, gl_RayFlagsOpaqueEXT, 0xff, 1, 0, 1, here + towards * 0.01, 0.0, towards, 4.0, 1);
    vec3 tint = gl_InstanceCustomIndexEXT == 0 ? vec3(0.75) : vec3(0.9, 0.4, 0.3);
    vec3 lent = nearby.who == 1u ? vec3(0.3, 0.1, 0.05) : vec3(0.0);
    colour = tint * (0.3 + 0.15 * nearby.distance) + lent;
}
