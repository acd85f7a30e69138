#version 460
#extension GL_EXT_ray_tracing : require

struct Light { vec3 colour; int depth; };
layout(location = 0) rayPayloadInEXT Light seen;

void main()
{
    seen.colour = 0.6 + 0.4 * gl_WorldRayDirectionEXT;
}
