#version 460
#extension GL_EXT_ray_tracing : require

// A ray that goes down meets water: what is above it is seen again, with a payload of its own.
struct Echo { vec3 colour; float share; };
layout(set = 0, binding = 0) uniform accelerationStructureEXT world;
layout(location = 0) rayPayloadInEXT vec3 colour;
layout(location = 2) rayPayloadEXT Echo echo;

vec3 sky(vec3 towards)
{
    return mix(vec3(0.9, 0.9, 1.0), vec3(0.3, 0.5, 0.9), 0.5 + 0.5 * towards.y);
}

void main()
{
    vec3 towards = normalize(gl_WorldRayDirectionEXT);
    echo.colour = vec3(0.0);
    echo.share = 0.0;
    if (towards.y < -0.02) {
        vec3 here = gl_WorldRayOriginEXT - towards * (gl_WorldRayOriginEXT.y + 0.4) / towards.y;
        towards = normalize(vec3(towards.x, -towards.y, towards.z) + 0.01 * sin(here.zyx * 30.0));
        traceRayEXT(world, gl_RayFlagsOpaqueEXT, 0xff, 2, 0, 2, here, 0.001, towards, 100.0, 2);
        echo.share *= 0.6;
    }
    colour = mix(sky(towards), echo.colour, echo.share);
}
