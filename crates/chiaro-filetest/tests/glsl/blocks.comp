#version 450
// What stands in blocks: layouts, truth values, matrices by row, open arrays, atomics, shared memory.
layout(local_size_x = 4) in;
struct Light { vec3 at; bool on; mat2x3 m; float w[2]; };
layout(std140, binding = 1) buffer A { bool b; vec3 v; float after; bvec2 bs; mat3 m; layout(row_major) mat3x2 r; Light l[2]; float last; } a;
layout(std430, binding = 2) buffer B { bool b; vec3 v; float after; bvec2 bs; mat3 m; layout(row_major) mat3x2 r; Light l[2]; float last; } b;
layout(std430, binding = 0) buffer Result { uint ok[]; };
layout(std430, binding = 3) buffer C { uint counter; int low; uint list[4]; } c[2];
layout(std430, binding = 5) buffer D { uint head[6]; float open[]; } d;
layout(binding = 7, offset = 8) uniform atomic_uint ticks;
shared uint sum;
shared vec4 parts[4];
uint n = 0u;
void expect(bool e) { if (gl_LocalInvocationIndex == 0u) ok[n++] = e ? 1u : 0u; }

void main() {
    uint i = gl_LocalInvocationIndex;
    if (i == 0u) {
        sum = 0u;
        a.b = true; a.bs = bvec2(false, true); a.v = vec3(1.0, 2.0, 3.0); a.after = 4.0;
        a.m = mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0);
        a.r = mat3x2(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
        a.l[1] = Light(vec3(5.0), true, mat2x3(2.0), float[2](8.0, 9.0));
        a.l[0] = a.l[1];
        a.l[0].on = false;
        a.r[2].y = 60.0;
        b.v.zx = vec2(30.0, 10.0); b.v.y = 20.0;
        b.b = a.b; b.bs = a.bs; b.m = a.m; b.r = a.r; b.l = a.l; b.last = 11.0;
        c[1].low = 5; c[1].list = uint[4](1u, 2u, 3u, 4u);
    }
    barrier();
    atomicAdd(sum, i + 1u);
    parts[i] = vec4(i); parts[i].zw += 1.0;
    atomicAdd(c[1].counter, 2u); atomicMin(c[1].low, -int(i)); atomicMax(c[1].list[2], i * 2u); atomicXor(c[1].list[0], 1u << i);
    uint tick = atomicCounterIncrement(ticks);
    memoryBarrierShared(); barrier();
    expect(a.b && !a.bs.x && a.bs.y && a.v == vec3(1.0, 2.0, 3.0) && a.after == 4.0);
    expect(a.m[1] == vec3(4.0, 5.0, 6.0) && a.m * vec3(1.0, 0.0, 0.0) == vec3(1.0, 2.0, 3.0));
    expect(a.r[1] == vec2(3.0, 4.0) && a.r == mat3x2(1.0, 2.0, 3.0, 4.0, 5.0, 60.0));
    expect(a.l[1].on && !a.l[0].on && a.l[0].m[1].y == 2.0 && a.l[0].w[1] == 9.0 && a.l[0].at == vec3(5.0));
    expect(b.v == vec3(10.0, 20.0, 30.0) && b.b && b.bs == bvec2(false, true) && b.m == a.m && b.r == a.r && b.l == a.l && b.last == 11.0);
    Light copy = b.l[1];
    expect(copy.on && copy.w == float[2](8.0, 9.0) && copy == a.l[1]);
    expect(sum == 10u && parts[3] == vec4(3.0, 3.0, 4.0, 4.0));
    expect(c[1].counter == 8u && c[1].low == -3 && c[1].list[2] == 6u && c[1].list[0] == 14u);
    expect(d.open.length() == 3);
    uint old = atomicCompSwap(c[0].counter, 0u, 42u);
    expect(c[0].counter == 42u && atomicExchange(c[0].counter, 1u) == 42u || i > 0u);
    expect(atomicCounter(ticks) == 4u && tick < 4u);
    expect(gl_WorkGroupSize == uvec3(4u, 1u, 1u) && gl_GlobalInvocationID.x == i && gl_NumWorkGroups.x == 1u);
}
