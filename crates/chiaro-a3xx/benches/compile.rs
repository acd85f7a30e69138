//! How many programs the compiler makes: an item is one program of the vectors, from SPIR-V in memory to words.
//!
//! The goal is 3,000 a second on one core. `CHIARO_VECTORS=FOLDER` takes the larger set, as in the tests.

use std::path::{Path, PathBuf};

use chiaro_a3xx::compile::code::FILES;
use chiaro_a3xx::compile::schedule::Clock;
use chiaro_a3xx::compile::{self, Options, Variant, combine, select};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{self, Stage};
use chiaro_ir::Module;
use chiaro_mach::{Code, Schedules, allocate};
use chiaro_opt::Cx;
use chiaro_spirv::module::Module as Spirv;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

fn folder() -> PathBuf {
    match std::env::var_os("CHIARO_VECTORS") {
        Some(dir) => Path::new(&dir).join("a3xx"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders"),
    }
}

/// Each program of Mesa's statistics as SPIR-V; binning variants are programs of their own.
fn programs() -> Vec<(Spirv, Variant)> {
    let dir = folder();
    let rows = std::fs::read_to_string(dir.join("shader_stats_gpu320.tsv")).expect("statistics");
    let rows = rows.lines().filter(|row| !row.starts_with('#'));
    rows.filter_map(|row| {
        let mut cells = row.split('\t');
        let (name, stage) = (cells.next()?, cells.next()?);
        let is_fragment = stage == "frag";
        let path = dir.join(format!("shaders/{name}.{}", stage.trim_start_matches('b')));
        let text = std::fs::read_to_string(path).expect("a shader");
        let mut sources = SourceMap::new();
        let file = sources.add(name.to_owned(), text);
        let options = source::Options::new(if is_fragment { Stage::Fragment } else { Stage::Vertex });
        let (words, _) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
        let variant = if stage == "bvert" { Variant::Binning } else { Variant::Whole };
        Some((words.expect("GLSL"), variant))
    })
    .collect()
}

fn module(words: &Spirv) -> Module {
    let reading = chiaro_spirv::read_module(words, &Default::default(), &mut SourceMap::new());
    reading.map(|reading| reading.module).unwrap_or_default()
}

fn options(variant: Variant) -> Options {
    Options { variant, ..Options::default() }
}

/// SPIR-V to the IR.
#[divan::bench]
fn read(bencher: divan::Bencher<'_, '_>) {
    let programs = programs();
    bencher
        .counter(ItemsCount::new(programs.len()))
        .bench_local(|| programs.iter().map(|(words, _)| module(words).functions.len()).sum::<usize>());
}

/// SPIR-V to legal IR.
#[divan::bench]
fn optimize(bencher: divan::Bencher<'_, '_>) {
    let programs = programs();
    bencher.counter(ItemsCount::new(programs.len())).bench_local(|| {
        let legal = |&(ref words, variant): &(Spirv, Variant)| {
            compile::optimize(&mut module(words), "main", variant, &mut Cx::default()).is_ok()
        };
        programs.iter().filter(|&program| legal(program)).count()
    });
}

/// A program before it has registers, scheduled within what lets all waves of a vertex run.
fn unallocated(&(ref words, variant): &(Spirv, Variant)) -> Option<Code> {
    let mut module = module(words);
    let (f, stage) = compile::optimize(&mut module, "main", variant, &mut Cx::default()).ok()?;
    let mut selected = select::select(&module, module.function(f), (stage, variant)).ok()?;
    combine::combine(&mut selected, true);
    let _peaks = Schedules::new(&selected.code, &FILES, &Clock).within(&mut selected.code, &[40, 128, 1, 1]);
    Some(selected.code)
}

/// Registers for all programs, once for each. An item is an instruction.
#[divan::bench]
fn registers(bencher: divan::Bencher<'_, '_>) {
    let codes: Vec<Code> = programs().iter().filter_map(unallocated).collect();
    let insts = codes.iter().flat_map(|code| code.blocks().map(|block| code.insts(block).len()));
    let allocated = |mut codes: Vec<Code>| {
        codes.iter_mut().map(|code| allocate(code, &FILES)).filter(Result::is_ok).count()
    };
    bencher
        .counter(ItemsCount::new(insts.sum::<usize>()))
        .with_inputs(|| codes.clone())
        .bench_local_values(allocated);
}

/// SPIR-V to words.
#[divan::bench]
fn whole(bencher: divan::Bencher<'_, '_>) {
    let programs = programs();
    bencher.counter(ItemsCount::new(programs.len())).bench_local(|| {
        let words = |&(ref words, variant): &(Spirv, Variant)| {
            let made = compile::compile(&mut module(words), "main", options(variant), &mut Cx::default());
            made.map_or(0, |made| made.words.len())
        };
        programs.iter().map(words).sum::<usize>()
    });
}
