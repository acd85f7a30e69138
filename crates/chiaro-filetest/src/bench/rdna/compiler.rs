//! What the compiler makes of the shaders of `aco_stats.tsv`, beside what a driver's made of them, and how fast.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use chiaro_diag::SourceMap;
use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_rdna::compile::finish::object;
use chiaro_rdna::compile::{Compiled, Options};
use chiaro_rdna::container;

use super::{Figures, TARGET};
use crate::bench::middle;
use crate::compute::{module, read};
use crate::rdna::compiled::compiled_by;

/// The file, its column of each figure, and what a row of the driver of today begins with.
const FILE: &str = "aco_stats.tsv";
const DRIVER: &str = "25";
const INSTRUCTIONS: usize = 4;
const BYTES: usize = 5;
const WAVES: usize = 12;
const LATENCY: usize = 13;
/// How often each shader is compiled.
const RUNS: usize = 15;
/// Ratios from which a shader is named.
const LONG: f64 = 1.2;
/// Why shaders are longer than the better of the driver's versions.
const UNROLLED: &str = "its loops are written out here, which the older version does not do";
const KEPT: &str = "its loop stays one; the newer version writes it out, at many times the code";
const LITERALS: &str = "a number stays in each instruction that has it; the driver keeps it in a register";
const INDICES: &str = "sums in indices may wrap around, so that instructions do not add them";
const REASONS: [(&str, &str); 19] = [
    (
        "pack_half",
        "halves are rounded to the nearest, the driver truncates; NaN gets the bounds of the source",
    ),
    ("fft_radix4_shared", "the older version keeps its loops, the newer one writes all of them out"),
    ("matvec", UNROLLED),
    ("reduce_max_u32", UNROLLED),
    ("softmax_row", UNROLLED),
    ("stream_compact", UNROLLED),
    ("aabb_slab", KEPT),
    ("fbm", KEPT),
    ("nbody_shared", KEPT),
    ("ssao", KEPT),
    ("sha256_block", KEPT),
    ("private_array", KEPT),
    ("matmul_reg4", "its sums stand in registers that a loop counts on to; the driver writes the loop out"),
    ("image_invert", "its size comes from an instruction, the driver reads bits of its own descriptor"),
    ("blur_shared", LITERALS),
    ("path_tracer", LITERALS),
    ("particles", "a product with zero stays, since infinity and NaN do; literals stay in each instruction"),
    ("game_of_life", INDICES),
    ("median3x3", INDICES),
];

/// A shader as both compilers have it.
struct Both {
    name: String,
    wave: u8,
    /// Instructions, bytes, latency, waves of a SIMD.
    ours: [f64; 4],
    theirs: [f64; 4],
    /// The smaller figures of the driver's two versions; waves are counted in two ways and left out.
    best: [f64; 3],
}

/// What the first three figures are called.
const FIGURES: [&str; 3] = ["instructions", "bytes", "latency"];

/// Tables and rates; nothing where the file is not.
pub(super) fn measure(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let Ok(text) = std::fs::read_to_string(folder.join(FILE)) else { return Ok(()) };
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect());
    let versions: Vec<Vec<&str>> = rows.collect();
    let rows: Vec<Vec<&str>> = versions.iter().filter(|row| row.get(1) == Some(&DRIVER)).cloned().collect();
    let mut modules = Vec::new();
    let mut all = Vec::new();
    for row in &rows {
        let (name, wave) = (row[0], if row[2] == "64" { 64 } else { 32 });
        let module = read(&folder.join("shaders"), name)?;
        let compiled = compiled(module.clone(), wave).map_err(|why| format!("{name}: {why}"))?;
        let best = best(&versions, row)?;
        all.push(Both { name: name.to_owned(), wave, ours: ours(&compiled), theirs: theirs(row)?, best });
        modules.push((module, wave));
    }
    for wave in [32, 64] {
        figures.tables.push(table(all.iter().filter(|both| both.wave == wave), wave));
    }
    let wave32: Vec<&Module> = modules.iter().filter(|(_, wave)| *wave == 32).map(|(m, _)| m).collect();
    figures.rate(TARGET, "compile, optimiser and back end", ("shaders/s", 1.0), wave32.len(), || {
        for module in &wave32 {
            let _ = black_box(compiled((*module).clone(), 32));
        }
    });
    whole(figures, folder, &rows)
}

