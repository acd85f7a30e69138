//! Kernels in GLSL that try what compilers do in ways of their own, for checks of every target.

/// Name and body: a kernel each, on a buffer of integers `b.d` and one of floats `a.f`; `i` is the
/// number of the invocation, `s` the memory of the group.
pub static KERNELS: &[(&str, &str)] = &[
    ("sums", "b.d[i] = b.d[i] * 3u + uint(a.f.length());"),
    ("floats", "a.f[i] = a.f[i] * 2.5 + floor(a.f[i] * 3.0) + float(i);"),
    ("sides", "if ((i & 3u) == 1u) b.d[i] += 7u; else if (b.d[i] > 40u) b.d[i] = ~b.d[i];"),
    (
        "a loop",
        "uint n = b.d[i] & 7u; uint s = 1u; for (uint k = 0u; k < n; k++) { s = s * 5u + k; if (s > 900u) break; } b.d[i] = s;",
    ),
    ("quotients", "b.d[i] = b.d[i] / (i + 1u) + b.d[i] % 13u + uint(int(b.d[i]) / -3);"),
    (
        "numbers of 16 bits, and none",
        "vec2 v = vec2(uintBitsToFloat((i & 7u) == 1u ? 0x7fc00000u : b.d[i] << 20), a.f[i] * 3.0 - 1.0); b.d[i] = packUnorm2x16(v) ^ packSnorm2x16(v.yx);",
    ),
    (
        "quotients of pairs",
        "uint64_t x = packUint2x32(uvec2(b.d[i], b.d[i ^ 1u])), y = packUint2x32(uvec2(b.d[i ^ 2u], (i & 1u) * b.d[i ^ 3u])); int64_t z = int64_t(x) / -1000l; uvec2 q = unpackUint2x32(x / (y + uint64_t(1)) + x % uint64_t(1000003) + uint64_t(z)); b.d[i] = q.x ^ q.y;",
    ),
    (
        "an array by number",
        "uint t[6]; for (uint k = 0u; k < 6u; k++) t[k] = b.d[i] + k * k; b.d[i] = t[(b.d[i] + 1u) % 6u];",
    ),
    (
        "arrays that are copied whole, beyond what instructions reach",
        "uint t[600], r[600]; for (uint k = 0u; k < 600u; k++) t[k] = k * 3u; t[(b.d[i] & 63u) * 9u + 30u] = i; r = t; r[(i & 7u) + 590u] += 5u; b.d[i] = r[(b.d[i] & 63u) * 9u + 30u] + t[(i & 15u) + 580u] + r[(b.d[i] & 7u) + 590u];",
    ),
    (
        "a switch for everything else of another",
        "switch (b.d[i] & 7u) { case 1u: b.d[i] = 5u; break; case 2u: case 3u: b.d[i] += i; break; default: switch (i & 3u) { case 0u: b.d[i] = 9u; break; case 1u: b.d[i] ^= 3u; break; default: b.d[i]++; } }",
    ),
    (
        "the group",
        "s[gl_LocalInvocationID.x] = b.d[i]; barrier(); b.d[i] = s[gl_LocalInvocationID.x ^ 5u] + s[0];",
    ),
    (
        "the wave",
        "uint u = floatBitsToUint(a.f[gl_WorkGroupID.x]) >> 20; b.d[i] = (u << 3) + (u > 1030u ? 1u : i);",
    ),
    (
        "votes",
        "b.d[i] = (subgroupAll(b.d[i] > 3u) ? 1u : 0u) + (subgroupAny(b.d[i] > 90u) ? 2u : 0u) + (subgroupAllEqual(b.d[i] >> 5) ? 4u : 0u) + (subgroupElect() ? 8u : 0u);",
    ),
    (
        "ballots",
        "uvec4 m = subgroupBallot((b.d[i] & 1u) == 1u); b.d[i] = subgroupBallotBitCount(m) + 100u * subgroupBallotExclusiveBitCount(m) + 10000u * subgroupBallotInclusiveBitCount(m) + (subgroupInverseBallot(m) ? 1u << 20 : 0u) + (subgroupBallotBitExtract(m, i & 31u) ? 1u << 21 : 0u) + (subgroupBallotFindLSB(m | uvec4(1u << 9)) << 22);",
    ),
    (
        "values of other lanes",
        "uint v = b.d[i]; uint n = gl_SubgroupSize - 1u, l = gl_SubgroupInvocationID; uint up = subgroupShuffleUp(v, 2u); b.d[i] = subgroupShuffle(v, (l * 5u + 1u) & n) + 3u * subgroupShuffleXor(v, 17u) + 5u * subgroupShuffleXor(v, 6u) + 7u * subgroupShuffle(v, 11u) + 9u * subgroupBroadcast(v, 3u) + subgroupQuadSwapHorizontal(v) - subgroupQuadSwapVertical(v) * 2u + subgroupQuadSwapDiagonal(v) + subgroupQuadBroadcast(v, 2u) + subgroupBroadcastFirst(v) + (l < 2u ? 0u : up);",
    ),
    (
        "all of a wave",
        "uint v = b.d[i]; b.d[i] = subgroupAdd(v) + subgroupExclusiveMax(v) * 3u + subgroupInclusiveXor(v) + subgroupMul(v | 1u) + subgroupClusteredMin(v, 8u) + subgroupClusteredAdd(v, 32u) + subgroupExclusiveMul(v | 1u); a.f[i] = subgroupMax(a.f[i]) + subgroupInclusiveMin(a.f[i]); if (subgroupOr(v > 77u)) b.d[i]++;",
    ),
    (
        "some of a wave",
        "uint v = b.d[i]; if ((v & 3u) != 0u) { b.d[i] = subgroupAdd(v) + subgroupExclusiveMax(v) * 3u + subgroupInclusiveXor(v) + subgroupClusteredMin(v, 8u) + subgroupClusteredAdd(v, 4u) + subgroupMul(v | 1u); if (subgroupElect()) b.d[i] += 9u; } else { b.d[i] = subgroupBallotBitCount(subgroupBallot(true)); }",
    ),
    (
        "a loop that lanes leave",
        "uint v = b.d[i] & 7u; uint s = 0u; while (v > 0u) { s += subgroupMin(v) + subgroupInclusiveAdd(1u); v--; if (subgroupAny(v == 5u)) s += 50u; } b.d[i] = s;",
    ),
    (
        "numbers of lanes",
        "b.d[i] = gl_SubgroupSize + gl_NumSubgroups * 3u + gl_SubgroupID * 100u + gl_SubgroupInvocationID * 1000u + (gl_SubgroupEqMask.x ^ gl_SubgroupGeMask.x ^ gl_SubgroupGtMask.x * 3u) + (gl_SubgroupLeMask.y ^ gl_SubgroupLtMask.x);",
    ),
    (
        "pairs of bits",
        "uvec2 p = uvec2(b.d[i], i); b.d[i] = bitfieldExtract(p.x, 3, 9) ^ bitfieldReverse(p.y) ^ uint(findMSB(p.x));",
    ),
];

/// The text of a kernel whose `main` has a body.
#[must_use]
pub fn kernel(body: &str) -> String {
    format!("{HEAD}void main() {{ uint i = gl_GlobalInvocationID.x; {body} }}")
}

const HEAD: &str = "#version 310 es
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 128) in;
layout(std430, binding = 0) buffer A { float f[]; } a;
layout(std430, binding = 1) buffer B { uint d[128]; } b;
shared uint s[128];
";
