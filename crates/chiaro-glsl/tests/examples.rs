//! The examples of the repository compile without a word, but for the one whose mistakes the
//! documents show; stages of one name fit together.

use std::path::Path;

use chiaro_diag::{Printer, SourceMap};
use chiaro_glsl::source::{Options, Stage};
use chiaro_glsl::{compile, compile_program};

/// Sources of the folder with their names and stages, sorted.
fn examples() -> Vec<(String, Stage, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/glsl");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = paths
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            let stage = Stage::of_ending(path.extension()?.to_str()?)?;
            Some((name, stage, std::fs::read_to_string(&path).unwrap()))
        })
        .filter(|(name, ..)| name != "mistakes.frag")
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn options(stage: Stage) -> Options {
    Options::new(stage)
}

#[test]
fn examples_have_no_messages() {
    let examples = examples();
    assert!(examples.len() > 6, "the examples are not where they are looked for");
    for (name, stage, text) in examples {
        let mut sources = SourceMap::new();
        let file = sources.add(name.as_str(), text.as_str());
        let (module, report) = compile(file, &mut sources, &options(stage), &mut |_, _, _| None);
        assert!(module.is_some() && report.is_empty(), "{}", Printer::plain().print(&report, &sources));
    }
}

#[test]
fn stages_of_one_name_fit_together() {
    let examples = examples();
    for pair in examples.windows(2) {
        let [(a, ..), (b, ..)] = pair else { continue };
        if a.split('.').next() != b.split('.').next() {
            continue;
        }
        let mut sources = SourceMap::new();
        let stages: Vec<_> = pair
            .iter()
            .map(|(name, stage, text)| (sources.add(name.as_str(), text.as_str()), options(*stage)))
            .collect();
        let (modules, report) = compile_program(&stages, false, &mut sources, &mut |_, _, _| None);
        assert!(modules.len() == 2 && report.is_empty(), "{}", Printer::plain().print(&report, &sources));
    }
}
