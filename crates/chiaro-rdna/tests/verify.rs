//! Checked compilation: kernels that try what the compiler does in its own way, and words with a mistake, which no
//! check may pass.

use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::Module;
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
        "an array by number",
        "uint t[6]; for (uint k = 0u; k < 6u; k++) t[k] = b.d[i] + k * k; b.d[i] = t[(b.d[i] + 1u) % 6u];",
    ),
    (
        "the group",
        "s[gl_LocalInvocationID.x] = b.d[i]; barrier(); b.d[i] = s[gl_LocalInvocationID.x ^ 5u] + s[0];",
    ),
    ("the wave", "uint u = b.d[gl_WorkGroupID.x]; b.d[i] = (u << 3) + (u > 9u ? 1u : i);"),
    (
        "pairs of bits",
        "uvec2 p = uvec2(b.d[i], i); b.d[i] = bitfieldExtract(p.x, 3, 9) ^ bitfieldReverse(p.y) ^ uint(findMSB(p.x));",
    ),
];

/// Both sizes of waves, both who launch.
const CHOICES: [(u8, Abi); 3] = [(32, Abi::Vulkan), (64, Abi::Vulkan), (32, Abi::Hsa)];

fn load(body: &str) -> Module {
    let head = "#version 310 es\nlayout(local_size_x = 64) in;
        layout(std430, binding = 0) buffer A { float f[]; } a;
        layout(std430, binding = 1) buffer B { uint d[128]; } b;
        shared uint s[64];
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
