//! Checked compilation: kernels that try what the compiler does in its own way, and words with a mistake, which no
//! check may pass.

use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::Module;
use chiaro_ir::random;
use chiaro_opt::Cx;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::compile::{Compiled, Options as Choices, compile};
use chiaro_rdna::listing;
use chiaro_rdna::verify::{Words, verify};
use chiaro_target::{Compared, Failure};

/// Name and body: a kernel each, on a buffer of integers and one of floats.
const KERNELS: &[(&str, &str)] = &[
    ("sums", "b.d[i] = b.d[i] * 3u + uint(a.f.length());"),
    ("floats", "a.f[i] = a.f[i] * 2.5 + floor(a.f[i] * 3.0) + float(i);"),
    ("sides", "if ((i & 3u) == 1u) b.d[i] += 7u; else if (b.d[i] > 40u) b.d[i] = ~b.d[i];"),
    (
        "a loop",
        "uint n = b.d[i] & 7u; uint s = 1u; for (uint k = 0u; k < n; k++) { s = s * 5u + k; if (s > 900u) break; } b.d[i] = s;",
    ),
    ("quotients", "b.d[i] = b.d[i] / (i + 1u) + b.d[i] % 13u + uint(int(b.d[i]) / -3);"),
    (
        "quotients of pairs",
        "uint64_t x = packUint2x32(uvec2(b.d[i], b.d[i ^ 1u])), y = packUint2x32(uvec2(b.d[i ^ 2u], (i & 1u) * b.d[i ^ 3u])); int64_t z = int64_t(x) / -1000l; uvec2 q = unpackUint2x32(x / (y + uint64_t(1)) + x % uint64_t(1000003) + uint64_t(z)); b.d[i] = q.x ^ q.y;",
    ),
    (
        "an array by number",
        "uint t[6]; for (uint k = 0u; k < 6u; k++) t[k] = b.d[i] + k * k; b.d[i] = t[(b.d[i] + 1u) % 6u];",
    ),
    (
        "a switch for everything else of another",
        "switch (b.d[i] & 7u) { case 1u: b.d[i] = 5u; break; case 2u: case 3u: b.d[i] += i; break; default: switch (i & 3u) { case 0u: b.d[i] = 9u; break; case 1u: b.d[i] ^= 3u; break; default: b.d[i]++; } }",
    ),
    (
        "the group",
        "s[gl_LocalInvocationID.x] = b.d[i]; barrier(); b.d[i] = s[gl_LocalInvocationID.x ^ 5u] + s[0];",
    ),
    ("the wave", "uint u = b.d[gl_WorkGroupID.x]; b.d[i] = (u << 3) + (u > 9u ? 1u : i);"),
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

/// Both sizes of waves, both who launch.
const CHOICES: [(u8, Abi); 3] = [(32, Abi::Vulkan), (64, Abi::Vulkan), (32, Abi::Hsa)];

fn load(body: &str) -> Module {
    let head = "#version 310 es
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
        void main() { uint i = gl_GlobalInvocationID.x; ";
    let mut sources = SourceMap::new();
    let file = sources.add("kernel", format!("{head}{body} }}"));
    let options = Options::new(Stage::Compute);
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V").module
}

fn try_build(module: &Module, (wave, abi): (u8, Abi)) -> Result<Compiled, String> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    let options = Choices { wave, abi, ..Choices::default() };
    compile(&mut module.clone(), "main", options, &mut cx).map_err(|errors| errors[0].message.clone())
}

fn build(module: &Module, choice: (u8, Abi)) -> Compiled {
    try_build(module, choice).unwrap_or_else(|why| panic!("{why}"))
}

fn proved(module: &Module, compiled: &Compiled) -> Result<Compared, Failure> {
    verify(&Words { source: module, entry: &module.entries[0], compiled: compiled.clone() }, 1)
}

#[test]
fn kernels_mean_what_their_source_does() {
    for (name, body) in KERNELS {
        let module = load(body);
        let is_sized = body.contains("length()");
        for choice in CHOICES.into_iter().filter(|(_, abi)| !is_sized || *abi == Abi::Vulkan) {
            let made = build(&module, choice);
            let listing = || listing::code(&made.code, choice.0, 0);
            proved(&module, &made).unwrap_or_else(|why| panic!("{name}, {choice:?}: {why}\n{}", listing()));
        }
    }
}

#[test]
fn every_effort_means_the_same() {
    for (name, body) in KERNELS {
        let module = load(body);
        for (effort, wave) in [(0, 32), (3, 64)] {
            let options = Choices { wave, effort, ..Choices::default() };
            let mut cx = Cx { verify: true, ..Cx::default() };
            let made = compile(&mut module.clone(), "main", options, &mut cx)
                .unwrap_or_else(|errors| panic!("{name}: {}", errors[0].message));
            proved(&module, &made).unwrap_or_else(|why| panic!("{name}, effort {effort}: {why}"));
        }
    }
}

/// Seeds of kernels that were wrong once.
const FOUND: [u64; 2] = [20432, 31233];

/// As many random kernels as `CHIARO_SHADERS` says, from the seed `CHIARO_SEED` on, in groups of 32 lanes: all or half
/// of a wave.
#[test]
fn random_kernels_of_subgroups_mean_what_their_source_does() {
    let given = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (count, first) = (given("CHIARO_SHADERS").unwrap_or(80), given("CHIARO_SEED").unwrap_or(0));
    let (mut untested, mut bad) = (0, Vec::new());
    for seed in (first..first + count).chain(FOUND) {
        let features = random::Features { variables: true, lively: true, subgroup: true };
        let module = random::module_with(seed, 4 + (seed % 40) as u32, features);
        let choice = CHOICES[seed as usize % 2];
        let proof = try_build(&module, choice).map(|made| proved(&module, &made));
        match proof {
            Ok(Ok(_)) => {}
            Ok(Err(Failure::Untested { .. })) => untested += 1,
            Ok(Err(why)) => bad.push(format!("{seed}, {choice:?}: {why}")),
            Err(why) => bad.push(format!("{seed}, {choice:?}: {why}")),
        }
    }
    println!("{untested} of {count} prove nothing, {} are wrong", bad.len());
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(untested * 5 <= count, "{untested} of {count} prove nothing");
}

/// Words of another kernel, and single bits that are others: some check fails.
#[test]
fn wrong_words_are_noticed() {
    let [sides, other] = [KERNELS[2].1, "if ((i & 3u) == 1u) b.d[i] += 8u;"].map(load);
    let told = proved(&sides, &build(&other, CHOICES[0])).expect_err("the words are of another kernel");
    assert!(matches!(told, Failure::Meaning(_)), "{told}");
    let right = build(&sides, CHOICES[0]);
    let mut survivors = Vec::new();
    for at in 0..right.code.len() {
        let mut wrong = right.clone();
        wrong.code[at] ^= 4;
        if proved(&sides, &wrong).is_ok() {
            survivors.push(at);
        }
    }
    // Hints, and bits that no instruction reads.
    let listing = listing::code(&right.code, 32, 0);
    assert!(
        survivors.len() * 5 < right.code.len(),
        "{} of {}: {survivors:?}\n{listing}",
        survivors.len(),
        right.code.len()
    );
}

#[test]
fn lengths_that_nobody_gives_are_refused() {
    let refused = try_build(&load(KERNELS[0].1), (32, Abi::Hsa)).expect_err("an address has no length");
    assert!(refused.contains("length of a buffer"), "{refused}");
}

/// LDS is there for what lanes of waves of 64 exchange, and only where no instruction reaches them.
#[test]
fn lanes_exchange_through_lds_only_where_they_must() {
    let lds = |body: &str| build(&load(body), (64, Abi::Vulkan)).interface.lds;
    assert_eq!(lds("b.d[i] = subgroupAdd(b.d[i]);"), 0);
    assert_eq!(lds("if (b.d[i] > 3u) b.d[i] = subgroupAdd(b.d[i]);"), 512);
    assert_eq!(lds("b.d[i] = subgroupShuffleXor(b.d[i], 17u) + subgroupShuffle(b.d[i], 40u);"), 0);
    assert_eq!(lds("b.d[i] = subgroupShuffle(b.d[i], b.d[i] & 63u);"), 512);
}
