//! Shaders that the fuzzer found, reduced: `found/TARGET-SEED.ir`. Each once failed for its target; each is compiled
//! and verified as the fuzzer does it.

use std::fs;
use std::path::Path;

use chiaro::TARGETS;
use chiaro_diag::SourceMap;
use chiaro_filetest::fuzz::{Outcome, check};

/// What is wrong with a shader now.
fn wrong(name: &str, text: &str) -> Option<String> {
    let (target, seed) = name.strip_suffix(".ir")?.rsplit_once('-').expect("a target and a seed");
    let target = TARGETS.iter().find(|t| t.about().name == target).expect("a target");
    let seed = seed.parse().expect("the seed of its inputs");
    let module = chiaro_ir::parse(text, SourceMap::new().add(name, text)).expect("IR");
    match check(target, &module, seed) {
        Outcome::Passed(..) => None,
        other => Some(format!("{name}: {other:?}")),
    }
}

#[test]
fn what_was_found_is_repaired() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("a folder").flatten().map(|file| file.path()).collect();
    files.sort();
    let text = |path: &Path| fs::read_to_string(path).expect("a shader");
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let wrong: Vec<String> = files.iter().filter_map(|path| wrong(&name(path), &text(path))).collect();
    assert!(!files.is_empty() && wrong.is_empty(), "{}", wrong.join("\n"));
}
