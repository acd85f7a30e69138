#version 460
#extension GL_EXT_ray_tracing : require

struct Fold { vec2 at; float shade; uint step; uint left; };
layout(location = 0) rayPayloadInEXT vec3 colour;
layout(location = 0) callableDataEXT Fold fold;

void main()
{
    vec3 here = gl_ObjectRayOriginEXT + gl_ObjectRayDirectionEXT * gl_HitTEXT;
    // Forward or backward through all six of them: neighbours begin with others.
    fold.at = here.xy;
    fold.step = here.x < 0.0 ? 1u : 5u;
    fold.left = 5u;
    executeCallableEXT(uint(floor(here.y * 3.0) + 6.0) % 6u, 0);
    colour = mix(vec3(0.1, 0.15, 0.35), vec3(1.0, 0.85, 0.5), fold.shade);
}
