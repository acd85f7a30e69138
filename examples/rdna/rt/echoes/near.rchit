#version 460
#extension GL_EXT_ray_tracing : require

struct Nearby { float distance; uint who; };
layout(location = 1) rayPayloadInEXT Nearby nearby;

void main()
{
    nearby = Nearby(gl_HitTEXT, gl_InstanceCustomIndexEXT);
}
