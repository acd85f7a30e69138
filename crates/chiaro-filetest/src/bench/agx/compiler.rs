//! How long the compiler takes for the stages of the corpus: from SPIR-V in memory to words, on one core.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use chiaro_agx::compile::{Options, compile};
use chiaro_diag::SourceMap;
use chiaro_opt::Cx;
use chiaro_spirv::module::Module;

use super::mains::{self, Source};
use super::{Figures, MILLION, TARGET};
use crate::bench::middle;

/// How often each stage is compiled.
const RUNS: usize = 15;

/// The mean of all stages, and the slowest one; best and median of the runs.
pub(super) fn measure(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let mut times = Vec::new();
    for Source { name, shader, options, .. } in mains::corpus(folder)? {
        times.push(time(&shader.hub, options).map_err(|why| format!("{name}: {why}"))?);
    }
    let (best, usual): (Vec<f64>, Vec<f64>) = times.into_iter().unzip();
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    let most = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
    figures.push(TARGET, "SPIR-V to words, mean", "us", (mean(&best), mean(&usual)));
    figures.push(TARGET, "SPIR-V to words, the slowest", "us", (most(&best), most(&usual)));
    Ok(())
}

/// Best and median of some runs, in microseconds.
fn time(hub: &Module, options: Options) -> Result<(f64, f64), String> {
    let mut runs = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        black_box(words(hub, options)?);
        runs.push(start.elapsed().as_secs_f64() * MILLION);
    }
    Ok(middle(runs))
}

fn words(hub: &Module, options: Options) -> Result<Vec<u8>, String> {
    let read = chiaro_spirv::read_module(hub, &Default::default(), &mut SourceMap::new());
    let mut module = read.map_err(|e| e.to_string())?.module;
    let entry = module.entries.first().map(|entry| entry.name.clone()).unwrap_or_default();
    let made = compile(&mut module, &entry, options, &mut Cx::default());
    let made = made.map_err(|errors| errors.first().map_or_else(String::new, |e| e.message.clone()));
    Ok(made?.file.code)
}
