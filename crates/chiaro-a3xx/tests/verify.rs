//! Checked compilation: shaders that try what the compiler does in its own way, random ones, and
//! words with a mistake, which no check may pass.

use chiaro_a3xx::abi::Sink;

use chiaro_a3xx::asm::{self, padded};
use chiaro_a3xx::compile::{Compiled, Options as Choices, Variant, compile};
use chiaro_a3xx::report::{Stage as Kind, Statistics};
use chiaro_a3xx::verify::{Compared, Failure, Words, verify};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::Module;
use chiaro_ir::random::vertex as random;
use chiaro_opt::Cx;

/// Invocations of each shader.
const INVOCATIONS: usize = 24;

fn load(stage: Stage, body: &str) -> Module {
    let precisions = "precision highp float; precision highp int; precision highp sampler2DArray;\n";
    let (version, body) = match body.strip_prefix("#version ").and_then(|rest| rest.split_once('\n')) {
        Some((version, body)) => (version, body),
        None => ("300 es", body),
    };
    let mut sources = SourceMap::new();
    let file = sources.add("shader", format!("#version {version}\n{precisions}{body}"));
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &Options::new(stage), &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V").module
}

fn build(module: &Module) -> Result<Compiled, String> {
    build_with(module, Choices::default())
}

fn build_with(module: &Module, choices: Choices) -> Result<Compiled, String> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    compile(&mut module.clone(), "main", choices, &mut cx).map_err(|errors| errors[0].message.clone())
}

fn proved(module: &Module, compiled: &Compiled, seed: u64) -> Result<Compared, Failure> {
    let words = Words { source: module, entry: &module.entries[0], compiled: compiled.clone() };
    verify(&words, INVOCATIONS, seed)
}

/// What checks say of a source and words that are not its own, or are changed: see `verify/wrong.txt`.
fn judged(text: &str) -> String {
    let (stage, text) = text.split_once('\n').expect("a stage");
    let kind = if stage == "vertex" { Stage::Vertex } else { Stage::Fragment };
    let (source, other) = text.split_once("; ---\n").unwrap_or((text, ""));
    let choices = Choices { half: stage.ends_with("half"), ..Choices::default() };
    let made = |source: &str| {
        let module = load(kind, source);
        let made = build_with(&module, choices).unwrap_or_else(|why| panic!("{source}: {why}"));
        (module, made)
    };
    let (module, own) = made(source);
    let passed_off = if other.contains("main") { made(other).1 } else { changed(own, other) };
    proved(&module, &passed_off, 1).map_or_else(|told| told.brief(), |_| "right".to_owned())
}

/// Words whose listing has other texts: `old => new`, line by line, and bars between lines of the new one.
fn changed(mut made: Compiled, changes: &str) -> Compiled {
    let listing = chiaro_a3xx::listing::mesa::listing(&made.words, Default::default());
    let listing = chiaro_cases::edited(&listing, changes);
    let file = SourceMap::new().add("listing", listing.as_str());
    let assembled = asm::assemble(file, &listing, asm::Options { compat: true, ..asm::Options::default() });
    made.words = assembled.unwrap_or_else(|errors| panic!("{listing}\n{}", errors[0].message)).0.words;
    made
}

#[test]
fn wrong_programs_are_refused() {
    chiaro_cases::of_file(env!("CARGO_MANIFEST_DIR"), "tests/verify/wrong.txt", judged);
}

