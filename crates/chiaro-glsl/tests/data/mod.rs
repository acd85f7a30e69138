//! Tests as data: a source, a line `--- expect`, and what comes of it.

use std::path::Path;

use chiaro_glsl::source::{Options, Stage};

/// Options of a test: the stage by the name's end, macros by the first line.
pub(crate) fn options(name: &str, text: &str) -> Options {
    let stage = name.rsplit('.').next().and_then(Stage::of_ending).unwrap_or(Stage::Fragment);
    let first = text.lines().next().and_then(|line| line.strip_prefix("// define ")).unwrap_or("");
    let defines = first.split_whitespace().map(|word| {
        let (name, value) = word.split_once('=').unwrap_or((word, "1"));
        (name.to_owned(), value.to_owned())
    });
    Options { defines: defines.collect(), ..Options::new(stage) }
}

/// Checks, or blesses, every file of a folder of tests.
pub(crate) fn check(folder: &str, run: impl Fn(&str, &str) -> String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut cases = chiaro_cases::Cases::new();
    for path in paths {
        let whole = std::fs::read_to_string(&path).unwrap();
        let source = whole.split_once("--- expect\n").map_or(&*whole, |(source, _)| source);
        let name = path.file_name().unwrap().to_string_lossy();
        cases.file(&path, Some(&format!("{source}--- expect\n{}", run(&name, source))));
    }
    cases.finish();
}
