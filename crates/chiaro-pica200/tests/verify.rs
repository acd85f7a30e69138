//! Checked compilation refuses wrong programs: `verify/*.txt` hold pairs of sources, of which the second is
//! compiled and passed off as the first. Words without one of their instructions are refused as well.

use std::path::{Path, PathBuf};

use chiaro_cases::Cases;
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options as GlslOptions, Stage};
use chiaro_ir::{GlobalRef, Inst, Interface, Module, Op, Walk};
use chiaro_opt::Cx;
use chiaro_pica200::compile::geometry::Request;
use chiaro_pica200::compile::{Compiled, Options, compile, compile_geometry};
use chiaro_pica200::container::{Uniform, UniformRegister};
use chiaro_pica200::machine::Mode;
use chiaro_pica200::verify::{Numbers, Sample, Words, run_words, verify};
use chiaro_target::proof::Subject;

/// NOP.
const NOP: u32 = 0x8400_0000;
/// Vertices that each program runs on.
const VERTICES: usize = 64;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verify")
}

fn read(text: &str, stage: Stage) -> (Module, Interface) {
    let mut sources = SourceMap::new();
    let file = sources.add("shader", text);
    let (module, found) =
        chiaro_glsl::compile(file, &mut sources, &GlslOptions::new(stage), &mut |_, _, _| None);
    let module = module.unwrap_or_else(|| panic!("{found:?}\n{text}"));
    let reading =
        chiaro_spirv::read_module(&module, &Default::default(), &mut sources).expect("it can be read");
    (reading.module, reading.interface)
}

fn compiled((module, interface): &(Module, Interface), stage: Stage) -> Compiled {
    let (options, mut cx) = (Options::default(), Cx::default());
    let made = match stage {
        Stage::Geometry => compile_geometry(
            module,
            interface,
            "main",
            &options,
            &Request { feed: None, wish: None },
            &mut cx,
        ),
        _ => compile(module, interface, "main", &options, &mut cx),
    };
    made.unwrap_or_else(|error| panic!("{}", error.message))
}

fn judged(source: &Module, made: &Compiled) -> String {
    match verify(source, made, VERTICES, 1) {
        Ok(_) => "right".into(),
        Err(failure) => failure.brief(),
    }
}

fn sources(text: &str) -> (&str, &str) {
    text.split_once("; ---\n").unwrap_or((text, text))
}

/// The first source against the program of the second.
fn pair(text: &str, stage: Stage) -> String {
    let (meant, made) = sources(text);
    judged(&read(meant, stage).0, &compiled(&read(made, stage), stage))
}

#[test]
fn programs_of_other_sources_are_refused() {
    let mut cases = Cases::new();
    cases.of_file(&folder().join("vertex.txt"), |text| pair(text, Stage::Vertex));
    cases.of_file(&folder().join("right.txt"), |text| pair(text, Stage::Vertex));
    cases.of_file(&folder().join("geometry.txt"), |text| pair(text, Stage::Geometry));
    cases.finish();
}

#[test]
fn every_instruction_is_needed() {
    let (mut accepted, mut tried) = (Vec::new(), 0);
    let text = std::fs::read_to_string(folder().join("vertex.txt")).expect("cases");
    for case in text.split("; test ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (meant, made) = sources(rest.split("; --- expect").next().expect("a source"));
        let source = read(meant, Stage::Vertex);
        let made = compiled(&read(made, Stage::Vertex), Stage::Vertex);
        if judged(&source.0, &made) != "right" {
            continue;
        }
        for at in 0..made.shbin.program.code.len() {
            let mut damaged = made.clone();
            let old = std::mem::replace(&mut damaged.shbin.program.code[at], NOP);
            tried += usize::from(old != NOP);
            let verdict = judged(&source.0, &damaged);
            if old != NOP && (verdict == "right" || verdict.starts_with("not proved")) {
                accepted.push(format!("{name}: without word {at}, {old:08x}: {verdict}"));
            }
        }
    }
    assert!(accepted.is_empty() && tried > 50, "{tried} tried:\n{}", accepted.join("\n"));
}

/// The register of a uniform, in a shader with a loop or a branch.
fn register(declared: &str, name: &str, body: &str) -> UniformRegister {
    let text = format!(
        "#version 300 es\nuniform vec4 list[8]; {declared} in vec4 a; out vec4 s;\n\
         void main() {{ gl_Position = a; vec4 c = a; {body} s = c; }}"
    );
    let source = read(&text, Stage::Vertex);
    let made = compiled(&source, Stage::Vertex);
    assert_eq!(judged(&source.0, &made), "right", "{text}");
    let executable = &made.shbin.executables[0];
    let found = executable.named_uniforms().find(|(known, _)| *known == name);
    found.and_then(|(_, entry)| entry.registers()).expect("it has a register").0
}

#[test]
fn integer_registers_are_what_loops_alone_read() {
    let of = |body: &str| register("uniform ivec4 n;", "n", body);
    let first = UniformRegister::Int(0);
    assert_eq!(of("for (int k = 0, at = n.y; k <= n.x; ++k, at += n.z) c += list[at];"), first);
    assert_eq!(of("for (int k = 0; k <= n.x; ++k) c += a;"), first);
    assert_eq!(of("for (int k = 0; k <= n.x; ++k) for (int j = 0; j <= n.x; ++j) c += a;"), first);
    // One round less, another start, a component that something else reads, an index that is a number, too.
    let others = [
        "for (int k = 0; k < n.x; ++k) c += a;",
        "for (int k = 1; k <= n.x; ++k) c += a;",
        "for (int k = 0; k <= n.y; ++k) c += a;",
        "for (int k = 0; k <= n.x; ++k) c += a; c *= float(n.w);",
        "for (int k = 0, at = n.y; k <= n.x; ++k, at += n.z) c += list[at] * float(at);",
    ];
    for body in others {
        assert!(matches!(of(body), UniformRegister::Float(_)), "{body}");
    }
}

