#version 460
#extension GL_EXT_ray_tracing : require

layout(shaderRecordEXT) buffer Record { vec3 tint; float stripes; } record;
layout(location = 0) rayPayloadInEXT vec3 colour;
hitAttributeEXT vec2 shares;

void main()
{
    colour = record.tint * (0.6 + 0.4 * step(0.5, fract(shares.x * record.stripes)));
}
