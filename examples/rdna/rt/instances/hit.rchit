#version 460
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT vec3 colour;

const vec3 TINTS[4] = vec3[](vec3(0.9, 0.3, 0.2), vec3(0.2, 0.7, 0.3), vec3(0.2, 0.4, 0.9), vec3(0.8, 0.8, 0.2));

void main()
{
    vec3 object = gl_ObjectRayOriginEXT + gl_ObjectRayDirectionEXT * gl_HitTEXT;
    vec3 world = gl_ObjectToWorldEXT * vec4(object, 1.0);
    float stripe = step(0.5, fract(object.y * 4.0));
    colour = TINTS[gl_InstanceCustomIndexEXT & 3] * (0.4 + 0.3 * stripe + 0.1 * world.y);
}
