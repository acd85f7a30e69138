//! A ray-tracing pipeline of six stages, from files of SPIR-V to a file with all of them linked: `chiaro pipeline` without
//! the start of the process.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    divan::main();
}

const STAGES: [(&str, &str); 6] = [
    ("camera", "../camera.rgen"),
    ("sky", "../sky.rmiss"),
    ("hit", "hit.rchit"),
    ("checks", "checks.rcall"),
    ("rings", "rings.rcall"),
    ("both", "both.rcall"),
];

const PIPELINE: &str = r#"{
  "stages": {
    "camera": "camera.spv", "sky": "sky.spv", "hit": "hit.spv",
    "checks": "checks.spv", "rings": "rings.spv", "both": "both.spv"
  },
  "groups": { "wall": { "closest_hit": "hit" } },
  "table": { "raygen": "camera", "miss": ["sky"], "hit": ["wall"], "callable": ["checks", "rings", "both"] }
}"#;

/// Runs the command with some words.
fn chiaro(words: &[&str], files: [&Path; 2]) {
    let words = ["chiaro"].iter().chain(words).map(Into::into);
    assert_eq!(chiaro::command::run(words.chain([files[0].into(), "-o".into(), files[1].into()])), 0);
}

/// The example with three callables, its stages as SPIR-V.
fn files() -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rdna/rt/callables");
    let folder = env::temp_dir().join(format!("chiaro-pipeline-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for (name, file) in STAGES {
        let words = folder.join(name).with_extension("spv");
        chiaro(&["compile", "--emit", "spirv"], [&examples.join(file), &words]);
    }
    fs::write(folder.join("pipe.json"), PIPELINE).unwrap();
    folder
}

#[divan::bench(args = ["called", "inlined"])]
fn spirv_to_file(bencher: divan::Bencher<'_, '_>, form: &str) {
    let folder = files();
    let [pipeline, out] = ["pipe.json", "pipe.elf"].map(|name| folder.join(name));
    bencher.bench(|| chiaro(&["pipeline", "--target", "rdna", "--stages", form], [&pipeline, &out]));
    fs::remove_dir_all(folder).unwrap();
}
