#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT vec3 colour;
hitAttributeEXT vec3 normal;

void main()
{
    vec3 n = gl_HitKindEXT == 0 ? normal : -normal;
    vec3 tint = gl_HitKindEXT == 0 ? vec3(0.9, 0.6, 0.3) : vec3(0.3, 0.4, 0.6);
    colour = tint * (0.3 + 0.7 * max(dot(normalize(n), normalize(vec3(1.0, 2.0, 1.5))), 0.0));
}
