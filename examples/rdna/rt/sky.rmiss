#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT vec3 colour;

void main()
{
    float height = 0.5 + 0.5 * normalize(gl_WorldRayDirectionEXT).y;
    colour = mix(vec3(0.9, 0.9, 1.0), vec3(0.3, 0.5, 0.9), height);
}
