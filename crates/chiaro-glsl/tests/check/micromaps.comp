#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_opacity_micromap_ray_query_mode : require
layout(constant_id = 2) gl_EnableOpacityMicromapEXT;
layout(constant_id = 3) gl_MaxDrawBuffers;
layout(local_size_x = 8) in;
layout(binding = 0, std430) buffer Out { uint on; };

void main() {
    on = gl_EnableOpacityMicromapEXT ? uint(gl_MaxDrawBuffers) : 0u;
}
--- expect
Buffer block Out binding=0
