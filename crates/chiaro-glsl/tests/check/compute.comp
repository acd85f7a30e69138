#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(std430, binding = 1) buffer Data { uint counts[4]; vec4 items[]; } data;
layout(std430, binding = 2) readonly buffer Source { vec4 source[]; };
layout(binding = 3, rgba8) uniform writeonly image2D target;
layout(push_constant) uniform Push { int offset; };
shared vec4 tile[gl_WorkGroupSize.x * gl_WorkGroupSize.y];
void main()
{
    uint i = gl_LocalInvocationIndex;
    tile[i] = source[i + offset];
    barrier();
    atomicAdd(data.counts[i % 4], 1u);
    data.items[gl_GlobalInvocationID.x] = tile[i] * data.items.length();
    imageStore(target, ivec2(gl_GlobalInvocationID.xy), tile[i]);
}
--- expect
Buffer block Data data binding=1
Buffer block Source binding=2
Uniform target binding=3
PushConstant block Push
Shared tile Known(32)
In gl_LocalInvocationIndex
In gl_GlobalInvocationID
