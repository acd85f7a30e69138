#version 460
#extension GL_EXT_ray_tracing : require

struct Echo { vec3 colour; float share; };
layout(location = 2) rayPayloadInEXT Echo echo;

void main()
{
    vec3 tint = gl_InstanceCustomIndexEXT == 0 ? vec3(0.5, 0.55, 0.6) : vec3(0.7, 0.3, 0.25);
    echo = Echo(tint, clamp(1.5 - 0.2 * gl_HitTEXT, 0.0, 1.0));
}
