//! Source text to SPIR-V words: the corpus as a whole, its parts of the road, and one shader.
//!
//! `cargo bench -p chiaro-glsl`; the figures are bytes of source a second on one core.

use std::path::Path;

use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_glsl::symbol::Symbols;
use chiaro_glsl::{check_only, compile, parse, preprocess};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Sources with their stages, in the order of their names.
fn corpus() -> Vec<(String, Stage)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let stage = |path: &Path| match path.extension().and_then(|e| e.to_str()) {
        Some("vert") => Stage::Vertex,
        Some("frag") => Stage::Fragment,
        _ => Stage::Compute,
    };
    paths.iter().map(|p| (std::fs::read_to_string(p).unwrap(), stage(p))).collect()
}

fn options(stage: Stage) -> Options {
    Options { stage, version: None, defines: Vec::new(), library: false }
}

fn bytes(corpus: &[(String, Stage)]) -> BytesCount {
    BytesCount::new(corpus.iter().map(|(text, _)| text.len()).sum::<usize>())
}

#[divan::bench]
fn corpus_to_words(bencher: Bencher<'_, '_>) {
    let corpus = corpus();
    bencher.counter(bytes(&corpus)).bench_local(|| {
        for (text, stage) in &corpus {
            let mut sources = SourceMap::new();
            let file = sources.add("bench", text.as_str());
            let (module, _) = compile(file, &mut sources, &options(*stage), &mut |_, _, _| None);
            assert!(black_box(module).is_some());
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
        let mut sources = SourceMap::new();
        let file = sources.add("bench", text.as_str());
        let (module, found) = compile(file, &mut sources, &options(Stage::Fragment), &mut |_, _, _| None);
        assert!(black_box(module).is_some(), "{found:?}");
    });
}

const SHADER: &str = include_str!("two_kilobytes.frag");
