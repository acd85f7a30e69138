//! Checked compilation: kernels that try what the compiler does in its own way, and words with a mistake, which no
//! check may pass.

use chiaro_cases::kernels::{KERNELS, kernel};
use chiaro_cases::{digest, head, written};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::Module;
use chiaro_ir::random;
use chiaro_opt::Cx;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::compile::{Compiled, Options as Choices, compile};
use chiaro_rdna::listing;
use chiaro_rdna::verify::launch::{Given, How, run};
use chiaro_rdna::verify::{Words, verify};
use chiaro_target::{Compared, Failure};

/// Both sizes of waves, both who launch.
const CHOICES: [(u8, Abi); 3] = [(32, Abi::Vulkan), (64, Abi::Vulkan), (32, Abi::Hsa)];

fn load(body: &str) -> Module {
    read(&kernel(body))
}

fn read(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add("kernel", text.to_owned());
    let options = Options::new(Stage::Compute);
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{text}: {}", errors[0].message));
    let options = chiaro_spirv::Options { prints: true, ..Default::default() };
    chiaro_spirv::read_module(&words, &options, &mut sources).expect("SPIR-V").module
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

/// Offsets of instructions reach 4095 bytes of a buffer, and 2047 of scratch.
#[test]
fn structures_are_larger_than_offsets_reach() {
    let module = read(
        "#version 450
        layout(local_size_x = 32) in;
        struct S { vec3 x[300]; float y[3]; };
        layout(std430, binding = 0) buffer B { S b[2]; };
        layout(std430, binding = 1) buffer C { S c[2]; };
        void main() {
            uint i = gl_LocalInvocationIndex & 1u;
            S s = b[i];
            s.x[i * 299u].y += 1.0;
            s.y[i + 1u] *= 2.0;
            c[1u - i] = s;
        }",
    );
    for choice in [(32, Abi::Vulkan), (64, Abi::Vulkan)] {
        proved(&module, &build(&module, choice)).unwrap_or_else(|why| panic!("{choice:?}: {why}"));
    }
}

/// How many samples an image has is asked of the one that is meant.
#[test]
fn samples_are_counted_of_each_image() {
    let module = read(
        "#version 450
        layout(local_size_x = 32) in;
        layout(rgba32f, binding = 0) readonly uniform image2DMS many;
        layout(rgba32f, binding = 1) readonly uniform image2D one;
        layout(std430, binding = 2) buffer B { int n[32]; };
        void main() { n[gl_LocalInvocationIndex] = imageSamples(many) * 256 + imageSize(one).x; }",
    );
    for choice in [(32, Abi::Vulkan), (64, Abi::Vulkan)] {
        proved(&module, &build(&module, choice)).unwrap_or_else(|why| panic!("{choice:?}: {why}"));
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
    let (mut untested, mut bad, mut made) = (0, Vec::new(), head("seed: code proof"));
    for seed in (first..first + count).chain(FOUND) {
        let features = random::Features {
            variables: true,
            lively: true,
            subgroup: true,
            shared: seed % 4 == 2,
            within: false,
            ..random::Features::default()
        };
        let module = random::module_with(seed, 4 + (seed % 40) as u32, features);
        let choice = CHOICES[seed as usize % 2];
        let proof = try_build(&module, choice).map(|compiled| {
            made += &format!("{seed}: {}", digest(&listing::code(&compiled.code, choice.0, 0)));
            proved(&module, &compiled)
        });
        made += &format!(" {}\n", digest(&format!("{proof:?}")));
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
    if (count, first) == (80, 0) {
        written(env!("CARGO_MANIFEST_DIR"), "tests/made/subgroups.txt", &made);
    }
}

/// Lanes of both sides write to one place, whose order nobody promises; what one side writes alone is still compared.
#[test]
fn lanes_of_both_sides_may_write_in_any_order() {
    for (seed, size) in [(2_033_717, 41), (4_031_829, 33), (3_037_557, 41)] {
        let [subgroup, shared] = [0, 1].map(|bit| seed >> bit & 1 == 1);
        let features = random::Features {
            variables: true,
            lively: true,
            subgroup,
            shared,
            within: true,
            ..random::Features::default()
        };
        let module = random::module_with(seed, size, features);
        let made = build(&module, CHOICES[1]);
        let found = verify(&Words { source: &module, entry: &module.entries[0], compiled: made }, seed);
        assert!(matches!(found, Ok(_) | Err(Failure::Untested { .. })), "{seed}: {found:?}");
    }
    let [right, wrong] = [0, 2].map(|more| {
        load(&format!("if (i < 32u) {{ b.d[i & 3u] = i; if ((i & 1u) == 1u) b.d[8u] = i + {more}u; }}"))
    });
    let told = proved(&right, &build(&wrong, CHOICES[0])).expect_err("another number is written");
    assert!(matches!(told, Failure::Meaning(_)), "{told}");
}

/// Code stores at an index that nobody defines, and takes another one than our first guesses are; what is written all
/// the same is still compared.
#[test]
fn values_that_nobody_defines_may_be_any() {
    let seed = 3_025_334;
    let features = random::Features {
        variables: true,
        lively: true,
        subgroup: false,
        shared: true,
        within: true,
        ..random::Features::default()
    };
    let module = random::module_with(seed, 18, features);
    for choice in CHOICES {
        let made = build(&module, choice);
        let found = verify(&Words { source: &module, entry: &module.entries[0], compiled: made }, seed);
        assert!(matches!(found, Ok(_) | Err(Failure::Untested { .. })), "{choice:?}: {found:?}");
    }
    let [right, wrong] = ["7u", "8u"].map(|last| {
        load(&format!("uint x; if (b.d[i] > 4096u) x = 3u; b.d[64u + (x & 3u)] = 5u; b.d[i & 31u] = {last};"))
    });
    for choice in CHOICES {
        assert!(proved(&right, &build(&right, choice)).is_ok(), "{choice:?}");
        let told = proved(&right, &build(&wrong, choice)).expect_err("another number is written");
        assert!(matches!(told, Failure::Meaning(_)), "{told}");
    }
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

/// Words that compute the same and break a rule of the hardware: a wait that is left out.
#[test]
fn words_that_break_a_rule_are_refused() {
    let module = load("b.d[i] = b.d[i] * 3u;");
    for choice in CHOICES {
        let mut wrong = build(&module, choice);
        let waits = |word: &[u8; 4]| u32::from_le_bytes(*word) >> 16 == 0xbf8c;
        let words = wrong.code.as_chunks_mut::<4>().0;
        let found: Vec<&mut [u8; 4]> = words.iter_mut().filter(|word| waits(word)).collect();
        assert!(!found.is_empty(), "{choice:?}");
        found.into_iter().for_each(|word| *word = 0xbf80_0000u32.to_le_bytes());
        let told = proved(&module, &wrong).expect_err("nothing waits for the load");
        assert!(matches!(told, Failure::Rule(_)), "{choice:?}: {told}");
    }
}

/// A buffer of prints that nobody reads is full from the start: who prints computes what he would without.
#[test]
fn prints_that_nobody_reads_change_nothing() {
    let [right, wrong] = [3, 4].map(|more| {
        let body = format!("if ((i & 3u) == 1u) debugPrintfEXT(\"%u\", i); b.d[i] += {more}u;");
        let head = "#version 460\n#extension GL_EXT_debug_printf : require";
        read(&kernel(&body).replacen("#version 310 es", head, 1))
    });
    for choice in CHOICES {
        let made = build(&right, choice);
        assert_eq!(made.prints.len(), 1);
        proved(&right, &made).unwrap_or_else(|why| panic!("{choice:?}: {why}"));
        let told = proved(&right, &build(&wrong, choice)).expect_err("another number is written");
        assert!(matches!(told, Failure::Meaning(_)), "{told}");
    }
}

/// Words without a buffer that the source writes.
#[test]
fn a_buffer_that_is_lost_is_noticed() {
    let [both, one] = ["b.d[i] += 8u; a.f[i] = 1.0;", "b.d[i] += 8u;"].map(load);
    let told = proved(&both, &build(&one, CHOICES[0])).expect_err("the source writes more");
    assert!(matches!(told, Failure::Meaning(_)), "{told}");
}

/// A counter of six bits that is to leave 63 asks for no wait: the first of 100 loads is waited for with 62 left.
#[test]
fn more_loads_than_a_counter_counts() {
    let loads: String = (0..100).map(|n| format!("uint x{n} = b.d[(i * {n}u + {n}u) & 127u];")).collect();
    let sums: String = (0..100).map(|n| format!("y = y * 3u + x{n};")).collect();
    let module = load(&format!("{loads} uint y = 0u; {sums} b.d[i] = y;"));
    for (wave, abi) in CHOICES {
        // In the order of the source.
        let options = Choices { wave, abi, effort: 0, ..Choices::default() };
        let made = compile(&mut module.clone(), "main", options, &mut Cx::default()).expect("it fits");
        let listing = listing::code(&made.code, wave, 0);
        assert!(listing.contains("vmcnt(62)"), "so many loads are never under way:\n{listing}");
        proved(&module, &made).unwrap_or_else(|why| panic!("{wave}, {abi:?}: {why}\n{listing}"));
    }
}

#[test]
fn lengths_that_nobody_gives_are_refused() {
    let refused = try_build(&load(KERNELS[0].1), (32, Abi::Hsa)).expect_err("an address has no length");
    assert!(refused.contains("length of a buffer"), "{refused}");
}

/// What a lane has that does not run is nobody's: a doubt, not a mistake. What lanes that run have is compared.
#[test]
fn lanes_that_do_not_run_hold_nothing_known() {
    for body in [
        "b.d[i] = subgroupShuffleUp(b.d[i], 2u) + i;",
        "if ((i & 1u) == 0u) b.d[i] = subgroupBroadcast(b.d[i], 3u);",
        "if (b.d[i] > 7u) b.d[i] = subgroupQuadSwapHorizontal(b.d[i]);",
        "if (i != 5u) b.d[i] = subgroupShuffle(b.d[i], b.d[i] & 31u);",
    ] {
        let module = load(body);
        for choice in CHOICES {
            let made = build(&module, choice);
            let found = proved(&module, &made);
            assert!(matches!(found, Ok(_) | Err(Failure::Untested { .. })), "{body}, {choice:?}: {found:?}");
        }
    }
    let [right, wrong] = [0, 1].map(|more| {
        load(&format!("uint x = subgroupShuffleUp(b.d[i], 2u); b.d[i] = gl_SubgroupInvocationID < 2u ? 7u : x + {more}u;"))
    });
    let told = proved(&right, &build(&wrong, CHOICES[0])).expect_err("another number is written");
    assert!(matches!(told, Failure::Meaning(_)), "{told}");
}

/// Sums and bounds of bytes over lanes, the first of which has what changes nothing.
#[test]
fn bytes_are_combined_over_lanes() {
    for body in [
        "b.d[i] = uint(subgroupAdd(uint8_t(b.d[i]))) + uint(subgroupXor(uint8_t(i)));",
        "b.d[i] = uint(subgroupExclusiveMin(uint8_t(b.d[i]))) + uint(subgroupInclusiveMul(uint8_t(b.d[i])));",
        "b.d[i] = uint(int(subgroupExclusiveMin(int8_t(b.d[i])))) + uint(int(subgroupMax(int8_t(b.d[i]))));",
        "if (b.d[i] > 3u) b.d[i] = uint(int(subgroupExclusiveMax(int8_t(b.d[i])))) * 256u + uint(subgroupClusteredAnd(uint8_t(b.d[i]), 4u));",
    ] {
        let text = kernel(body).replacen('\n', "\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n#extension GL_EXT_shader_subgroup_extended_types_int8 : require\n", 1);
        let module = read(&text);
        for choice in CHOICES {
            let made = build(&module, choice);
            proved(&module, &made).unwrap_or_else(|why| panic!("{body}, {choice:?}: {why}"));
        }
    }
}

/// A cluster of all lanes is the whole wave: the same words.
#[test]
fn a_cluster_of_all_lanes_is_the_wave() {
    for (wave, abi) in CHOICES {
        let words = |how: &str| build(&load(&format!("b.d[i] = {how};")), (wave, abi)).code;
        let whole = words("subgroupAdd(b.d[i])");
        assert_eq!(words(&format!("subgroupClusteredAdd(b.d[i], {wave}u)")), whole, "{wave}");
        assert_ne!(words("subgroupClusteredAdd(b.d[i], 16u)"), whole, "{wave}");
    }
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

/// What each thread of a group writes: changes across its quad, and a number of the built-ins that say where it is.
fn threads(layout: &str, (wave, abi): (u8, Abi), count: u32) -> Vec<Vec<u32>> {
    let module = read(&format!(
        "#version 450
        #extension GL_NV_compute_shader_derivatives : require
        {layout}
        layout(std430, binding = 0) buffer A {{ float f[]; }} a;
        layout(std430, binding = 1) buffer B {{ uint d[]; }} b;
        void main() {{ uvec3 t = gl_LocalInvocationID; uint i = gl_LocalInvocationIndex;
            float x = float(t.x * t.x) + 100.0 * float(t.y) + 1000.0 * float(t.z);
            a.f[i] = dFdxFine(x) + 3.0 * dFdyFine(x);
            b.d[i] = t.x + 100u * t.y + 1000u * t.z + 10000u * (gl_GlobalInvocationID.x + gl_GlobalInvocationID.y); }}"
    ));
    let made = build(&module, (wave, abi));
    let listing = || listing::code(&made.code, wave, 0);
    proved(&module, &made).unwrap_or_else(|why| panic!("{layout}: {why}\n{}", listing()));
    let bytes = vec![vec![0; 4 * count as usize]; made.interface.resources.len()];
    let given = Given { groups: [1; 3], bytes, views: Vec::new() };
    let left = run(&made, &given, How::default()).unwrap_or_else(|why| panic!("{layout}: {why}"));
    left.iter().map(|bytes| chiaro_isa::dwords(bytes).collect()).collect()
}

/// Changes across quads: four threads in a row, or two by two, which stand in four lanes in a row all the same. The built-ins
/// of threads agree with one another.
#[test]
fn quads_are_rows_or_squares() {
    let [squares, rows] = ["derivative_group_quadsNV", "derivative_group_linearNV"];
    for (mode, [width, height, depth]) in
        [(squares, [8, 8, 1]), (squares, [6, 4, 2]), (squares, [2, 32, 1]), (rows, [64, 1, 1])]
    {
        let layout = format!(
            "layout({mode}, local_size_x = {width}, local_size_y = {height}, local_size_z = {depth}) in;"
        );
        for choice in CHOICES {
            let count = width * height * depth;
            let words = threads(&layout, choice, count);
            for n in 0..count {
                let [x, y, z] = [n % width, n / width % height, n / (width * height)];
                // In a row the second pair of four stands below the first.
                let below = if mode == rows { (x | 2).pow(2) - (x & !2).pow(2) } else { 100 };
                let change = (2 * (x & !1) + 1 + 3 * below) as f32;
                let place = x + 100 * y + 1000 * z + 10000 * (x + y);
                let found = [&words[0], &words[1]].map(|words| words[n as usize]);
                assert_eq!(found, [change.to_bits(), place], "{layout}, {choice:?}: {x}, {y}, {z}");
            }
        }
    }
}
