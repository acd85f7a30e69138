#version 460
#extension GL_EXT_ray_tracing : require
struct Answer { vec3 colour; float distance; };
layout(location = 0) rayPayloadInEXT Answer answer;

void main() {
    float up = gl_WorldRayDirectionEXT.y * 0.5 + 0.5;
    answer = Answer(mix(vec3(1.0), vec3(0.3, 0.5, 1.0), up), gl_RayTmaxEXT);
}
