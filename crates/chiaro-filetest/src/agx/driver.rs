//! `compile.jsonl`: what a driver's compiler made, run on the simulator with tables of that driver (spec 25), against
//! what the sources mean on the interpreter.
//!
//! | file | is |
//! |---|---|
//! | `tables` | the driver's tables, pushed uniforms, constants |
//! | `source` | the source on the interpreter: numbers, and how far they move where operations round in other ways |
//! | `given` | inputs that a seed makes |
//! | `ready` | a unit with what it needs to run |
//! | `textures` | images as the interpreter and as the machine have them |
//! | `kernels`, `vertices`, `fragments` | one stage each |

mod fragments;
pub(super) mod given;
mod kernels;
mod ready;
pub(super) mod scalars;
pub(super) mod source;
mod tables;
pub(super) mod textures;
mod vertices;

use std::path::Path;
use std::time::Instant;

use chiaro_agx::regs::LANES;
use serde_json::Value;

use super::linked::Unit;
use crate::stages::Shader;
use crate::suite::{Miss, Row};

/// Units that nobody can compare, and why.
const NOT_COMPARABLE: &[(&str, &str, &str)] = &[(
    "f16_mixed",
    "comp",
    "its buffers of 16 and 32 bits share their bytes, so threads write what others read",
)];

/// Runs a unit and compares what it leaves with what its source means.
pub(super) fn unit(row: &Row<'_>) -> Result<(), Miss> {
    let unit = Unit::of(row.json()?)?;
    let [name, stage] = ["name", "stage"].map(|field| unit.object[field].as_str().unwrap_or_default());
    if let Some((.., why)) = NOT_COMPARABLE.iter().find(|row| (row.0, row.1) == (name, stage)) {
        return Err(Miss::Skipped(format!("{name}.{stage}: {why}")));
    }
    let shader = shader(row.folder, name, stage)?;
    let ran = match stage {
        "comp" => kernels::compare(&unit, &shader.module),
        "frag" => fragments::compare(&unit, &shader.module, row.folder),
        _ => vertices::compare(&unit, &shader.module),
    };
    ran.map_err(|miss| match miss {
        Miss::Failed(why) => Miss::Failed(format!("{name}.{stage}: {why}")),
        Miss::Skipped(why) => Miss::Skipped(format!("{name}.{stage}: {why}")),
    })
}

/// The source of a unit. Software vertex shaders have that of the others.
fn shader(folder: &Path, name: &str, stage: &str) -> Result<Shader, Miss> {
    let text = std::fs::read_to_string(folder.join("corpus_src.jsonl")).map_err(|e| e.to_string())?;
    let start = format!("{{\"name\":\"{name}\"");
    let line = text.lines().find(|line| line.starts_with(&start)).ok_or("no source has this name")?;
    let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
    let stage = stage.trim_end_matches("_sw");
    let source = row[stage].as_str().ok_or("the source has no such stage")?;
    Ok(Shader::of_text(format!("{name}.{stage}"), source.to_owned())?)
}

/// The code of all units.
pub(crate) fn code(folder: &Path) -> Result<Vec<Vec<u8>>, String> {
    let path = folder.join("compile.jsonl");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let rows = text.lines().filter(|line| line.starts_with('{'));
    let units = rows.map(|line| Unit::of(serde_json::from_str(line).map_err(|e| e.to_string())?));
    units.map(|unit| unit.map(|unit| unit.main).map_err(|miss| format!("{miss:?}"))).collect()
}

/// How fast a unit runs.
pub(crate) struct Speed {
    pub(crate) name: String,
    /// Instructions, counted in each lane that was launched.
    pub(crate) executed: u64,
    pub(crate) seconds: f64,
}

/// Runs the units, each so many times, of which the fastest counts. What nobody can run is left out.
pub(crate) fn speeds(folder: &Path, runs: usize) -> Result<Vec<Speed>, String> {
    let path = folder.join("compile.jsonl");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let rows = text.lines().enumerate().filter(|(_, text)| text.starts_with('{'));
    let rows = rows.map(|(n, text)| Row { folder, line: n + 1, text });
    Ok(rows.filter_map(|row| speed(&row, runs).ok()).collect())
}

fn speed(row: &Row<'_>, runs: usize) -> Result<Speed, Miss> {
    let unit = Unit::of(row.json()?)?;
    let [name, stage] = ["name", "stage"].map(|field| unit.object[field].as_str().unwrap_or_default());
    let shader = shader(row.folder, name, stage)?;
    let mut ready = match stage {
        "comp" => kernels::ready(&unit, &shader.module),
        "frag" => fragments::ready(&unit, &shader.module, row.folder),
        _ => vertices::ready(&unit, &shader.module),
    }?;
    let mut speed = Speed { name: format!("{name}.{stage}"), executed: 0, seconds: f64::INFINITY };
    for _ in 0..runs {
        ready.start([0; 3]);
        let start = Instant::now();
        let outcome = ready.group.run(&mut ready.memory);
        speed.seconds = speed.seconds.min(start.elapsed().as_secs_f64());
        speed.executed = outcome.issued * u64::from(LANES);
    }
    Ok(speed)
}
