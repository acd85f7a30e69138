//! Checked compilation: shaders that try what the compiler does in its own way, random ones, and
//! words with a mistake, which no check may pass.

use chiaro_agx::compile::{Compiled, Options as Choices, compile};
use chiaro_agx::verify::{Compared, Failure, Words, verify};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::Module;
use chiaro_ir::random::vertex as random;
use chiaro_opt::Cx;

/// Invocations of each shader.
const INVOCATIONS: usize = 24;

/// Name, stage, body: a shader each.
const SHADERS: &[(&str, Stage, &str)] = &[
    ("angles", Stage::Vertex, "in vec4 a; void main() { gl_Position = sin(a) + cos(a.wzyx * 8.0); }"),
    ("large integers", Stage::Vertex, "in ivec4 a; uniform uvec4 u; void main() { gl_Position = vec4(a) + vec4(u * 77777u); }"),
    (
        "quotients",
        Stage::Vertex,
        "in ivec4 a; uniform ivec2 u; void main() { gl_Position = vec4(a.xy / u, a.zw % u.yx); }",
    ),
    (
        "a component by number",
        Stage::Vertex,
        "in vec4 a; in int n; void main() { vec4 v = a; v[n & 3] = 2.0; gl_Position = v * a[(n + 1) & 3]; }",
    ),
    (
        "a local array by number",
        Stage::Vertex,
        "in vec4 a; in int n; void main() { vec3 v[4]; float s[5];
         for (int i = 0; i < 4; i++) { v[i] = a.xyz * float(i); s[i + 1] = a.w + float(i); }
         s[0] = 3.0; v[(n + 1) & 3].y = 4.0; gl_Position = vec4(v[n & 3], s[(n + 2) & 3]); }",
    ),
    (
        "a constant array by number",
        Stage::Vertex,
        "in int n; const float t[4] = float[4](1.0, 3.0, 5.0, 9.0); void main() { gl_Position = vec4(t[n & 3], t[(n + 1) & 3], 0.0, 1.0); }",
    ),
    (
        "a block in memory",
        Stage::Vertex,
        "in int n; layout(std140) uniform B { vec4 d[900]; }; void main() { gl_Position = d[n & 63] + d[(n & 7) * 7 + 800]; }",
    ),
    (
        "matrices by number",
        Stage::Vertex,
        "in vec4 a; in int n; uniform mat4 m[4]; void main() { gl_Position = m[n & 3] * a + m[1][(n + 1) & 3]; }",
    ),
    (
        "loops that break and go on",
        Stage::Vertex,
        "in vec4 a; uniform int n; void main() { vec4 s = a;
         for (int i = 0; i < (n & 7); i++) { if (s.x > 2.0) { s.y += 1.0; continue; } s += a.yzwx * 0.5; if (s.w > 3.0) break; }
         gl_Position = s; }",
    ),
    (
        "a discard",
        Stage::Fragment,
        "in vec4 v; out vec4 o; void main() { if (v.x > 0.25) discard; o = v * 2.0; }",
    ),
    (
        "a place on the screen",
        Stage::Fragment,
        "out vec4 o; void main() { o = vec4(gl_FragCoord.xy * 0.5, gl_FrontFacing ? 1.0 : 2.0, gl_PointCoord.x); }",
    ),
    (
        "textures",
        Stage::Fragment,
        "in vec3 v; uniform sampler2D s; uniform samplerCube c; uniform sampler2DArray a; out vec4 o;
         void main() { o = texture(s, v.xy) + texture(c, v).wzyx * texture(a, v) + textureLod(s, v.yz, v.x); }",
    ),
    (
        "several targets and a depth",
        Stage::Fragment,
        "in vec4 v; layout(location = 0) out vec4 o; layout(location = 1) out vec2 p;
         void main() { o = v; p = v.zw * 3.0; gl_FragDepth = clamp(v.x, 0.0, 1.0); }",
    ),
];

fn load(stage: Stage, body: &str) -> Module {
    let head =
        "#version 300 es\nprecision highp float; precision highp int; precision highp sampler2DArray;\n";
    let mut sources = SourceMap::new();
    let file = sources.add("shader", format!("{head}{body}"));
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &Options::new(stage), &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V").module
}

fn build(module: &Module) -> Result<Compiled, String> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    compile(&mut module.clone(), "main", Choices::default(), &mut cx)
        .map_err(|errors| errors[0].message.clone())
}

fn listing(compiled: &Compiled) -> String {
    chiaro_agx::listing::code(&compiled.file.code, Default::default())
}

fn proved(module: &Module, compiled: &Compiled, seed: u64) -> Result<Compared, Failure> {
    let words = Words { source: module, entry: &module.entries[0], compiled: compiled.clone() };
    verify(&words, INVOCATIONS, seed)
}

#[test]
fn shaders_mean_what_their_source_does() {
    let mut bad = Vec::new();
    for (name, stage, body) in SHADERS {
        let module = load(*stage, body);
        let compiled = match build(&module) {
            Ok(compiled) => compiled,
            Err(why) => {
                bad.push(format!("{name}: {why}"));
                continue;
            }
        };
        if let Err(why) = proved(&module, &compiled, 1) {
            bad.push(format!("{name}: {why}\n{}{}", listing(&compiled), chiaro_ir::print(&compiled.module)));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// As many random shaders as `CHIARO_SHADERS` says.
#[test]
fn random_shaders_mean_what_their_source_does() {
    let count = std::env::var("CHIARO_SHADERS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let first = std::env::var("CHIARO_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0u64);
    let (mut passed, mut untested, mut bad) = (0, 0, Vec::new());
    for seed in first..first + count {
        let module = random::module(seed, 4 + (seed % 40) as u32);
        match build(&module).map(|compiled| proved(&module, &compiled, seed)) {
            Ok(Ok(_)) => passed += 1,
            Ok(Err(Failure::Untested { .. })) => untested += 1,
            Ok(Err(why)) => bad.push(format!("{seed}: {why}")),
            Err(why) => bad.push(format!("{seed}: refused: {why}")),
        }
    }
    println!("{passed} passed, {untested} untested, {} bad", bad.len());
    assert!(bad.is_empty(), "{} of {count}\n{}", bad.len(), bad.join("\n"));
    assert!(untested * 10 <= count, "{untested} of {count} prove nothing");
}

/// More values are alive than there are registers: some go to the stack.
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
        assert!(listing(&made).contains("stack_store"), "{}", listing(&made));
        proved(&module, &made, 1).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// A register that is another: some check fails.
#[test]
fn wrong_words_are_noticed() {
    let module = load(
        Stage::Fragment,
        "in vec4 v; uniform vec4 u; out vec4 o; void main() { o = v * u + exp2(v.yxzz); }",
    );
    let right = build(&module).expect("it compiles");
    proved(&module, &right, 1).expect("it is right");
    let mut survivors = Vec::new();
    for at in 0..right.file.code.len() {
        let mut wrong = right.clone();
        wrong.file.code[at] ^= 4;
        if proved(&module, &wrong, 1).is_ok() {
            survivors.push(at);
        }
    }
    // Hints, and bits that no instruction reads.
    assert!(survivors.len() * 5 < right.file.code.len(), "{survivors:?}\n{}", listing(&right));
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
