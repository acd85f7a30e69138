#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(push_constant) uniform Push { vec4 scale; uint first; };
layout(std430, binding = 0) buffer Rows { vec4 rows[]; };
layout(rgba8, binding = 1) uniform image2D picture;
shared vec4 kept[32];
void main() {
    uint own = gl_LocalInvocationIndex, at = first + gl_GlobalInvocationID.x;
    kept[own] = rows[at] * scale;
    barrier();
    vec4 sum = kept[own] + kept[31u - own];
    imageStore(picture, ivec2(gl_GlobalInvocationID.xy), sum);
    rows[at] = sum + imageLoad(picture, ivec2(gl_WorkGroupID.xy));
}