/// What does not fit is refused with what is used and what is allowed, where it stands.
#[test]
fn limits_say_what_is_used_and_allowed() {
    let inputs: String = (0..17).map(|n| format!("in vec4 a{n}; ")).collect();
    let sum =
        |name: &str, count: usize| (0..count).map(|n| format!("{name}{n}")).collect::<Vec<_>>().join("+");
    let outputs: String = (0..17).map(|n| format!("out vec4 v{n}; ")).collect();
    let stores: String = (0..17).map(|n| format!("v{n} = a * {n}.5; ")).collect();
    let samplers: String = (0..17).map(|n| format!("uniform sampler2D s{n}; ")).collect();
    let lookups = (0..17).map(|n| format!("texture(s{n}, v)")).collect::<Vec<_>>().join("+");
    let long: String = (0..1100).map(|n| format!("x = sin(x) * u[{}]; ", n % 4)).collect();
    let cases = [
        (
            Stage::Vertex,
            format!("{inputs} void main() {{ gl_Position = {}; }}", sum("a", 17)),
            "attributes take 17 vec4, 16 are there",
        ),
        (
            Stage::Vertex,
            format!("in vec4 a; {outputs} void main() {{ gl_Position = a; {stores} }}"),
            "varyings take 68 scalars, 64 are there",
        ),
        (
            Stage::Fragment,
            "in vec4 v; layout(location = 4) out vec4 o; void main() { o = v; }".to_owned(),
            "colours take 5 targets, 4 are there",
        ),
        (
            Stage::Vertex,
            "uniform vec4 u[513]; in int n; void main() { gl_Position = u[n]; }".to_owned(),
            "513 vec4 of constants, 512 are there",
        ),
        (
            Stage::Fragment,
            format!("in vec2 v; {samplers} out vec4 o; void main() {{ o = {lookups}; }}"),
            "textures take 17 samplers, 16 are there",
        ),
        (
            Stage::Vertex,
            format!(
                "uniform float u[4]; in float a; void main() {{ float x = a; {long} gl_Position = vec4(x); }}"
            ),
            "instructions, 1024 are there",
        ),
    ];
    for (stage, body, expected) in cases {
        let made = compile(&mut load(stage, &body), "main", Choices::default(), &mut Cx::default());
        let refused = &made.expect_err(expected)[0];
        assert!(refused.message.contains(expected), "`{}` lacks `{expected}`", refused.message);
        assert!(refused.span.is_some(), "`{}` has no place", refused.message);
    }
    let all_colours = "in vec4 v; layout(location = 3) out vec4 o; void main() { o = v; }";
    build(&load(Stage::Fragment, all_colours)).expect("what is there may be used");
}

