//! Every instruction, and what is said of every file, as the door shows them.

#[path = "../../chiaro-target/tests/door/mod.rs"]
mod answers;

use std::path::{Path, PathBuf};

use answers::{drawn, source};
use chiaro_cases::Cases;
use chiaro_cases::kernels::{KERNELS, kernel};
use chiaro_glsl::source::Stage as GlslStage;
use chiaro_rdna::Rdna;
use chiaro_target::timeline::Timeline;
use chiaro_target::{CompileOptions, Inputs, SimulateOptions, Stage, Target, Work};

use crate::common::{bytes, json_rows};

/// Names and values.
type Settings = &'static [(&'static str, &'static str)];

/// What shaders are compiled with, and the table that says what they become.
const CHOICES: [(&str, Settings, Option<u32>); 4] = [
    ("compiled-32.txt", &[("wave", "32")], None),
    ("compiled-64.txt", &[("wave", "64")], None),
    ("compiled-hsa.txt", &[("abi", "hsa")], None),
    ("compiled-effort-0.txt", &[], Some(0)),
];

fn written(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/door").join(name)
}

/// The code of a row: eight digits a word, the highest first.
fn code(row: &serde_json::Value) -> Vec<u8> {
    let words = bytes(row["words"].as_str().expect("words"));
    words.chunks(4).flat_map(|word| word.iter().rev().copied().collect::<Vec<u8>>()).collect()
}

fn options(choices: Settings, effort: Option<u32>) -> CompileOptions {
    let settings = choices.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    CompileOptions { settings, effort, ..CompileOptions::default() }
}

fn waves(lanes: u8) -> Vec<(String, String)> {
    vec![("wave".to_owned(), lanes.to_string())]
}

#[test]
fn instructions_are_as_written_down() {
    let mut cases = Cases::new();
    for lanes in [32, 64] {
        let table = answers::instructions(&Rdna, &waves(lanes));
        cases.file(&written(&format!("instructions-{lanes}.tsv")), Some(&table));
    }
    cases.finish();
}

#[test]
fn files_of_others_are_as_written_down() {
    let inputs = Inputs { resources: Vec::new(), work: Work::Dispatch([2, 1, 1]) };
    let (mut listed, mut programs) = (answers::containers(), Vec::new());
    let mut add = |name: &str, bytes: Vec<u8>| {
        listed += &answers::container(&Rdna, name, &bytes, &inputs);
        programs.push((name.to_owned(), bytes, inputs.clone()));
    };
    for row in json_rows("code_objects.jsonl") {
        let text = |key: &str| row[key].as_str().expect("a text").to_owned();
        add(&format!("{} obj", text("name")), bytes(&text("obj")));
        add(&format!("{} linked", text("name")), bytes(&text("linked")));
    }
    for row in json_rows("aco_words.jsonl").iter().chain(&json_rows("aco_words_mesa22.jsonl")) {
        add(&format!("{} {}", row["name"], row["wave"]), code(row));
    }
    let mut texts = String::new();
    for row in json_rows("code_objects.jsonl").iter().chain(&json_rows("programs.jsonl")) {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        texts += &answers::assembled(&Rdna, &format!("{}.s", text("name")), &text("asm"));
    }
    let mut cases = Cases::new();
    cases.file(&written("sources.txt"), Some(&texts));
    cases.file(&written("files.txt"), Some(&listed));
    cases.file(&written("assumptions.txt"), Some(&answers::assumptions(&Rdna, &programs)));
    cases.file(&written("settings.txt"), Some(&answers::settings(&Rdna, &programs)));
    cases.file(&written("texts.txt"), Some(&answers::listings(&Rdna, &programs)));
    cases.finish();
}

#[test]
fn shaders_become_what_is_written_down() {
    let paths = answers::files("tests/vectors/shaders", &["comp"]);
    let sources: Vec<_> = paths.iter().filter_map(|path| source::read(path)).collect();
    let (mut cases, mut listed, mut programs) = (Cases::new(), answers::containers(), Vec::new());
    for (name, choices, effort) in CHOICES {
        let options = options(choices, effort);
        let mut text = String::new();
        for source in &sources {
            let answer = source::compiled(&Rdna, source, &options);
            text += &format!("{}: {}\n", source.name, source::made(&answer));
            let Some(made) = answer.ok().filter(|_| effort.is_none()) else { continue };
            let inputs = source::inputs(&Rdna, &made, Stage::Compute);
            listed +=
                &answers::container(&Rdna, &format!("{name} {}", source.name), &made.container, &inputs);
            programs.push((source.name.clone(), made.container, inputs));
        }
        cases.file(&written(name), Some(&text));
    }
    cases.file(&written("containers.txt"), Some(&listed));
    cases.file(&written("own-texts.txt"), Some(&answers::listings(&Rdna, &programs)));
    cases.finish();
}

