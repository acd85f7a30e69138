#version 460
#extension GL_EXT_ray_tracing : require

struct Pattern { vec2 at; vec3 colour; };
layout(location = 0) rayPayloadInEXT vec3 colour;
layout(location = 0) callableDataEXT Pattern pattern;

void main()
{
    vec3 here = gl_ObjectRayOriginEXT + gl_ObjectRayDirectionEXT * gl_HitTEXT;
    pattern.at = here.xy;
    executeCallableEXT(gl_GeometryIndexEXT, 0);
    colour = pattern.colour;
}
