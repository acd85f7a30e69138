//! Every instruction and what is made of every shader, as the door shows them.

#[path = "../../chiaro-target/tests/door/mod.rs"]
mod answers;

use std::path::{Path, PathBuf};

use answers::{drawn, source};
use chiaro_cases::Cases;
use chiaro_target::{CompileOptions, Stage};
use chiaro_utgard::UtgardGp;

/// Folders with shaders that the machine can run, most of them.
const SHADERS: [&str; 3] =
    ["tests/es", "tests/vectors/compile/shaders", "../chiaro-filetest/tests/listings/shaders"];

fn written(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/door").join(name)
}

#[test]
fn instructions_are_as_written_down() {
    let mut cases = Cases::new();
    cases.file(&written("instructions.tsv"), Some(&answers::instructions(&UtgardGp, &[])));
    cases.finish();
}

#[test]
fn shaders_become_what_is_written_down() {
    let (mut compiled, mut programs) = (String::new(), Vec::new());
    let mut listed = answers::containers();
    for path in SHADERS.iter().flat_map(|folder| answers::files(folder, &["vert"])) {
        let Some(source) = source::read(&path) else { continue };
        for effort in 0..2 {
            let options = CompileOptions { effort: Some(effort), ..CompileOptions::default() };
            let answer = source::compiled(&UtgardGp, &source, &options);
            compiled += &format!("{} {effort}: {}\n", source.name, source::made(&answer));
            if let (0, Ok(made)) = (effort, answer) {
                let inputs = source::inputs(&UtgardGp, &made, Stage::Vertex);
                listed += &answers::container(&UtgardGp, &source.name, &made.container, &inputs);
                programs.push((source.name.clone(), made.container, inputs));
            }
        }
    }
    let mut cases = Cases::new();
    cases.file(&written("compiled.txt"), Some(&compiled));
    cases.file(&written("containers.txt"), Some(&listed));
    cases.file(&written("assumptions.txt"), Some(&answers::assumptions(&UtgardGp, &programs)));
    cases.file(&written("texts.txt"), Some(&answers::listings(&UtgardGp, &programs)));
    cases.finish();
}

#[test]
fn settings_give_what_is_written_down() {
    let paths = answers::files("../chiaro-filetest/tests/listings/shaders", &["vert"]);
    let sources: Vec<_> = paths.iter().step_by(4).filter_map(|path| source::read(path)).collect();
    let mut cases = Cases::new();
    cases.file(&written("settings.txt"), Some(&source::settings(&UtgardGp, &sources)));
    cases.finish();
}

#[test]
fn random_programs_are_judged_as_written_down() {
    let mut cases = Cases::new();
    cases.file(&written("random.txt"), Some(&answers::random(&UtgardGp, &[])));
    cases.finish();
}

#[test]
fn random_shaders_become_what_is_written_down() {
    let mut cases = Cases::new();
    let vertex = drawn::shaders(&UtgardGp, Stage::Vertex, 0..160);
    cases.file(&written("drawn-vertex.txt"), Some(&vertex));
    cases.finish();
}