/// Kernels that try what compilers do in ways of their own, and those that applications have.
#[test]
fn kernels_become_what_is_written_down() {
    let texts = KERNELS.iter().map(|(name, body)| ((*name).to_owned(), kernel(body)));
    let folders = ["tests/workloads", "../../examples/rdna", "../../examples/rdna/calls"];
    let files = folders.iter().flat_map(|folder| answers::files(folder, &["comp"]));
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a kernel"))
    };
    let of = |(name, text): (String, String)| source::of_text(&name, GlslStage::Compute, &text);
    let sources: Vec<_> = texts.chain(files.map(read)).filter_map(of).collect();
    let (mut compiled, mut listed) = (String::new(), answers::containers());
    for source in &sources {
        for (n, (_, choices, effort)) in CHOICES.into_iter().enumerate() {
            let answer = source::compiled(&Rdna, source, &options(choices, effort));
            compiled += &format!("{} {n}: {}\n", source.name, source::made(&answer));
            // Those of applications take too many steps to be told.
            let is_short = KERNELS.iter().any(|(name, _)| *name == source.name);
            if let (0, true, Ok(made)) = (n, is_short, answer) {
                let inputs = source::inputs(&Rdna, &made, Stage::Compute);
                listed += &answers::container(&Rdna, &source.name, &made.container, &inputs);
            }
        }
    }
    let mut cases = Cases::new();
    cases.file(&written("kernels.txt"), Some(&compiled));
    cases.file(&written("kernels-containers.txt"), Some(&listed));
    cases.file(&written("kernels-settings.txt"), Some(&source::settings(&Rdna, &sources[..8])));
    cases.finish();
}

#[test]
fn random_programs_are_judged_as_written_down() {
    let mut cases = Cases::new();
    cases.file(&written("random.txt"), Some(&answers::random(&Rdna, &waves(32))));
    cases.file(&written("random-64.txt"), Some(&answers::random(&Rdna, &waves(64))));
    cases.finish();
}

/// What a launch may have at most, and one more of it.
#[test]
fn launches_have_borders() {
    let end = [0, 0, 0x81, 0xbf];
    let inputs = Inputs { resources: Vec::new(), work: Work::Dispatch([1; 3]) };
    let runs = |name: &str, value: &str| {
        let assumptions = vec![(name.to_owned(), value.to_owned())];
        Rdna.simulate(&end, &inputs, &SimulateOptions { assumptions, ..Default::default() }).is_ok()
    };
    for (name, most, beyond) in [
        ("lds", "65536", "65537"),
        ("local-size", "1024", "1025"),
        ("local-size", "16,8,8", "16,8,9"),
        ("local-size", "1,1,1", "1,0,1"),
        ("local-size", "1", "1,1,1,1"),
        ("wave", "64", "16"),
    ] {
        assert!(runs(name, most) && !runs(name, beyond), "{name}: {most}, {beyond}");
    }
    let groups = |n| Inputs { resources: Vec::new(), work: Work::Dispatch([n, 1024, 1]) };
    assert!(
        Rdna.simulate(&end, &groups(1025), &SimulateOptions::default()).is_err(),
        "more than 2^20 groups"
    );
}

/// What the target says of the error of its cycles.
#[test]
fn straight_code_takes_what_acos_model_says() {
    let rows = json_rows("aco_words.jsonl");
    let straight: Vec<_> = rows.iter().filter(|row| row["stats"]["Branches"] == 0).collect();
    assert!(!straight.is_empty());
    for row in straight {
        let (lanes, words) =
            (row["wave"].as_u64().expect("a wave"), row["code_words"].as_u64().expect("a number"));
        let anatomy = Rdna.anatomy(&code(row)[..4 * words as usize], &waves(lanes as u8)).expect("code");
        let cycles = Timeline::of(&anatomy, 1).cycles;
        assert_eq!(row["stats"]["Latency"], cycles, "{} in waves of {lanes}", row["name"]);
    }
}

#[test]
fn random_shaders_become_what_is_written_down() {
    let mut cases = Cases::new();
    let compute = drawn::shaders(&Rdna, Stage::Compute, 0..160);
    cases.file(&written("drawn-compute.txt"), Some(&compute));
    cases.finish();
}
