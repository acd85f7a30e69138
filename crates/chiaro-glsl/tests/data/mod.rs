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
    let bless = std::env::var_os("CHIARO_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in paths {
        let whole = std::fs::read_to_string(&path).unwrap();
        let (source, expected) = whole.split_once("--- expect\n").unwrap_or((&whole, ""));
        let name = path.file_name().unwrap().to_string_lossy();
        let found = run(&name, source);
        if bless {
            std::fs::write(&path, format!("{source}--- expect\n{found}")).unwrap();
        } else if found != expected {
            wrong.push(format!("{name}: expected\n{expected}\nfound\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
