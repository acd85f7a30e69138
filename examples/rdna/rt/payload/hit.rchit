#version 460
#extension GL_EXT_ray_tracing : require

struct Spectrum { vec4 bands[9]; uint count; vec3 sum; };
layout(location = 0) rayPayloadInEXT Spectrum light;
hitAttributeEXT vec2 shares;

void main()
{
    for (int n = 0; n < 9; n++)
        light.bands[n] += vec4(shares, 1.0 - shares.x - shares.y, 1.0) * (1.0 + float(n)) * 0.1;
    light.sum = vec3(0.1, 0.0, 0.05);
}
