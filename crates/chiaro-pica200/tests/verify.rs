//! Checked compilation refuses wrong programs: `verify/*.txt` hold pairs of sources, of which the second is
//! compiled and passed off as the first. Words without one of their instructions are refused as well.

use std::path::{Path, PathBuf};

use chiaro_cases::Cases;
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options as GlslOptions, Stage};
use chiaro_ir::{Interface, Module};
use chiaro_opt::Cx;
use chiaro_pica200::compile::geometry::Request;
use chiaro_pica200::compile::{Compiled, Options, compile, compile_geometry};
use chiaro_pica200::verify::verify;

/// Moves that make counters zero: so are the simulator's registers, and nobody misses them.
const STARTS: [(&str, u32); 2] =
    [("a loop over an array with a round too few", 0x4e07_f002), ("a search with another end", 0x4e01_0002)];

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
    cases.of_file(&folder().join("geometry.txt"), |text| pair(text, Stage::Geometry));
    cases.finish();
}

#[test]
fn every_instruction_is_needed() {
    let (mut accepted, mut tried) = (Vec::new(), 0);
    let text = std::fs::read_to_string(folder().join("vertex.txt")).expect("cases");
    for case in text.split("; test ").skip(1) {
        let (name, rest) = case.split_once('\n').expect("a name");
        let (meant, _) = sources(rest.split("; --- expect").next().expect("a source"));
        let source = read(meant, Stage::Vertex);
        let made = compiled(&source, Stage::Vertex);
        if judged(&source.0, &made) != "right" {
            continue;
        }
        for at in 0..made.shbin.program.code.len() {
            let mut damaged = made.clone();
            let old = std::mem::replace(&mut damaged.shbin.program.code[at], NOP);
            tried += usize::from(old != NOP);
            let verdict = judged(&source.0, &damaged);
            if old != NOP
                && !STARTS.contains(&(name, old))
                && (verdict == "right" || verdict.starts_with("not proved"))
            {
                accepted.push(format!("{name}: without word {at}, {old:08x}: {verdict}"));
            }
        }
    }
    assert!(accepted.is_empty() && tried > 50, "{tried} tried:\n{}", accepted.join("\n"));
}