/// Where the source asks for no more, values stand in half registers, and are right as far as these go.
#[test]
fn mediump_is_half_where_that_is_asked_for() {
    let shaders = [
        "in vec4 v; uniform vec4 u; out vec4 o; void main() { o = v * u + 0.25; }",
        "in vec2 v; uniform sampler2D s; out vec4 o; void main() { vec4 t = texture(s, v); o = t.wzyx * t + v.xxyy; }",
        "in vec4 v; out vec4 o; void main() { vec4 a = max(v, 0.5); o = a.x > a.y ? a : a.wzyx * 0.5; }",
        "in highp vec4 v; in vec4 w; out vec4 o; void main() { o = w * w.x + 0.5; o.x += v.x > 0.5 ? o.y : 1.0; }",
        "in vec4 v; out vec4 o; void main() { vec4 s = v * 0.5; if (v.x > v.y) s = s.wzyx * v; o = s + v; }",
        "in vec4 v; out vec4 o; void main() { o = sqrt(abs(v)) + exp2(v * 0.25) * inversesqrt(v * v + 1.0); }",
    ];
    let mut bad = Vec::new();
    for (n, body) in shaders.iter().enumerate() {
        let module = load(Stage::Fragment, &format!("precision mediump float; {body}"));
        let choices = Choices { half: true, ..Choices::default() };
        let made = build_with(&module, choices).unwrap_or_else(|why| panic!("{body}: {why}"));
        let (half, full) = (made.words.clone(), build(&module).expect("full registers").words);
        let [half, full] = [half, full].map(|words| Statistics::of(&padded(&words), Kind::Fragment));
        assert!(half.half > full.half && half.full <= full.full, "{body}: {half:?} {full:?}");
        let listing = chiaro_a3xx::listing::mesa::listing(&made.words, Default::default());
        assert!(n > 1 || made.interface.outputs[0].half, "{body}\n{listing}");
        bad.extend(proved(&module, &made, 1).err().map(|why| format!("{body}: {why}\n{listing}")));
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// More values are alive than there are registers: some go to private memory, behind a variable's own place there.
#[test]
fn values_without_a_register_are_spilled() {
    let step = |n: usize| format!("float x{} = x{n} * 0.5 + u[{}]; ", n + 4, n % 4);
    let chains: String = (0..206).map(step).collect();
    let back: String = (4..210).rev().map(|n| format!("y = x{n} * 0.5 + y; ")).collect();
    let start = "in float a; in int n; uniform float u[4]; void main() { float x0 = a * 0.125; \
                 float x1 = a * 0.25; float x2 = a * 0.5; float x3 = a * 0.75; ";
    let array = "float s[3]; for (int i = 0; i < 3; i++) s[i] = a + float(i); ";
    for array in ["", array] {
        let end = if array.is_empty() { "y" } else { "y + s[n & 1]" };
        let body = format!("{start}{array}{chains} float y = 0.0; {back} gl_Position = vec4({end}); }}");
        let module = load(Stage::Vertex, &body);
        let made = build(&module).unwrap_or_else(|why| panic!("{why}"));
        let variables = if array.is_empty() { 0 } else { 3 * 4 };
        assert!(made.interface.private_bytes > variables, "{} bytes", made.interface.private_bytes);
        assert_eq!(chiaro_a3xx::check::check(&padded(&made.words), 0, None).len(), 0);
        proved(&module, &made, 1).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// The same of halves: 240 of them are alive, and some are vectors.
#[test]
fn halves_without_a_register_are_spilled() {
    let start: String = (0..60).map(|n| format!("vec4 x{n} = v * u[{}] + {n}.0 * 0.01; ", n % 8)).collect();
    let back: String =
        (0..60).rev().map(|n| format!("y = y * 0.5 + x{n} * x{}.wzyx; ", (n * 7 + 3) % 60)).collect();
    let module = load(
        Stage::Fragment,
        &format!(
            "precision mediump float; in vec4 v; uniform vec4 u[8]; out vec4 o; \
             void main() {{ {start} vec4 y = vec4(0.0); {back} o = y; }}"
        ),
    );
    let choices = Choices { half: true, ..Choices::default() };
    let made = build_with(&module, choices).unwrap_or_else(|why| panic!("{why}"));
    let listing = chiaro_a3xx::listing::mesa::listing(&made.words, Default::default());
    assert!(made.interface.private_bytes > 0 && listing.contains("stp.u16"), "{listing}");
    assert_eq!(chiaro_a3xx::check::check(&padded(&made.words), 0, None).len(), 0);
    proved(&module, &made, 1).unwrap_or_else(|why| panic!("{why}"));
}

/// A word that is left out, or one bit of one that is another: some check fails.
#[test]
fn wrong_words_are_noticed() {
    let module = load(
        Stage::Fragment,
        "in vec4 v; uniform vec4 u; out vec4 o; void main() { o = v * u + exp2(v.yxzz); }",
    );
    let right = build(&module).expect("it compiles");
    proved(&module, &right, 1).expect("it is right");
    let mut survivors = Vec::new();
    for at in 0..right.words.len() {
        // The numbers of first sources, and of destinations.
        for change in [1u64, 1 << 32] {
            let mut wrong = right.clone();
            wrong.words[at] ^= change;
            let category = right.words[at] >> 61;
            if (1..=4).contains(&category) && proved(&module, &wrong, 1).is_ok() {
                survivors.push((at, change));
            }
        }
    }
    assert!(
        survivors.is_empty(),
        "{survivors:?}\n{}",
        chiaro_a3xx::listing::mesa::listing(&right.words, Default::default())
    );
}

/// Words that discard what the source keeps, and words that keep what it discards.
#[test]
fn other_discards_are_noticed() {
    let shader = |test: &str| {
        load(Stage::Fragment, &format!("in vec4 v; out vec4 o; void main() {{ {test} o = v * 2.0; }}"))
    };
    let [keeps, discards] = ["", "if (v.x > 0.25) discard;"].map(shader);
    for (source, other) in [(&keeps, &discards), (&discards, &keeps)] {
        let words = build(other).expect("it compiles");
        let told = proved(source, &words, 1).expect_err("the words are of another shader");
        assert!(matches!(&told, Failure::Meaning(wrong) if wrong.output == "discarded"), "{told}");
    }
}

/// Places of fragments come as fixed-point numbers in x and y, and as floats behind them.
#[test]
fn places_of_fragments_are_read_as_they_come() {
    let shaders = ["x", "y", "z", "w"].map(|part| {
        load(Stage::Fragment, &format!("out vec4 o; void main() {{ o = vec4(gl_FragCoord.{part} * 0.5); }}"))
    });
    for (n, source) in shaders.iter().enumerate() {
        for (m, other) in shaders.iter().enumerate() {
            let told = proved(source, &build(other).expect("it compiles"), 1);
            assert_eq!(told.is_ok(), n == m, "{n} as {m}: {told:?}");
        }
    }
}

/// What finds tiles keeps the position and is proved; a loop for colours alone is gone with them, and a program
/// without the position is noticed.
#[test]
fn binning_keeps_the_position_alone() {
    let module = load(
        Stage::Vertex,
        "in vec4 a; in vec4 b; uniform int n; out vec4 v; void main() {
         gl_Position = a * 2.0; vec4 c = b; for (int i = 0; i < n; i++) c = c * c + b; v = c; }",
    );
    let [whole, binning] = [Variant::Whole, Variant::Binning]
        .map(|variant| build_with(&module, Choices { variant, ..Choices::default() }).expect("it compiles"));
    let sinks = |made: &Compiled| made.interface.outputs.iter().map(|o| o.sink).collect::<Vec<_>>();
    assert_eq!(sinks(&binning), [Sink::Position]);
    assert_eq!(sinks(&whole).len(), 2);
    let branches = |made: &Compiled| Statistics::of(&padded(&made.words), Kind::Vertex).loops;
    assert_eq!((branches(&whole), branches(&binning)), (1, 0));
    for made in [&whole, &binning] {
        proved(&module, made, 1).expect("it is right");
        for n in 0..made.interface.outputs.len() {
            let mut wrong = made.clone();
            let lost = wrong.interface.outputs.remove(n);
            let told = proved(&module, &wrong, 1).expect_err("an output is missing");
            let (Failure::Words(wrong) | Failure::Meaning(wrong)) = told else { panic!("{told}") };
            assert_eq!(wrong.output, lost.name);
        }
    }
}

/// Samples of the same coordinates share the registers that these stand in; a scalar that two different runs hold
/// is copied, once, ahead of its reader: where it is read, it would be waited for.
#[test]
fn shared_coordinates_are_copied_where_runs_differ() {
    let cases = [
        ("texture(s, v.xy) * texture(t, v.xy)", 0, 7),
        ("texture(s, v.xy) * texture(t, v.yx)", 2, 8),
        ("texture(s, v.xy) * texture(t, v.yz) * texture(s, v.zx)", 3, 7),
    ];
    for (body, copies, nops) in cases {
        let head = "in vec3 v; uniform sampler2D s; uniform sampler2D t; out vec4 o; void main() { o = ";
        let made = build(&load(Stage::Fragment, &format!("{head}{body}; }}"))).expect("it compiles");
        let found = Statistics::of(&padded(&made.words), Kind::Fragment);
        assert_eq!(found.mov, copies, "{body}");
        assert!(found.nops <= nops, "{body}: {} nops", found.nops);
    }
}

/// As many random shaders as `CHIARO_SHADERS` says, as what finds tiles.
#[test]
fn random_binning_variants_mean_what_their_source_does() {
    let count = std::env::var("CHIARO_SHADERS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let mut bad = Vec::new();
    for seed in 0..count {
        let module = random::module(seed, 4 + (seed % 40) as u32);
        let result = build_with(&module, Choices { variant: Variant::Binning, ..Choices::default() })
            .map(|compiled| proved(&module, &compiled, seed));
        match result {
            Ok(Ok(_) | Err(Failure::Untested { .. })) => {}
            Ok(Err(why)) => bad.push(format!("{seed}: {why}")),
            Err(why) => bad.push(format!("{seed}: refused: {why}")),
        }
    }
    assert!(bad.is_empty(), "{} of {count}\n{}", bad.len(), bad.join("\n"));
}
