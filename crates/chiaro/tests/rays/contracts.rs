//! Contracts of the functions that pipelines become: which are proven, at waves of both sizes.

use std::path::{Path, PathBuf};
use std::process::Command;

use chiaro_cases::Cases;

use super::command::{OTHERS, folder, other, root};

/// What `--verify` says of a pipeline of called stages: how many functions are proven, or which instructions are not.
fn said(pipeline: &Path, wave: u32) -> String {
    let out = folder("contracts").join("pipe.elf");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiaro"));
    command.args(["pipeline", "--color", "never", "--verify", "--stages", "called", "-m"]);
    let made = command.arg(format!("wave={wave}")).arg(pipeline).arg("-o").arg(&out).output();
    let made = made.expect("the command starts");
    let text = String::from_utf8_lossy(&made.stderr).into_owned();
    assert!(made.status.success(), "{}: {text}", pipeline.display());
    text.lines().filter(|line| line.contains("proven")).map(|line| format!("  {line}\n")).collect()
}

fn table(pipelines: &[(String, PathBuf)]) -> String {
    let mut all = String::new();
    for (name, path) in pipelines {
        for wave in [32, 64] {
            all += &format!("{name}, waves of {wave}\n{}", said(path, wave));
        }
    }
    all
}

fn compare(name: &str, table: &str) {
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rays").join(name), Some(table));
    cases.finish();
}

#[test]
fn contracts_of_the_examples_are_proven() {
    let examples = root().join("examples/rdna/rt");
    let mut all: Vec<(String, PathBuf)> = std::fs::read_dir(&examples)
        .expect("there are examples")
        .map(|entry| entry.expect("it is there").path())
        .filter(|path| path.join("pipe.json").exists())
        .map(|path| {
            (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path.join("pipe.json"))
        })
        .collect();
    all.sort();
    compare("contracts.txt", &table(&all));
}

/// Pipelines of public collections, which stand beside the vectors.
#[test]
fn contracts_of_pipelines_of_others_are_proven() {
    let Some(vectors) = std::env::var_os("CHIARO_VECTORS") else {
        println!("skipped: CHIARO_VECTORS names no folder");
        return;
    };
    let stages = Path::new(&vectors).join("../raytracing");
    let all: Vec<(String, PathBuf)> =
        OTHERS.map(|name| (name.to_owned(), other(name, &stages.join(name)))).into();
    compare("others/contracts.txt", &table(&all));
}
