//! Sources that were made to exhaust a compiler: each ends with exit code 0 or 1 within two
//! seconds of a processor and 512 MiB.
//!
//! Every kind once broke something; its first case is the one that did, the others are near it.
//! What a debug build needs is no promise: it is given more time. `CHIARO_EXTREMES=FOLDER` keeps
//! the sources, each with the arguments of the command in `arguments`.
//!
//! The limits are those of `ulimit`, which counts addresses rather than memory in use: the
//! stricter measure.

mod case;
mod endless;
mod glsl;
mod large;
mod long;
mod runs;
mod wgsl;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use case::Case;

/// Seconds of processor time.
const SECONDS: u32 = if cfg!(debug_assertions) { 20 } else { 2 };

/// Kibibytes of addresses.
const MEMORY: u32 = 512 << 10;

/// Runs all cases of a kind. There are eleven at least: one that broke something, and ten more.
fn all(kind: &str, cases: &[Case]) {
    assert!(cases.len() > 10, "{kind} has {} cases", cases.len());
    let kept = std::env::var_os("CHIARO_EXTREMES").map(PathBuf::from);
    let folder = kept.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("extremes"));
    let failures: Vec<String> = cases.iter().filter_map(|case| fails(case, &folder.join(kind))).collect();
    assert!(failures.is_empty(), "{kind}:\n{}", failures.join("\n"));
}

/// How a case breaks its limits.
fn fails(case: &Case, folder: &Path) -> Option<String> {
    let folder = folder.join(&case.name);
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in &case.files {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::write(folder.join("arguments"), &case.arguments).unwrap();
    let script = format!("ulimit -t {SECONDS}; ulimit -v {MEMORY}; exec \"$0\" {}", case.arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_chiaro")]).current_dir(&folder);
    let output = shell.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let brief: String = told.chars().take(600).collect();
    match output.status.code() {
        Some(0 | 1) if told.contains("mistake of the compiler") => {
            Some(format!("{} is called a mistake of the compiler\n{brief}", case.name))
        }
        Some(0) if case.is_refused => Some(format!("{} is not refused", case.name)),
        Some(1) if told.contains("error") => {
            let wanted = case.told.iter().find(|part| !told.contains(**part));
            wanted.map(|part| format!("{} does not say `{part}`\n{brief}", case.name))
        }
        Some(0) => None,
        _ => Some(format!("{} ends with {}\n{brief}", case.name, output.status)),
    }
}

#[test]
fn functions_within_functions() {
    all("nested", &glsl::nested());
}

#[test]
fn chains_of_else() {
    all("else", &glsl::chains_of_else());
}

#[test]
fn tokens_that_double() {
    all("paste", &glsl::pasted());
}

#[test]
fn files_that_include_files() {
    all("include", &glsl::included());
}

#[test]
fn long_expressions_in_wgsl() {
    all("sum", &wgsl::sums());
}

#[test]
fn many_statements_in_wgsl() {
    all("statements", &wgsl::statements());
}

#[test]
fn long_programs_for_utgard() {
    all("utgard", &long::utgard());
}

#[test]
fn long_programs_for_pica200() {
    all("pica200", &long::pica200());
}

#[test]
fn loops_without_an_end() {
    all("endless", &endless::endless());
}

#[test]
fn runs_without_an_end() {
    all("runs", &runs::runs());
}

#[test]
fn variables_beyond_all_memory() {
    all("large", &large::large());
}
