//! Utgard GP: the shaders of the vectors, against Mesa and against what they need at least.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use chiaro_diag::SourceMap;
use chiaro_ir::Interface;
use chiaro_opt::Cx;
use chiaro_utgard::compile::{Compiled, Options, compile};
use serde_json::Value;

use super::{Figures, middle};
use crate::stages::Shader;

const TARGET: &str = "utgard-gp";
/// Compilations of each shader at the usual effort, of which the fastest counts.
const RUNS: usize = 9;
/// The largest effort.
const MOST_EFFORT: u32 = 3;

/// What became of one shader at the usual effort.
struct Row {
    name: String,
    /// Mesa's instructions; 0 where it fails.
    mesa: usize,
    made: Compiled,
    milliseconds: f64,
}

/// The shaders that come with the target's crate.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiaro-utgard/tests/vectors/compile")
}

pub(super) fn measure(figures: &mut Figures) -> Result<(), String> {
    let folder = folder();
    let text = std::fs::read_to_string(folder.join("compile.jsonl")).map_err(|e| e.to_string())?;
    let (mut rows, mut shaders) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let name = row["name"].as_str().unwrap_or_default().to_owned();
        let shader = Shader::compile(&folder.join("shaders").join(format!("{name}.vert")))?;
        let mesa = row["instructions"].as_u64().unwrap_or(0) as usize;
        rows.push(usual(name, mesa, &shader)?);
        shaders.push(shader);
    }
    let times = rows.iter().map(|row| row.milliseconds).collect();
    figures.push(TARGET, "compile from SPIR-V, default effort", "ms", middle(times));
    figures.tables.push(table(&rows));
    figures.tables.push(efforts(&rows, &shaders)?);
    Ok(())
}

/// The shader as users get it, and how long that takes.
fn usual(name: String, mesa: usize, shader: &Shader) -> Result<Row, String> {
    let mut best: Option<(Compiled, f64)> = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        let made = once(shader, &Options::default())?;
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        if best.as_ref().is_none_or(|(_, least)| milliseconds < *least) {
            best = Some((made, milliseconds));
        }
    }
    let (made, milliseconds) = best.ok_or("nothing was compiled")?;
    Ok(Row { name, mesa, made, milliseconds })
}

/// From SPIR-V in memory to words.
fn once(shader: &Shader, options: &Options) -> Result<Compiled, String> {
    let mut sources = SourceMap::new();
    let reading = chiaro_spirv::read_module(&shader.hub, &Default::default(), &mut sources);
    let mut module = reading.map_err(|error| error.diagnostic(None).message)?.module;
    let entry = module.entries.first().map(|entry| entry.name.clone()).unwrap_or_default();
    compile(&mut module, &Interface::default(), &entry, options, &mut Cx::default())
        .map_err(|error| error.message)
}

/// Shader by shader; the total is over those that Mesa compiles.
fn table(rows: &[Row]) -> String {
    let mut out = format!(
        "{:<28} {:>5} {:>5} {:>6} {:>8} {:>8}  what sets the bounds\n",
        "utgard-gp shader", "ours", "Mesa", "bound", "proven", "ms"
    );
    let (mut ours, mut theirs, mut bounds) = (0, 0, 0);
    for row in rows {
        let blocks = &row.made.blocks;
        let bound: u32 = blocks.iter().map(|block| block.bound).sum();
        let optimal = blocks.iter().filter(|block| block.optimal).count();
        let mut limits: Vec<&str> = blocks.iter().map(|block| block.limit.name()).collect();
        limits.dedup();
        let length = row.made.words.len();
        let optimal = format!("{optimal}/{}", blocks.len());
        let _ = writeln!(
            out,
            "{:<28} {length:>5} {:>5} {bound:>6} {optimal:>8} {:>8.2}  {}",
            row.name,
            row.mesa,
            row.milliseconds,
            limits.join(", ")
        );
        if row.mesa > 0 {
            (ours, theirs, bounds) = (ours + length, theirs + row.mesa, bounds + bound);
        }
    }
    let _ = writeln!(out, "{:<28} {ours:>5} {theirs:>5} {bounds:>6}", "all that Mesa compiles");
    out
}

/// What each effort gives over the shaders that Mesa compiles.
fn efforts(rows: &[Row], shaders: &[Shader]) -> Result<String, String> {
    let mut out = format!("{:<28} {:>12} {:>8} {:>15}\n", "effort", "instructions", "blocks", "proven");
    for effort in 0..=MOST_EFFORT {
        let (mut length, mut blocks, mut optimal) = (0, 0, 0);
        for (_, shader) in rows.iter().zip(shaders).filter(|(row, _)| row.mesa > 0) {
            let made = once(shader, &Options { effort, ..Options::default() })?;
            length += made.words.len();
            blocks += made.blocks.len();
            optimal += made.blocks.iter().filter(|block| block.optimal).count();
        }
        let _ = writeln!(out, "{effort:<28} {length:>12} {blocks:>8} {optimal:>15}");
    }
    Ok(out)
}
