#version 450
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_rotate : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { vec4 f; ivec4 i; };

void main() {
    uint n = gl_SubgroupInvocationID;
    f = subgroupClusteredAdd(f, 4u) + subgroupQuadSwapDiagonal(f);
    i = subgroupRotate(i, n) + subgroupClusteredRotate(i, n, 8);
    i.x += int(subgroupClusteredMax(int8_t(i.y), 2));
    f.x = subgroupClusteredAdd(f.x, n);
    f.x = subgroupClusteredAdd(f.x, 3);
    f.x = subgroupClusteredAdd(f.x, 0);
    f.x = subgroupBroadcast(f.x, n);
    f.x = subgroupShuffle(f.x, n);
}
--- expect
error: the size of a cluster must be a constant expression
  --> subgroups.comp:15:37
   |
15 |     f.x = subgroupClusteredAdd(f.x, n);
   |                                     ^

error: the size of a cluster must be a power of two, found 3
  --> subgroups.comp:16:37
   |
16 |     f.x = subgroupClusteredAdd(f.x, 3);
   |                                     ^

error: a cluster has at least one invocation
  --> subgroups.comp:17:37
   |
17 |     f.x = subgroupClusteredAdd(f.x, 0);
   |                                     ^

error: no `subgroupShuffle` takes (float, uint)
  --> subgroups.comp:19:11
   |
19 |     f.x = subgroupShuffle(f.x, n);
   |           ^^^^^^^^^^^^^^^
   |
   = note: `subgroupShuffle(int8_t, uint)`: argument 1 is `float`, not `int8_t`
   = note: `subgroupShuffle(uint8_t, uint)`: argument 1 is `float`, not `uint8_t`
   = help: there is one that takes these: enable it with `#extension GL_KHR_shader_subgroup_shuffle : enable`

