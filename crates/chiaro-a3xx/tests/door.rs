//! Every instruction of every generation and what is made of every shader, as the door shows them.

#[path = "../../chiaro-target/tests/door/mod.rs"]
mod answers;

use std::path::{Path, PathBuf};

use answers::{drawn, source};
use chiaro_a3xx::A3xx;
use chiaro_cases::Cases;
use chiaro_target::{CompileOptions, Stage};

/// Folders with shaders that the machine can run, most of them.
const SHADERS: [&str; 6] = [
    "tests/shaders/shaders",
    "../chiaro-filetest/tests/listings/shaders",
    "../chiaro-utgard/tests/es",
    "../chiaro-glsl/tests/corpus",
    "../../examples/glsl",
    "tests/vectors/shaders",
];

fn written(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/door").join(name)
}

#[test]
fn instructions_are_as_written_down() {
    let mut cases = Cases::new();
    cases.file(&written("instructions.tsv"), Some(&answers::instructions(&A3xx, &[])));
    cases.finish();
}

#[test]
fn shaders_become_what_is_written_down() {
    let (mut compiled, mut programs) = (String::new(), Vec::new());
    let mut listed = answers::containers();
    for path in SHADERS.iter().flat_map(|folder| answers::files(folder, &["vert", "frag"])) {
        let Some(source) = source::read(&path) else { continue };
        let stage =
            if path.extension().is_some_and(|e| e == "frag") { Stage::Fragment } else { Stage::Vertex };
        let answer = source::compiled(&A3xx, &source, &CompileOptions::default());
        compiled += &format!("{}: {}\n", source.name, source::made(&answer));
        if let Ok(made) = answer {
            let inputs = source::inputs(&A3xx, &made, stage);
            listed += &answers::container(&A3xx, &source.name, &made.container, &inputs);
            programs.push((source.name.clone(), made.container, inputs));
        }
    }
    programs.truncate(20);
    let mut cases = Cases::new();
    cases.file(&written("compiled.txt"), Some(&compiled));
    cases.file(&written("containers.txt"), Some(&listed));
    cases.file(&written("assumptions.txt"), Some(&answers::assumptions(&A3xx, &programs)));
    cases.file(&written("texts.txt"), Some(&answers::listings(&A3xx, &programs)));
    cases.finish();
}

#[test]
fn settings_give_what_is_written_down() {
    let paths = answers::files("../chiaro-filetest/tests/listings/shaders", &["vert"]);
    let sources: Vec<_> = paths.iter().step_by(4).filter_map(|path| source::read(path)).collect();
    let mut cases = Cases::new();
    cases.file(&written("settings.txt"), Some(&source::settings(&A3xx, &sources)));
    cases.finish();
}

#[test]
fn random_programs_are_judged_as_written_down() {
    let mut cases = Cases::new();
    cases.file(&written("random.txt"), Some(&answers::random(&A3xx, &[])));
    cases.finish();
}

#[test]
fn random_shaders_become_what_is_written_down() {
    let mut cases = Cases::new();
    let vertex = drawn::shaders(&A3xx, Stage::Vertex, 0..110);
    cases.file(&written("drawn-vertex.txt"), Some(&vertex));
    let fragment = drawn::shaders(&A3xx, Stage::Fragment, 0..110);
    cases.file(&written("drawn-fragment.txt"), Some(&fragment));
    let compute = drawn::shaders(&A3xx, Stage::Compute, 0..110);
    cases.file(&written("drawn-compute.txt"), Some(&compute));
    cases.finish();
}