#[test]
fn integers_of_blocks_that_are_tested_alone_are_flags() {
    let of = |body: &str| register("layout(std140) uniform B { vec4 tint; uint lit; };", "lit", body);
    assert_eq!(of("if (lit != 0u) c += tint;"), UniformRegister::Bool(0));
    assert_eq!(of("if (lit == 0u) c += tint;"), UniformRegister::Bool(0));
    for body in ["if (lit == 2u) c += tint;", "if (lit != 0u) c += tint * float(lit);"] {
        assert!(matches!(of(body), UniformRegister::Float(_)), "{body}");
    }
    // Outside of blocks languages have bools.
    let loose = register("uniform int lit;", "lit", "if (lit != 0) c += a;");
    assert!(matches!(loose, UniformRegister::Float(_)));
}

/// The source of the first case of a file, of which a right program is made.
fn right_source(file: &str, stage: Stage) -> (Module, Interface) {
    let text = std::fs::read_to_string(folder().join(file)).expect("cases");
    let (_, first) = text.split_once("; test a right program\n").expect("a right program");
    read(first.split("; --- expect").next().expect("a source"), stage)
}

/// A primitive proves nothing if its source does not end; what stops the source otherwise is told as a fault of its own.
#[test]
fn faults_of_geometry_sources_are_told() {
    let source = right_source("geometry.txt", Stage::Geometry);
    let made = compiled(&source, Stage::Geometry);
    let with = |op: Op| {
        let mut other = source.0.clone();
        let f = other.entries[0].function;
        let ends: Vec<Inst> =
            Walk::insts(other.function(f)).filter(|&inst| other.function(f).op(inst) == Op::Return).collect();
        ends.into_iter().for_each(|inst| other.function_mut(f).inst_mut(inst).op = op);
        judged(&other, &made)
    };
    assert_eq!(with(Op::Return), "right");
    let told = with(Op::Unreachable);
    assert!(told.contains("code is reached that says it never is"), "{told}");
}

/// Files that break a rule are refused for the rule, whatever their words compute, and can be read.
#[test]
fn files_that_break_a_rule_are_refused() {
    for (file, stage) in [("vertex.txt", Stage::Vertex), ("geometry.txt", Stage::Geometry)] {
        let source = right_source(file, stage);
        let mut made = compiled(&source, stage);
        assert_eq!(judged(&source.0, &made), "right");
        let listing = Words::new(&source.0, &made).expect("an entry point").listing();
        assert!(listing.contains("end"), "{listing}");
        let unnamed = Uniform { name: 0xffff, first: 0x10, last: 0x10 };
        made.shbin.executables[0].uniforms.push(unnamed);
        let refused = judged(&source.0, &made);
        assert!(refused.contains("a uniform has its name at 0xffff"), "{refused}");
    }
}

/// LOOP counts 256 rounds; words that stop are told.
#[test]
fn loops_run_as_often_as_their_registers_can_count() {
    let text = "#version 300 es\nuniform int n; in vec4 a; out vec4 s;\n\
                void main() { gl_Position = a; vec4 c = a; for (int k = 0; k <= n; ++k) c += a; s = c; }";
    let source = read(text, Stage::Vertex);
    let mut made = compiled(&source, Stage::Vertex);
    let module = made.module.clone();
    let global = (0..).map(GlobalRef).find(|&g| module.global(g).name == "n").expect("the uniform");
    let ran = |made: &Compiled, n: i32| {
        let mut sample = Sample::new(&module, &module.entries[0], 4, Numbers::new(1, |x| x));
        sample.uniforms.insert(global, n.to_le_bytes().to_vec());
        run_words(made, &sample, Mode::Hw24, 0).map(|_| ())
    };
    let too_often = Err("a loop is to run more than 256 times, which LOOP cannot count".to_owned());
    assert_eq!(
        [-1, 0, 255, 256, 0x100_0000].map(|n| ran(&made, n)),
        [Ok(()), Ok(()), Ok(()), too_often.clone(), too_often]
    );
    // An opcode that nobody knows.
    made.shbin.program.code[0] = 0x4000_0000;
    assert!(ran(&made, 0).is_err(), "it stops");
}

/// What an attribute lacks is 0, and 1 in the last place.
#[test]
fn short_attributes_are_filled_up() {
    let text = "#version 300 es\nin vec4 a; out vec4 s; void main() { gl_Position = a; s = a; }";
    let source = read(text, Stage::Vertex);
    let made = compiled(&source, Stage::Vertex);
    let global =
        |name: &str| (0..).map(GlobalRef).find(|&g| made.module.global(g).name == name).expect("it is there");
    let filled = |numbers: &[f32]| {
        let mut sample = Sample::new(&made.module, &made.module.entries[0], 1, Numbers::new(1, |x| x));
        let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        sample.attributes.insert(global("a"), vec![bytes]);
        run_words(&made, &sample, Mode::Hw24, 0)
            .expect("it runs")
            .output(0, global("s"), &[])
            .expect("an output")
    };
    assert_eq!(filled(&[5.0, 6.0, 7.0, 8.0]), [5.0, 6.0, 7.0, 8.0]);
    assert_eq!(filled(&[5.0, 6.0]), [5.0, 6.0, 0.0, 1.0]);
    assert_eq!(filled(&[]), [0.0, 0.0, 0.0, 1.0]);
}
