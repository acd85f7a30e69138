//! Source text to SPIR-V words: the corpus as a whole, its parts of the road, and one shader.
//!
//! `cargo bench -p chiaro-glsl`; the figures are bytes of source a second on one core.
//! With `CHIARO_CORPUS=FOLDER` the corpus is what compiles below that folder.

use std::path::{Path, PathBuf};

use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_glsl::symbol::Symbols;
use chiaro_glsl::{check_only, compile, parse, preprocess};
use chiaro_words::Module;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Sources with their stages, in the order of their names: those of the tests, or those below
/// the folder that `CHIARO_CORPUS` names that compile by themselves.
fn corpus() -> Vec<(String, Stage)> {
    let folder = std::env::var_os("CHIARO_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus"), PathBuf::from);
    let mut paths = files(&folder);
    paths.sort();
    let sources = paths.iter().filter_map(|path| Some((std::fs::read_to_string(path).ok()?, stage(path)?)));
    sources.filter(|(text, stage)| words(text, *stage).is_some()).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn stage(path: &Path) -> Option<Stage> {
    match path.extension()?.to_str()? {
        "vert" => Some(Stage::Vertex),
        "frag" => Some(Stage::Fragment),
        "comp" => Some(Stage::Compute),
        _ => None,
    }
}

fn words(text: &str, stage: Stage) -> Option<Module> {
    let mut sources = SourceMap::new();
    let file = sources.add("bench", text);
    compile(file, &mut sources, &options(stage), &mut |_, _, _| None).0
}

fn options(stage: Stage) -> Options {
    Options::new(stage)
}

fn bytes(corpus: &[(String, Stage)]) -> BytesCount {
    BytesCount::new(corpus.iter().map(|(text, _)| text.len()).sum::<usize>())
}

#[divan::bench]
fn corpus_to_words(bencher: Bencher<'_, '_>) {
    let corpus = corpus();
    bencher.counter(bytes(&corpus)).bench_local(|| {
        for (text, stage) in &corpus {
            assert!(black_box(words(text, *stage)).is_some());
        }
    });
}

#[divan::bench]
fn corpus_checked(bencher: Bencher<'_, '_>) {
    let corpus = corpus();
    bencher.counter(bytes(&corpus)).bench_local(|| {
        for (text, stage) in &corpus {
            let mut sources = SourceMap::new();
            let file = sources.add("bench", text.as_str());
            black_box(check_only(file, &mut sources, &options(*stage), &mut |_, _, _| None));
        }
    });
}

#[divan::bench]
fn corpus_parsed(bencher: Bencher<'_, '_>) {
    let corpus = corpus();
    bencher.counter(bytes(&corpus)).bench_local(|| {
        for (text, stage) in &corpus {
            let (mut sources, mut symbols, mut found) = (SourceMap::new(), Symbols::default(), Vec::new());
            let file = sources.add("bench", text.as_str());
            let (options, mut none) = (options(*stage), |_: &str, _: bool, _: &str| None);
            let pre =
                preprocess::preprocess(file, &mut sources, &options, &mut none, &mut symbols, &mut found);
            black_box(parse::parse(&pre, &symbols, &mut found));
        }
    });
}

/// A fragment shader of two kilobytes, about what a game has.
#[divan::bench]
fn two_kilobytes(bencher: Bencher<'_, '_>) {
    let text = SHADER.to_owned();
    bencher.counter(BytesCount::new(text.len())).bench_local(|| {
        assert!(black_box(words(&text, Stage::Fragment)).is_some());
    });
}

const SHADER: &str = include_str!("two_kilobytes.frag");
