#version 460
#extension GL_EXT_ray_tracing : require

struct Spectrum { vec4 bands[9]; uint count; vec3 sum; };
layout(location = 0) rayPayloadInEXT Spectrum light;

void main()
{
    light.sum = vec3(0.1, 0.2, 0.4);
}
