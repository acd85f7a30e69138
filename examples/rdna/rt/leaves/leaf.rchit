#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT vec3 colour;

void main()
{
    colour = vec3(0.1, 0.3, 0.05) * (1.0 + gl_InstanceID) * (gl_HitKindEXT == gl_HitKindFrontFacingTriangleEXT ? 1.0 : 0.5);
}
