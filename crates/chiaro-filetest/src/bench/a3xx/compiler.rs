//! What the compiler makes of a row's shader, and how long it takes: for each variant from SPIR-V in memory, and for
//! whole programs from GLSL, as the driver's figure is taken.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use chiaro_a3xx::asm::padded;
use chiaro_a3xx::compile::{Compiled, Options, Variant, compile};
use chiaro_a3xx::report::{self, Statistics};
use chiaro_diag::SourceMap;
use chiaro_opt::Cx;
use chiaro_spirv::module::Module;

use super::{Figures, Row, TARGET};
use crate::bench::middle;
use crate::stages::Shader;

/// How often each is compiled.
const RUNS: usize = 15;

/// What a row's program is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// A vertex shader.
    Vertex,
    /// A vertex shader with its position and point size alone.
    Binning,
    /// A fragment shader.
    Fragment,
}

impl Stage {
    pub(super) const ALL: [Stage; 3] = [Stage::Vertex, Stage::Binning, Stage::Fragment];

    /// The name that the rows have for it.
    pub(super) fn name(self) -> &'static str {
        ["vert", "bvert", "frag"][self as usize]
    }

    fn variant(self) -> Variant {
        if self == Stage::Binning { Variant::Binning } else { Variant::Whole }
    }
}

fn path(folder: &Path, name: &str, ending: &str) -> PathBuf {
    folder.join("shaders").join(format!("{name}.{ending}"))
}

/// Statistics of the program that the compiler makes of a row's shader.
pub(super) fn of_row(folder: &Path, row: &Row) -> Result<Statistics, String> {
    let shader = shader(folder, row)?;
    let made = words(&shader.hub, row.stage.variant()).map_err(|why| format!("{}: {why}", row.name))?;
    let stage = if row.stage == Stage::Fragment { report::Stage::Fragment } else { report::Stage::Vertex };
    Ok(Statistics::of(&padded(&made.words), stage))
}

fn shader(folder: &Path, row: &Row) -> Result<Shader, String> {
    Shader::compile(&path(folder, &row.name, row.stage.name().trim_start_matches('b')))
}

fn words(hub: &Module, variant: Variant) -> Result<Compiled, String> {
    let read = chiaro_spirv::read_module(hub, &Default::default(), &mut SourceMap::new());
    of_module(read.map_err(|e| e.to_string())?.module, variant)
}

fn of_module(mut module: chiaro_ir::Module, variant: Variant) -> Result<Compiled, String> {
    let entry = module.entries.first().map(|entry| entry.name.clone()).unwrap_or_default();
    let made = compile(&mut module, &entry, Options { variant, ..Options::default() }, &mut Cx::default());
    made.map_err(|errors| errors.first().map_or_else(String::new, |e| e.message.clone()))
}

/// Variants a second from SPIR-V in memory; milliseconds of whole programs beside the driver's compiler.
pub(super) fn measure(figures: &mut Figures, folder: &Path, rows: &[Row]) -> Result<(), String> {
    let (mut best, mut usual) = (Vec::new(), Vec::new());
    for row in rows {
        let shader = shader(folder, row)?;
        let took = times(|| words(&shader.hub, row.stage.variant()).map(drop))?;
        best.push(took.0);
        usual.push(took.1);
    }
    let rate = |seconds: &[f64]| seconds.len() as f64 / seconds.iter().sum::<f64>();
    figures.push(TARGET, "SPIR-V to words", "variants/s", (rate(&best), rate(&usual)));
    programs(figures, folder, rows)
}

/// Whole programs (the vertex shader, its binning variant, the fragment shader) from GLSL in memory. Programs of which
/// a shader is not in the folder are left out of both sums.
fn programs(figures: &mut Figures, folder: &Path, rows: &[Row]) -> Result<(), String> {
    let (mut ours, mut theirs, mut count) = ((0.0, 0.0), 0.0, 0);
    for row in rows.iter().filter(|row| row.stage != Stage::Binning) {
        let [vertex, fragment] = match row.stage {
            Stage::Fragment => ["partner.vert", "frag"],
            _ => ["vert", "partner.frag"],
        };
        let text = |ending| std::fs::read_to_string(path(folder, &row.name, ending));
        let (Ok(vertex), Ok(fragment)) = (text(vertex), text(fragment)) else { continue };
        let took = times(|| program(&vertex, &fragment)).map_err(|why| format!("{}: {why}", row.name))?;
        ours = (ours.0 + took.0 * 1e3, ours.1 + took.1 * 1e3);
        theirs += row.milliseconds;
        count += 1;
    }
    if count > 0 {
        figures.push(TARGET, format!("GLSL to words, {count} whole programs"), "ms", ours);
        figures.push(TARGET, "the same, Mesa (of its statistics)", "ms", (theirs, theirs));
    }
    Ok(())
}

fn program(vertex: &str, fragment: &str) -> Result<(), String> {
    let read = |name: &str, text: &str| Shader::of_text(name.to_owned(), text.to_owned());
    let (vertex, fragment) = (read("program.vert", vertex)?, read("program.frag", fragment)?);
    for (shader, stage) in [(&vertex, Stage::Vertex), (&vertex, Stage::Binning), (&fragment, Stage::Fragment)]
    {
        black_box(of_module(shader.module.clone(), stage.variant())?);
    }
    Ok(())
}

/// Best and median of some runs, in seconds.
fn times(mut call: impl FnMut() -> Result<(), String>) -> Result<(f64, f64), String> {
    let mut runs = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        call()?;
        runs.push(start.elapsed().as_secs_f64());
    }
    Ok(middle(runs))
}