/// From SPIR-V in memory to a code object in memory: all shaders in waves of 32, and the one in the middle.
fn whole(figures: &mut Figures, folder: &Path, rows: &[Vec<&str>]) -> Result<(), String> {
    let mut seconds = Vec::new();
    for row in rows.iter().filter(|row| row[2] == "32") {
        let words = module(&folder.join("shaders"), row[0])?;
        let mut own = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let start = Instant::now();
            black_box(to_object(&words).map_err(|why| format!("{}: {why}", row[0]))?);
            own.push(start.elapsed().as_secs_f64());
        }
        seconds.push(middle(own));
    }
    if seconds.is_empty() {
        return Ok(());
    }
    let (best, usual): (Vec<f64>, Vec<f64>) = seconds.into_iter().map(|(a, b)| (a * 1e3, b * 1e3)).unzip();
    let sums = (best.iter().sum(), usual.iter().sum());
    figures.push(TARGET, "SPIR-V to code objects, all", "ms", sums);
    figures.push(TARGET, "SPIR-V to a code object, the median", "ms", (middle(best).1, middle(usual).1));
    Ok(())
}

fn to_object(words: &[u32]) -> Result<Vec<u8>, String> {
    let read = chiaro_spirv::read(words, &Default::default(), &mut SourceMap::new());
    let module = read.map_err(|e| e.to_string())?.module;
    let name = module.entries.first().map(|entry| entry.name.clone()).unwrap_or_default();
    container::write(&object(&compiled(module, 32)?, &name)).map_err(|e| e.to_string())
}

fn compiled(module: Module, wave: u8) -> Result<Compiled, String> {
    compiled_by(module, Options { wave, ..Options::default() }, &mut Cx::default())
}

fn ours(compiled: &Compiled) -> [f64; 4] {
    let made = compiled.statistics();
    [made.instructions, made.code_size, made.latency, made.subgroups].map(f64::from)
}

fn theirs(row: &[&str]) -> Result<[f64; 4], String> {
    let mut found = [0.0; 4];
    for (place, column) in found.iter_mut().zip([INSTRUCTIONS, BYTES, LATENCY, WAVES]) {
        let number = row.get(column).and_then(|field| field.parse().ok());
        *place = number.ok_or_else(|| format!("{FILE}: {}: column {column} is no number", row[0]))?;
    }
    Ok(found)
}

/// The smaller figures of all versions of the driver that have a row's shader in waves of its size.
fn best(versions: &[Vec<&str>], row: &[&str]) -> Result<[f64; 3], String> {
    let mut found = [f64::INFINITY; 3];
    for other in versions.iter().filter(|other| other[0] == row[0] && other[2] == row[2]) {
        found.iter_mut().zip(theirs(other)?).for_each(|(least, own)| *least = least.min(own));
    }
    Ok(found)
}

/// Sums of instructions and bytes, geometric mean of latency, and who is longer or has fewer waves.
fn table<'a>(all: impl Iterator<Item = &'a Both>, wave: u8) -> String {
    let all: Vec<&Both> = all.collect();
    let sum = |of: fn(&Both) -> f64| all.iter().map(|both| of(both)).sum::<f64>();
    let mean = |of: fn(&Both) -> f64| (sum(of) / all.len().max(1) as f64).exp();
    let mut out = format!(
        "{:<28} {:>9} {:>9}\n{:<28} {:>9} {:>9}\n{:<28} {:>9} {:>9}\n{:<28} {:>9.0} {:>9.0}",
        format!("rdna, {} shaders, wave {wave}", all.len()),
        "ours",
        "driver's",
        "instructions",
        sum(|b| b.ours[0]),
        sum(|b| b.theirs[0]),
        "bytes",
        sum(|b| b.ours[1]),
        sum(|b| b.theirs[1]),
        "latency, geometric mean",
        mean(|b| b.ours[2].ln()),
        mean(|b| b.theirs[2].ln()),
    );
    for both in &all {
        let ratio = both.ours[0] / both.theirs[0];
        if ratio > LONG || both.ours[3] < both.theirs[3] {
            let [ours, theirs] = [both.ours, both.theirs].map(|made| [made[0], made[3]]);
            let reason = REASONS.iter().find(|(name, _)| *name == both.name).map_or("", |(_, why)| why);
            out += &format!(
                "\n  {:<26} {:>9} {:>9}  {ratio:.2} times, waves {} and {}  {reason}",
                both.name, ours[0], theirs[0], ours[1], theirs[1]
            );
        }
    }
    out + &above(&all)
}

/// How many are above the better of the driver's versions in each figure; who is far above, and why.
fn above(all: &[&Both]) -> String {
    let mut out = String::new();
    for (n, figure) in FIGURES.iter().enumerate() {
        let ratio = |both: &Both| both.ours[n] / both.best[n];
        let more = all.iter().filter(|both| ratio(both) > 1.0).count();
        let sum: f64 = all.iter().map(|both| both.best[n]).sum();
        out += &format!("\n{figure}: {more} above the better of two versions, whose sum is {sum:.0}");
        for both in all.iter().filter(|both| ratio(both) > LONG) {
            let reason = REASONS.iter().find(|(name, _)| *name == both.name).map_or("", |(_, why)| why);
            out += &format!(
                "\n  {:<26} {:>9} {:>9}  {:.2} times  {reason}",
                both.name,
                both.ours[n],
                both.best[n],
                ratio(both)
            );
        }
    }
    out
}
