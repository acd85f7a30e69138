//! Checked compilation of kernels: those that try what compilers do in ways of their own, random ones, and words with
//! a mistake, which no check may pass.

use chiaro_a3xx::compile::{Compiled, Options as Choices, compile};
use chiaro_a3xx::listing::{Style, mesa};
use chiaro_a3xx::verify::{Compared, Failure, Words};
use chiaro_cases::kernels::{KERNELS, kernel};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::{Module, random};
use chiaro_opt::Cx;
use chiaro_target::proof::kernel::verify;

fn load(body: &str) -> Module {
    load_text(&kernel(body))
}

fn load_text(text: &str) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add("kernel", text);
    let options = Options::new(Stage::Compute);
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{text}\n{}", errors[0].message));
    chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V").module
}

fn build(module: &Module) -> Result<Compiled, String> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    compile(&mut module.clone(), "main", Choices::default(), &mut cx)
        .map_err(|errors| errors[0].message.clone())
}

fn listing(compiled: &Compiled) -> String {
    mesa::listing(&compiled.words, Style::default())
}

fn proved(module: &Module, compiled: &Compiled) -> Result<Compared, Failure> {
    verify(&Words { source: module, entry: &module.entries[0], compiled: compiled.clone() }, 1)
}

#[test]
fn kernels_mean_what_their_source_does() {
    let mut bad = Vec::new();
    // Lanes tell each other nothing on this machine, it has no numbers of 64 bits, and 1,024 instructions do not
    // copy 600 words.
    let is_here = |body: &str| !["ubgroup", "int64", "[600]"].iter().any(|word| body.contains(word));
    for (name, body) in KERNELS.iter().filter(|(_, body)| is_here(body) && !body.contains("length()")) {
        let module = load(body);
        // Only fragments may end so.
        if chiaro_ir::print(&module).contains("terminate") {
            continue;
        }
        match build(&module).map(|made| (proved(&module, &made), made)) {
            Ok((Ok(_), _)) => {}
            Ok((Err(why), made)) => {
                bad.push(format!("{name}: {why}\n{}", listing(&made)));
            }
            Err(why) => bad.push(format!("{name}: {why}")),
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// As many random kernels as `CHIARO_SHADERS` says, from the seed `CHIARO_SEED` on.
#[test]
fn random_kernels_mean_what_their_source_does() {
    let given = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (count, first) = (given("CHIARO_SHADERS").unwrap_or(80), given("CHIARO_SEED").unwrap_or(0));
    let (mut untested, mut bad) = (0, Vec::new());
    for seed in first..first + count {
        let features = random::Features {
            variables: true,
            lively: true,
            subgroup: false,
            shared: seed % 4 > 1,
            within: false,
            ..random::Features::default()
        };
        let module = random::module_with(seed, 4 + (seed % 40) as u32, features);
        match build(&module).map(|made| proved(&module, &made)) {
            Ok(Ok(_)) => {}
            Ok(Err(Failure::Untested { .. })) => untested += 1,
            Ok(Err(why)) => bad.push(format!("{seed}: {why}\n{}", chiaro_ir::print(&module))),
            Err(why) => bad.push(format!("{seed}: {why}")),
        }
    }
    println!("{untested} of {count} prove nothing, {} are wrong", bad.len());
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(untested * 5 <= count, "{untested} of {count} prove nothing");
}

/// What cannot be compared is no proof.
#[test]
fn uniforms_and_images_are_not_compared() {
    let head = "layout(local_size_x = 8) in; layout(std430, binding = 0) buffer B { float b[]; };";
    for (names, value, why) in [
        ("uniform float u;", "u", "not proved: uniforms in constants are not compared"),
        ("uniform highp sampler2D u;", "texture(u, vec2(0.5)).x", "not proved: images are not compared"),
    ] {
        let module = load_text(&format!(
            "#version 310 es\n{head} {names} void main() {{ b[gl_LocalInvocationID.x] = {value}; }}"
        ));
        let told = proved(&module, &build(&module).expect("it compiles")).expect_err("nothing is compared");
        assert_eq!(told.brief(), why);
    }
}

/// Words of another kernel, and single bits that are others: some check fails.
#[test]
fn wrong_words_are_noticed() {
    let [sides, other] = [KERNELS[2].1, "if ((i & 3u) == 1u) b.d[i] += 8u;"].map(load);
    let told =
        proved(&sides, &build(&other).expect("it compiles")).expect_err("the words are of another kernel");
    assert!(matches!(told, Failure::Meaning(_)), "{told}");
    let right = build(&sides).expect("it compiles");
    let mut survivors = Vec::new();
    for at in 0..8 * right.words.len() {
        let mut wrong = right.clone();
        wrong.words[at / 8] ^= 4 << (8 * (at % 8));
        if proved(&sides, &wrong).is_ok() {
            survivors.push(at);
        }
    }
    // Hints, bits that no instruction reads, and what stands behind the end.
    let listing = listing(&right);
    assert!(survivors.len() * 2 < 8 * right.words.len(), "{survivors:?}\n{listing}");
}
