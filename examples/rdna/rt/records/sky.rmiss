#version 460
#extension GL_EXT_ray_tracing : require

layout(shaderRecordEXT) buffer Record { vec3 colour; } sky;
layout(location = 0) rayPayloadInEXT vec3 colour;

void main()
{
    colour = sky.colour;
}
