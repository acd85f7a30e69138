//! Checked compilation of kernels: those that try what compilers do in ways of their own, random ones, and words with
//! a mistake, which no check may pass.

use chiaro_agx::compile::{Compiled, Options as Choices, compile};
use chiaro_agx::listing;
use chiaro_agx::verify::{Compared, Failure, Words};
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

fn proved(module: &Module, compiled: &Compiled) -> Result<Compared, Failure> {
    verify(&Words { source: module, entry: &module.entries[0], compiled: compiled.clone() }, 1)
}

#[test]
fn kernels_mean_what_their_source_does() {
    let mut bad = Vec::new();
    for (name, body) in KERNELS {
        let module = load(body);
        match build(&module).map(|made| (proved(&module, &made), made)) {
            Ok((Ok(_), _)) => {}
            Ok((Err(why), made)) => {
                bad.push(format!("{name}: {why}\n{}", listing::code(&made.file.code, Default::default())));
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
            subgroup: seed % 2 == 0,
            shared: seed % 4 > 1,
            images: seed % 8 == 5,
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

/// Texels that kernels store are compared.
#[test]
fn texels_are_compared() {
    let texels = |value: &str| {
        let head = "#version 450\nlayout(local_size_x = 4) in; layout(r32ui, binding = 0) writeonly uniform uimage2D t;";
        let at = "ivec2(gl_LocalInvocationID.x, 1)";
        load_text(&format!(
            "{head} void main() {{ imageStore(t, {at}, uvec4(gl_LocalInvocationID.x {value})); }}"
        ))
    };
    let all = [texels("* 2u"), texels("* 3u")];
    for (n, source) in all.iter().enumerate() {
        for (m, other) in all.iter().enumerate() {
            let told = proved(source, &build(other).expect("it compiles"));
            assert_eq!(told.is_ok(), n == m, "{n} as {m}: {told:?}");
        }
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
    for at in 0..right.file.code.len() {
        let mut wrong = right.clone();
        wrong.file.code[at] ^= 4;
        if proved(&sides, &wrong).is_ok() {
            survivors.push(at);
        }
    }
    // Hints, bits that no instruction reads, and what stands behind the end.
    let listing = listing::code(&right.file.code, Default::default());
    assert!(survivors.len() * 3 < right.file.code.len(), "{survivors:?}\n{listing}");
}
