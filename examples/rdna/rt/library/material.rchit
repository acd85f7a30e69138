#version 460
#extension GL_EXT_ray_tracing : require

layout(set = 0, binding = 0) uniform accelerationStructureEXT world;
layout(location = 0) rayPayloadInEXT vec3 colour;
layout(location = 1) rayPayloadEXT vec3 mirrored;

void main()
{
#if SHINE
    vec3 here = gl_WorldRayOriginEXT + gl_WorldRayDirectionEXT * gl_HitTEXT;
    vec3 normal = normalize(vec3(vec3(0.0, 0.0, 1.0) * gl_WorldToObjectEXT));
    traceRayEXT(world, 0, 0xff, 0, 0, 0, here, 0.001, reflect(gl_WorldRayDirectionEXT, normal), 100.0, 1);
    colour = mirrored * vec3(0.9, 0.85, 0.7);
#else
    vec3 here = gl_ObjectRayOriginEXT + gl_ObjectRayDirectionEXT * gl_HitTEXT;
    colour = mix(vec3(0.4, 0.25, 0.1), vec3(0.6, 0.4, 0.2), fract(here.x * 3.0 + 0.3 * sin(here.y * 9.0)));
#endif
}
