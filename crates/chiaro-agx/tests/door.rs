//! Every instruction and what is made of every shader of the corpus, as the door shows them.

#[path = "../../chiaro-target/tests/door/mod.rs"]
mod answers;

use std::path::{Path, PathBuf};

use answers::drawn;
use answers::source::{self, Source};
use chiaro_agx::Agx;
use chiaro_cases::Cases;
use chiaro_glsl::source::Stage;
use chiaro_target::{CompileOptions, Inputs, Work};

/// What shaders are compiled with, and the table that says what they become.
const CHOICES: [(&str, &[(&str, &str)]); 4] = [
    ("compiled.txt", &[]),
    ("preamble-off.txt", &[("preamble", "off")]),
    ("software.txt", &[("vertex", "software")]),
    ("kernel.txt", &[("container", "kernel")]),
];

fn written(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/door").join(name)
}

/// Folders with shaders of this repository that are looked at as well.
const SHADERS: [&str; 5] = [
    "../../examples/agx",
    "../../examples/glsl",
    "tests/door/shaders",
    "../chiaro-a3xx/tests/shaders/shaders",
    "../chiaro-glsl/tests/corpus",
];

/// The shaders of the corpus with their stages, by the names of its rows, and those of this repository.
fn corpus() -> Vec<(Stage, Source)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/corpus_src.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus");
    let rows = text.lines().filter(|line| line.starts_with('{'));
    let rows = rows.map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a row"));
    let stages = [("vert", Stage::Vertex), ("frag", Stage::Fragment), ("comp", Stage::Compute)];
    let of = |row: serde_json::Value| {
        stages.iter().filter_map(move |&(key, stage)| {
            let name = format!("{}.{key}", row["name"].as_str()?);
            Some((stage, source::of_text(&name, stage, row[key].as_str()?)?))
        })
    };
    let own = SHADERS.iter().flat_map(|folder| answers::files(folder, &["vert", "frag", "comp"]));
    let own = own.filter_map(|path| {
        let ending = path.extension()?.to_str()?.to_owned();
        let (_, stage) = *stages.iter().find(|(key, _)| *key == ending)?;
        Some((stage, source::read(&path)?))
    });
    rows.flat_map(|row| of(row).collect::<Vec<_>>()).chain(own).collect()
}

fn stage_of(stage: Stage) -> chiaro_target::Stage {
    match stage {
        Stage::Fragment => chiaro_target::Stage::Fragment,
        Stage::Compute => chiaro_target::Stage::Compute,
        _ => chiaro_target::Stage::Vertex,
    }
}

#[test]
fn instructions_are_as_written_down() {
    let mut cases = Cases::new();
    for generation in ["g13", "g14"] {
        let settings = vec![("generation".to_owned(), generation.to_owned())];
        let table = answers::instructions(&Agx, &settings);
        cases.file(&written(&format!("instructions-{generation}.tsv")), Some(&table));
    }
    cases.finish();
}

#[test]
fn shaders_become_what_is_written_down() {
    let corpus = corpus();
    let mut cases = Cases::new();
    for (name, choices) in CHOICES {
        let settings =
            choices.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let options = CompileOptions { settings, ..CompileOptions::default() };
        let of = |(_, source): &(Stage, Source)| {
            format!("{}: {}\n", source.name, source::made(&source::compiled(&Agx, source, &options)))
        };
        cases.file(&written(name), Some(&corpus.iter().map(of).collect::<String>()));
    }
    cases.finish();
}

#[test]
fn programs_are_as_written_down() {
    let (mut listed, mut programs) = (answers::containers(), Vec::new());
    for (stage, source) in &corpus() {
        let Ok(made) = source::compiled(&Agx, source, &CompileOptions::default()) else { continue };
        let inputs = source::inputs(&Agx, &made, stage_of(*stage));
        listed += &answers::container(&Agx, &source.name, &made.container, &inputs);
        programs.push((source.name.clone(), made.container, inputs));
    }
    let mut cases = Cases::new();
    cases.file(&written("containers.txt"), Some(&listed));
    cases.file(&written("assumptions.txt"), Some(&answers::assumptions(&Agx, &programs)));
    cases.file(&written("settings.txt"), Some(&answers::settings(&Agx, &programs)));
    cases.file(&written("texts.txt"), Some(&answers::listings(&Agx, &programs)));
    cases.finish();
}

#[test]
fn random_programs_are_judged_as_written_down() {
    let mut cases = Cases::new();
    cases.file(&written("random.txt"), Some(&answers::random(&Agx, &[])));
    cases.finish();
}

/// A dispatch and vertices without what they read: the messages.
#[test]
fn what_is_missing_is_told_as_written_down() {
    let mut told = String::new();
    for (_, source) in &corpus() {
        let Ok(made) = source::compiled(&Agx, source, &CompileOptions::default()) else { continue };
        for work in [Work::Dispatch([1, 1, 1]), Work::Vertices(Default::default())] {
            let inputs = Inputs { resources: Vec::new(), work };
            told += &answers::container(&Agx, &source.name, &made.container, &inputs);
        }
    }
    let mut cases = Cases::new();
    cases.file(&written("missing.txt"), Some(&told));
    cases.finish();
}

#[test]
fn random_shaders_become_what_is_written_down() {
    let mut cases = Cases::new();
    let vertex = drawn::shaders(&Agx, chiaro_target::Stage::Vertex, 0..90);
    cases.file(&written("drawn-vertex.txt"), Some(&vertex));
    let fragment = drawn::shaders(&Agx, chiaro_target::Stage::Fragment, 0..90);
    cases.file(&written("drawn-fragment.txt"), Some(&fragment));
    let compute = drawn::shaders(&Agx, chiaro_target::Stage::Compute, 0..90);
    cases.file(&written("drawn-compute.txt"), Some(&compute));
    cases.finish();
}
