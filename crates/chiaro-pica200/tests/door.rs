//! Every instruction, what is made of every shader and what is said of every file, as the door shows them.

#[path = "../../chiaro-target/tests/door/mod.rs"]
mod answers;

use std::path::{Path, PathBuf};

use answers::{drawn, source};
use chiaro_cases::{Cases, head};
use chiaro_isa::Rng;
use chiaro_pica200::Pica200;
use chiaro_target::{Attributes, CompileOptions, Inputs, LiftOptions, Stage, Target, Work};

use crate::samples;

/// Folders with shaders that the machine can run, most of them.
const SHADERS: [&str; 4] = [
    "tests/geometry",
    "../chiaro-utgard/tests/es",
    "../chiaro-filetest/tests/listings/shaders",
    "../chiaro-utgard/tests/vectors/compile/shaders",
];

fn written(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/door").join(name)
}

/// Random values for all registers that a program may read.
fn registers() -> Inputs {
    let mut rng = Rng(2);
    let columns = (0..16).map(|n| (format!("v{n}"), (0..3).map(|_| answers::list(4, &mut rng)).collect()));
    let work = Work::Vertices(Attributes { count: 3, columns: columns.collect() });
    let mut rng = Rng(3);
    let resources = (0..96).map(|n| (format!("c{n}"), answers::list(4, &mut rng)));
    Inputs { resources: resources.collect(), work }
}

#[test]
fn instructions_are_as_written_down() {
    let mut cases = Cases::new();
    cases.file(&written("instructions.tsv"), Some(&answers::instructions(&Pica200, &[])));
    cases.finish();
}

#[test]
fn files_of_others_are_as_written_down() {
    let mut listed = answers::containers();
    let mut programs = Vec::new();
    for (name, tool, bytes) in samples::samples() {
        listed += &answers::container(&Pica200, &format!("{tool} {name}"), &bytes, &registers());
        programs.push((name, bytes, registers()));
    }
    let mut cases = Cases::new();
    cases.file(&written("files.txt"), Some(&listed));
    cases.file(&written("assumptions.txt"), Some(&answers::assumptions(&Pica200, &programs)));
    cases.file(&written("texts.txt"), Some(&answers::listings(&Pica200, &programs)));
    cases.finish();
}

#[test]
fn texts_of_others_become_what_is_written_down() {
    let mut out = String::new();
    for path in answers::files("tests/vectors/programs", &["pica"]) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        out += &answers::assembled(&Pica200, &name, &std::fs::read_to_string(&path).expect("a text"));
    }
    for row in include_str!("vectors/nihcode.jsonl").lines().filter(|line| line.starts_with('{')) {
        let row: serde_json::Value = serde_json::from_str(row).expect("JSON");
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        out += &answers::assembled(&Pica200, &format!("{}.nih", text("name")), &text("src"));
    }
    let mut cases = Cases::new();
    cases.file(&written("sources.txt"), Some(&out));
    cases.finish();
}

#[test]
fn shaders_become_what_is_written_down() {
    let mut compiled = String::new();
    let mut listed = answers::containers();
    for path in SHADERS.iter().flat_map(|folder| answers::files(folder, &["vert", "geom"])) {
        let Some(source) = source::read(&path) else { continue };
        // Effort 2 leaves out each step in turn.
        let efforts = if path.to_string_lossy().contains("listings") { 0..3 } else { 0..2 };
        for effort in efforts {
            let options = CompileOptions { effort: Some(effort), ..CompileOptions::default() };
            let answer = source::compiled(&Pica200, &source, &options);
            compiled += &format!("{} {effort}: {}\n", source.name, source::made(&answer));
            if let (0, Ok(made)) = (effort, answer) {
                let inputs = source::inputs(&Pica200, &made, Stage::Vertex);
                listed += &answers::container(&Pica200, &source.name, &made.container, &inputs);
            }
        }
    }
    let mut cases = Cases::new();
    cases.file(&written("compiled.txt"), Some(&compiled));
    cases.file(&written("containers.txt"), Some(&listed));
    cases.finish();
}

/// A number for the shader that a program is lifted to: exactly, as a person would write it, as a kernel.
fn lifted(bytes: &[u8]) -> String {
    let of = |(plain, compute, mode): (bool, bool, &str)| {
        let mode = Some(mode.to_owned()).filter(|mode| !mode.is_empty());
        let answer = Pica200.lift(bytes, &LiftOptions { plain, compute, mode, ..LiftOptions::default() });
        answers::kept(&answer.map(|made| {
            let text = chiaro_ir::print(&made.module);
            format!("{text} {:?} {:?} {:?}", made.names, made.params, made.remarks)
        }))
    };
    let modes = Pica200.about().modes;
    let last = modes.last().map_or("", |(mode, _)| *mode);
    [(false, false, ""), (true, false, ""), (true, true, ""), (false, true, last)].map(of).join(" ")
}

#[test]
fn programs_are_lifted_to_what_is_written_down() {
    let mut out = head("program: exactly, plain, as a kernel, as a kernel with other numbers");
    for (name, tool, bytes) in samples::samples() {
        out += &format!("{tool} {name}: {}\n", lifted(&bytes));
    }
    for path in SHADERS.iter().flat_map(|folder| answers::files(folder, &["vert", "geom"])) {
        let Some(source) = source::read(&path) else { continue };
        let options = CompileOptions { effort: Some(0), ..CompileOptions::default() };
        if let Ok(made) = source::compiled(&Pica200, &source, &options) {
            out += &format!("{}: {}\n", source.name, lifted(&made.container));
        }
    }
    let mut cases = Cases::new();
    cases.file(&written("lifted.txt"), Some(&out));
    cases.finish();
}

#[test]
fn settings_give_what_is_written_down() {
    let paths = answers::files("../chiaro-filetest/tests/listings/shaders", &["vert"]);
    let sources: Vec<_> = paths.iter().step_by(4).filter_map(|path| source::read(path)).collect();
    let mut cases = Cases::new();
    cases.file(&written("settings.txt"), Some(&source::settings(&Pica200, &sources)));
    cases.finish();
}

#[test]
fn random_programs_are_judged_as_written_down() {
    let mut cases = Cases::new();
    cases.file(&written("random.txt"), Some(&answers::random(&Pica200, &[])));
    cases.finish();
}

#[test]
fn random_shaders_become_what_is_written_down() {
    let mut cases = Cases::new();
    let vertex = drawn::shaders(&Pica200, Stage::Vertex, 0..140);
    cases.file(&written("drawn-vertex.txt"), Some(&vertex));
    cases.finish();
}
