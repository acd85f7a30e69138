//! Checked compilation: shaders that try what the compiler does in its own way, random ones, and
//! words with a mistake, which no check may pass.

use chiaro_agx::asm;
use chiaro_agx::compile::{Compiled, Options as Choices, Place, compile};
use chiaro_agx::verify::{Compared, Failure, Words, verify};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::Module;
use chiaro_opt::Cx;

/// Invocations of each shader.
const INVOCATIONS: usize = 24;

fn load(stage: Stage, body: &str) -> Module {
    let head =
        "#version 300 es\nprecision highp float; precision highp int; precision highp sampler2DArray;\n";
    load_as(if body.starts_with("#version") { "" } else { head }, stage, body)
}

fn load_as(head: &str, stage: Stage, body: &str) -> Module {
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

/// What checks say of a source and words that are not its own, or are changed: see `verify/wrong.txt`.
fn judged(text: &str) -> String {
    let (stage, text) = text.split_once('\n').expect("a stage");
    let stage = if stage == "vertex" { Stage::Vertex } else { Stage::Fragment };
    let (source, other) = text.split_once("; ---\n").unwrap_or((text, ""));
    let made = |module: &Module| build(module).unwrap_or_else(|why| panic!("{source}: {why}"));
    let module = load(stage, source);
    let passed_off =
        if other.contains("main") { made(&load(stage, other)) } else { changed(made(&module), other) };
    proved(&module, &passed_off, 1).map_or_else(|told| told.brief(), |_| "right".to_owned())
}

/// Code whose listing has other texts: `old => new`, line by line, and bars between lines of the new one.
fn changed(mut made: Compiled, changes: &str) -> Compiled {
    let text = chiaro_cases::edited(&listing(&made), changes);
    let file = SourceMap::new().add("listing", text.as_str());
    let assembled = asm::assemble(file, &text, asm::Options::default());
    made.file.code = assembled.unwrap_or_else(|errors| panic!("{text}\n{}", errors[0].message)).0.bytes;
    made
}

#[test]
fn wrong_programs_are_refused() {
    chiaro_cases::of_file(env!("CARGO_MANIFEST_DIR"), "tests/verify/wrong.txt", judged);
}

/// Registers are counted in what the shader became and in what runs before it.
#[test]
fn registers_beyond_those_that_are_declared_are_noticed() {
    let body = "uniform vec4 u; in vec4 v; out vec4 o; void main() { o = v * sqrt(u); }";
    let module = load(Stage::Fragment, body);
    let right = build(&module).expect("it compiles");
    let [mut main, mut preamble] = [right.clone(), right];
    (main.file.parts[0].halves, preamble.file.preamble_halves) = (1, 1);
    for wrong in [main, preamble] {
        let told = proved(&module, &wrong, 1).expect_err("registers are not declared").brief();
        assert!(told.contains("registers at"), "{told}");
    }
}

/// Sizes beyond all numbers are told, and stop nothing.
#[test]
fn variables_beyond_all_memory_are_refused() {
    for body in [
        "in int n; void main() { vec4 x[429496729]; x[n] = vec4(1.0); gl_Position = x[n + 1]; }",
        "struct S { vec4 a[268435455]; float b; vec4 c; }; in int n; void main() { S x[3]; x[n].b = 1.0; \
         gl_Position = x[n + 1].c; }",
    ] {
        assert!(build(&load(Stage::Vertex, body)).is_err(), "{body}");
    }
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
fn numbers_without_a_uniform_are_made() {
    // Of 700 numbers of 32 bits no more than 256 have a uniform: those that are read several times.
    let number = |n: u32| n.wrapping_mul(2_654_435_761) | 0x8000_0000;
    let steps: String =
        (0..700).map(|n| format!("x = (x ^ {}u) * 3u + {}u; ", number(n), number(n % 5))).collect();
    let body = format!(
        "in int n; void main() {{ uint x = uint(n); {steps} gl_Position = vec4(float(x & 1023u)); }}"
    );
    let module = load(Stage::Vertex, &body);
    let made = build(&module).unwrap_or_else(|why| panic!("{why}"));
    let bytes: usize = made.file.constants.iter().map(|(_, bytes)| bytes.len()).sum();
    assert!((800..=1024).contains(&bytes), "{bytes} bytes of numbers");
    let often: Vec<u8> = (0..5).flat_map(|n| number(n).to_le_bytes()).collect();
    let is_there = |n: usize| made.file.constants[0].1.chunks(4).any(|word| word == &often[4 * n..][..4]);
    assert!((0..5).all(is_there), "what is read 141 times has a uniform");
    proved(&module, &made, 1).unwrap_or_else(|why| panic!("{why}"));
}

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

/// More textures than there are states: those beyond are read by their descriptors in memory.
#[test]
fn textures_beyond_the_states_are_in_the_heap() {
    let textures: String =
        (0..20).map(|n| format!("layout(set = 0, binding = {n}) uniform texture2D t{n};\n")).collect();
    let sum: Vec<String> = (0..20).map(|n| format!("texture(sampler2D(t{n}, s), v)")).collect();
    let body = format!(
        "{textures}layout(set = 0, binding = 20) uniform sampler s; layout(location = 0) in vec2 v; \
         layout(location = 0) out vec4 o; void main() {{ o = {}; }}",
        sum.join(" + ")
    );
    let module = load_as("#version 450\n", Stage::Fragment, &body);
    let made = build(&module).unwrap_or_else(|why| panic!("{why}"));
    let places: Vec<String> =
        made.file.states.iter().map(chiaro_agx::container::file::State::place).collect();
    assert_eq!([&places[15], &places[16], &places[20]], ["ts15", "heap + 384", "ss1"]);
    assert_eq!((made.file.counts().textures, made.file.heap()), (16, Some(0)));
    proved(&module, &made, 1).unwrap_or_else(|why| panic!("{why}"));
}

/// What does not fit says how much there is.
#[test]
fn limits_are_told() {
    let varyings: String =
        (0..17).map(|n| format!("layout(location = {}) in vec4 a{n}[4];\n", 4 * n)).collect();
    let sum: Vec<String> = (0..17).map(|n| format!("a{n}[0] + a{n}[1] + a{n}[2] + a{n}[3]")).collect();
    let many =
        format!("{varyings}layout(location = 0) out vec4 o; void main() {{ o = {}; }}", sum.join(" + "));
    let samplers: String =
        (0..18).map(|n| format!("layout(binding = {n}) uniform sampler2D t{n};\n")).collect();
    let sampled: Vec<String> = (0..18).map(|n| format!("texture(t{n}, v)")).collect();
    let sampled = format!(
        "{samplers}layout(location = 0) in vec2 v; layout(location = 0) out vec4 o; void main() {{ o = {}; }}",
        sampled.join(" + ")
    );
    for (body, told) in [
        (many, "the varyings take 272 coefficient registers, 254 are there"),
        (sampled, "the samplers take 18 sampler states, 16 are there"),
    ] {
        let module = load_as("#version 450\n", Stage::Fragment, &body);
        assert_eq!(build(&module).err().as_deref(), Some(told));
    }
}

/// Vertices that threads of a grid compute leave what others do: in records of the slots that are written.
#[test]
fn vertices_in_software_leave_the_same() {
    let head = "#version 450\nlayout(location = 0) in vec4 a; layout(location = 1) in vec3 b;\n";
    for body in [
        "layout(location = 0) out vec3 c; void main() { gl_Position = a * 2.0; c = b.zyx; }",
        "layout(location = 3) out vec2 c; layout(location = 1) out float d; void main() {
            gl_Position = a; gl_PointSize = b.x; c = b.yz; d = a.w + float(gl_VertexIndex); }",
        "layout(binding = 0) uniform U { mat4 m; vec2 k; }; layout(location = 0, component = 2) out vec2 c;
            void main() { gl_Position = m * a; c = b.x < 0.0 ? b.xy : k; }",
    ] {
        let module = load_as(head, Stage::Vertex, body);
        for preamble in [true, false] {
            let options = Choices { software: true, preamble, ..Choices::default() };
            let mut cx = Cx { verify: true, ..Cx::default() };
            let made = compile(&mut module.clone(), "main", options, &mut cx).expect("it compiles");
            assert!(listing(&made).contains("device_store") && !listing(&made).contains("st_var"));
            proved(&module, &made, 1).unwrap_or_else(|why| panic!("{body}: {why}\n{}", listing(&made)));
            // Each slot that is written has four words, in ascending order.
            let places: Vec<u16> = made.file.words.iter().map(|words| words.first).collect();
            let wanted: Vec<u16> = (0..places.len() as u16).map(|n| 4 * n).collect();
            assert_eq!(places, wanted);
        }
    }
}

/// A store to another slot is noticed.
#[test]
fn records_elsewhere_are_noticed() {
    let head = "#version 450\nlayout(location = 0) in vec4 a;\n";
    let [one, other] = ["c = a; d = a.yxzw;", "d = a; c = a.yxzw;"].map(|body| {
        let outputs = "layout(location = 0) out vec4 c; layout(location = 1) out vec4 d;";
        load_as(head, Stage::Vertex, &format!("{outputs} void main() {{ gl_Position = a; {body} }}"))
    });
    let options = Choices { software: true, ..Choices::default() };
    let made = compile(&mut other.clone(), "main", options, &mut Cx::default()).expect("it compiles");
    let told = proved(&one, &made, 1).expect_err("the slots are exchanged");
    assert!(matches!(told, Failure::Meaning(_)), "{told}");
}

/// Samples that are tested before the shader runs are not killed by it: what is discarded is in a mask.
#[test]
fn what_is_discarded_behind_early_tests_is_left_out() {
    let head = "#version 450\nlayout(early_fragment_tests) in; layout(location = 0) in vec4 v; layout(location = 0) out vec4 o;\n";
    for body in [
        "void main() { if (v.x < 0.5) discard; o = v; }",
        "void main() { o = v; for (int n = 0; n < 40; n++) { if (v.y * float(n) > 3.0) discard; o.x += v.z; } }",
        "void main() { if (v.x > v.y) { if (v.z < 0.0) discard; o = v.wzyx; } else { o = v; } }",
        "void main() { o = v * 2.0; }",
    ] {
        let module = load_as(head, Stage::Fragment, body);
        let made = build(&module).unwrap_or_else(|why| panic!("{why}"));
        assert!(made.file.parts[0].key.contains("\"already_ran_zs\":1"));
        let compared = proved(&module, &made, 1).unwrap_or_else(|why| panic!("{why}\n{}", listing(&made)));
        assert!(compared.conclusive > 0);
    }
}

/// So many attributes, each of which counts for the position.
fn attributes(count: usize) -> String {
    let inputs: String = (0..count).map(|n| format!("layout(location = {n}) in vec4 a{n};\n")).collect();
    let sum: Vec<String> = (0..count).map(|n| format!("a{n} * {}.0", n + 1)).collect();
    format!("{inputs}out vec4 c; void main() {{ gl_Position = {}; c = a0.wzyx; }}", sum.join(" + "))
}

/// Thirty attributes fill the registers and go to no stack; of more the message says how many there may be.
#[test]
fn attributes_fill_the_registers() {
    let module = load(Stage::Vertex, &attributes(30));
    let made = build(&module).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(made.file.parts[0].scratch, 0, "{}", listing(&made));
    let compared = proved(&module, &made, 1).unwrap_or_else(|why| panic!("{why}"));
    assert!(compared.conclusive > 0);
    for count in [31, 32] {
        let told = build(&load(Stage::Vertex, &attributes(count))).expect_err("no register is left");
        assert_eq!(told, "`a30` is attribute 30, 0 to 29 are allowed");
    }
}

/// Masks of samples are compared as what is left of four samples; words of another mask are wrong.
#[test]
fn masks_of_samples_are_compared() {
    let shader = |early: &str, mask: &str| {
        let body = format!(
            "{early}flat in int n; in vec4 v; out vec4 o; \
             void main() {{ o = v; if (n < 0) discard; gl_SampleMask[0] = {mask}; }}"
        );
        load_as("#version 320 es\nprecision highp float; precision highp int;\n", Stage::Fragment, &body)
    };
    for early in ["", "layout(early_fragment_tests) in; "] {
        let masks = ["n & gl_SampleMaskIn[0]", "-1", "n * 5", "n > 2 ? 0 : 6", "~n", "0"];
        let all = masks.map(|mask| shader(early, mask));
        let made = all.each_ref().map(|module| build(module).unwrap_or_else(|why| panic!("{why}")));
        for (n, module) in all.iter().enumerate() {
            let compared =
                proved(module, &made[n], 1).unwrap_or_else(|why| panic!("{early}{}: {why}", masks[n]));
            assert!(compared.conclusive > 0);
            for (other, made) in made.iter().enumerate().filter(|(other, _)| *other != n) {
                assert!(proved(module, made, 1).is_err(), "{early}{} and {}", masks[n], masks[other]);
            }
        }
    }
}

/// A mask that nobody has written on some way is any there.
#[test]
fn masks_that_are_not_written_are_any() {
    let body = "layout(location = 1) flat in int n; layout(location = 0) in vec4 v; layout(location = 0) out vec4 o; \
                void main() { o = v; if (n > 2) gl_SampleMask[0] = 6; }";
    let module = load_as("#version 450\n", Stage::Fragment, body);
    let made = build(&module).unwrap_or_else(|why| panic!("{why}"));
    let compared = proved(&module, &made, 1).unwrap_or_else(|why| panic!("{why}"));
    assert!(compared.conclusive > 0);
}

/// A texture is needed behind another one, which needs a load: the load is waited for alone, and no wait is more.
#[test]
fn loads_share_both_slots() {
    let head = "#version 320 es\nprecision highp float; precision highp int;\n";
    let body = "layout(std430, binding = 0) readonly buffer B { uint n[]; }; uniform sampler2D s, t; \
                in vec2 uv; flat in int i; out vec4 o; \
                void main() { uint k = n[i]; vec4 b = texture(s, uv); o = b + texture(t, uv * float(k)); }";
    let made = build(&load_as(head, Stage::Fragment, body)).unwrap_or_else(|why| panic!("{why}"));
    let found = chiaro_agx::report::Statistics::of(&made.file.code, 0, None);
    // Loads, stores, textures: on one slot the first wait would be for a texture as well.
    assert_eq!((found.waits, found.cycles.waits), (2, [1, 0, 1]), "{}", listing(&made));
}

/// Clip planes stand by their numbers, whichever of them are written: among varyings, and behind them (spec 27.1).
#[test]
fn a_lone_clip_distance_keeps_its_number() {
    let body =
        "layout(location = 0) in vec4 p; layout(location = 0) out vec3 c; out float gl_ClipDistance[3];
        void main() { gl_Position = p; c = p.xyz; gl_ClipDistance[2] = p.w * 2.0; }";
    let module = load_as("#version 450\n", Stage::Vertex, body);
    let compiled = build(&module).expect("it compiles");
    proved(&module, &compiled, 1).expect("it is right");
    let clip = |placed: &&chiaro_agx::compile::Placed| module.global(placed.variable).name.contains("Clip");
    let places: Vec<_> = compiled.interface.outputs.iter().filter(clip).map(|p| (p.byte, p.place)).collect();
    assert_eq!(places, [(8, Place::Word(9)), (8, Place::Word(12))]);
}
