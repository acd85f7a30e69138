//! What comes of every source of this repository, as numbers that are written down: words, and what is said of
//! sources with one thing changed. `CHIARO_BLESS=1` rewrites `made.txt`.

#[allow(dead_code, reason = "only the options are of use here")]
use std::fmt::Write;
use std::path::{Path, PathBuf};

use chiaro_cases::{Cases, damaged, digest};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::Stage;
use chiaro_glsl::{compile, compile_program};

use crate::data;

/// Folders with sources, seen from this crate.
const FOLDERS: [&str; 22] = [
    "tests/check",
    "tests/corpus",
    "tests/parse",
    "../chiaro-filetest/tests/glsl",
    "../chiaro-filetest/tests/loader",
    "../chiaro-filetest/tests/listings/shaders",
    "../../examples/glsl",
    "tests/preprocess",
    "../../examples/agx",
    "../../examples/rdna",
    "../../examples/rdna/calls",
    "../../examples/rdna/rt",
    "../../examples/rdna/rt/callables",
    "../../examples/rdna/rt/echoes",
    "../../examples/rdna/rt/payload",
    "../../examples/rdna/rt/queries",
    "../../examples/rdna/rt/spheres",
    "../chiaro-a3xx/tests/shaders/shaders",
    "../chiaro-filetest/tests/wide",
    "../chiaro-pica200/tests/geometry",
    "../chiaro-rdna/tests/workloads",
    "../chiaro-utgard/tests/es",
];

/// Sources with one thing changed that are made of each.
const CHANGED: u64 = 40;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The sources of a folder without what is expected of them, by name.
fn sources(name: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder(name)).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("a file").path());
    let is_source =
        |path: &PathBuf| path.extension().and_then(|e| e.to_str()).and_then(Stage::of_ending).is_some();
    let mut found: Vec<PathBuf> = paths.filter(is_source).collect();
    found.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, text.split("--- expect").next().unwrap_or_default().to_owned())
    };
    found.into_iter().map(read).collect()
}

/// The words of a source with their places and what the host program sees, and the messages.
fn outcome(name: &str, text: &str) -> (String, String) {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let (module, found) = compile(file, &mut sources, &data::options(name, text), &mut |_, _, _| None);
    (module.map_or_else(|| "none".to_owned(), |module| digest(&format!("{module:?}"))), format!("{found:?}"))
}

#[test]
fn sources_become_what_is_written_down() {
    let mut out = "# source: words, messages; of sources with one thing changed\n".to_owned();
    for (folder, number) in FOLDERS.iter().zip(0..) {
        for ((name, text), seed) in sources(folder).into_iter().zip(0..) {
            let (words, messages) = outcome(&name, &text);
            let other = |n| outcome(&name, &damaged(&text, number * 100_000 + seed * 100 + n));
            let others: Vec<String> =
                (0..CHANGED).map(other).map(|(words, said)| digest(&(words + &said))).collect();
            let _ = writeln!(out, "{name}: {words} {}; {}", digest(&messages), others.join(" "));
        }
    }
    let mut cases = Cases::new();
    cases.file(&folder("tests/made.txt"), Some(&out));
    cases.finish();
}

/// Every vertex shader before every fragment shader: what fits, and what is said where it does not.
#[test]
fn stages_become_what_is_written_down() {
    let all: Vec<(String, String)> = FOLDERS.iter().flat_map(|folder| sources(folder)).collect();
    let of = |ending: &'static str| all.iter().filter(move |(name, _)| name.ends_with(ending));
    let mut out = String::new();
    for (first, second) in of(".vert").zip(of(".frag").cycle().skip(3)) {
        let mut sources = SourceMap::new();
        let stage = |(name, text): &(String, String), sources: &mut SourceMap| {
            (sources.add(name.as_str(), text.as_str()), data::options(name, text))
        };
        let stages = [stage(first, &mut sources), stage(second, &mut sources)];
        let made = compile_program(&stages, false, &mut sources, &mut |_, _, _| None);
        let _ = writeln!(out, "{} {}: {}", first.0, second.0, digest(&format!("{made:?}")));
    }
    let mut cases = Cases::new();
    cases.file(&folder("tests/linked.txt"), Some(&out));
    cases.finish();
}
