#version 460
#extension GL_EXT_ray_tracing : require

// A payload that counts how deep it is: rays go on between the walls until there are eight.
struct Light { vec3 colour; int depth; };

layout(set = 0, binding = 0) uniform accelerationStructureEXT world;
layout(location = 0) rayPayloadInEXT Light seen;
layout(location = 1) rayPayloadEXT Light next;
layout(constant_id = 0) const int DEEPEST = 8;

hitAttributeEXT vec2 shares;

void main()
{
    vec3 here = gl_WorldRayOriginEXT + gl_WorldRayDirectionEXT * gl_HitTEXT;
    float line = min(min(shares.x, shares.y), 1.0 - shares.x - shares.y);
    vec3 tint = gl_InstanceCustomIndexEXT == 0 ? vec3(0.9, 0.75, 0.7) : vec3(0.7, 0.85, 0.9);
    next.colour = vec3(0.0);
    next.depth = seen.depth + 1;
    if (next.depth < DEEPEST) {
        vec3 normal = vec3(0.0, 0.0, -sign(gl_WorldRayDirectionEXT.z));
        vec3 on = reflect(gl_WorldRayDirectionEXT, normal);
        traceRayEXT(world, gl_RayFlagsOpaqueEXT, 0xff, 0, 0, 0, here, 0.001, on, 100.0, 1);
    }
    // What was traced within has left this stage's own values alone.
    seen.colour = line < 0.02 ? vec3(0.2, 0.1, 0.05) : tint * next.colour + 0.02;
}
