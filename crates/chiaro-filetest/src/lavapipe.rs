//! Compute modules on lavapipe, Mesa's Vulkan driver for processors.
//!
//! It is the judge of what our words mean to others: a module that we rewrote must compute
//! what the original computes. The driver is looked for at run time; on Debian it is in the
//! packages `mesa-vulkan-drivers` and `libvulkan1`.

pub mod corpus;
mod device;
pub mod draw;
mod flavours;
pub mod lifted;
mod objects;
pub mod rays;
pub mod textures;

use std::fmt;
use std::path::Path;

use chiaro_ir::interp::compare::Tolerance;

use crate::compute::{self, Job};
pub use device::{Bound, Device, Dispatch, Kind};

/// What became of each row.
pub struct Report {
    /// The driver's name.
    pub driver: String,
    /// The rows.
    pub rows: Vec<RowReport>,
    /// Modules that have neither a row nor a reason to have none.
    pub unaccounted: Vec<String>,
    /// Whether loose uniforms that we moved into a block are read as those of a block.
    pub flavours: bool,
}

/// What became of a row.
pub struct RowReport {
    /// The module.
    pub shader: String,
    /// Whether the rewritten module gives the same bits as the original.
    pub same: Result<bool, String>,
    /// Whether the original gives the stored bits.
    pub exact: bool,
    /// Whether the original is as close to the stored outputs as the row asks for.
    pub close: bool,
    /// Whether what we make of the GLSL source is as close, or gives the original's bits.
    pub source: Result<bool, String>,
}

impl Report {
    /// Whether every rewritten module computes what its original does.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.flavours
            && self.unaccounted.is_empty()
            && self.rows.iter().all(|row| row.same == Ok(true) && row.source == Ok(true))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<24} {:<10} {:<10} stored outputs   ({})",
            "module", "rewritten", "source", self.driver
        )?;
        for row in &self.rows {
            let same = match &row.same {
                Ok(true) => "same",
                Ok(false) => "DIFFERENT",
                Err(reason) => reason,
            };
            let source = match &row.source {
                Ok(true) => "agrees",
                Ok(false) => "DIFFERENT",
                Err(reason) => reason,
            };
            let stored = match (row.exact, row.close) {
                (true, _) => "same",
                (false, true) => "close",
                (false, false) => "different",
            };
            writeln!(f, "{:<24} {same:<10} {source:<10} {stored}", row.shader)?;
        }
        let count = |keep: fn(&RowReport) -> bool| self.rows.iter().filter(|r| keep(r)).count();
        writeln!(
            f,
            "{} rows: {} same when rewritten; {} agree from source; {} equal to the stored outputs, {} within tolerance",
            self.rows.len(),
            count(|r| r.same == Ok(true)),
            count(|r| r.source == Ok(true)),
            count(|r| r.exact),
            count(|r| r.close),
        )?;
        for (module, reason) in compute::without_row() {
            writeln!(f, "{module:<24} no row: {reason}")?;
        }
        for module in &self.unaccounted {
            writeln!(f, "{module:<24} no row, AND NO REASON FOR IT")?;
        }
        let verdict = if self.flavours { "same" } else { "DIFFERENT" };
        writeln!(f, "loose uniforms, moved into a block: {verdict}")
    }
}

/// Runs every row of `rdna/lavapipe_outputs.jsonl` in a folder: the module as it is, and as
/// we write it.
///
/// # Errors
/// Rows or modules that cannot be read.
pub fn check(device: &Device, folder: &Path) -> Result<Report, String> {
    let path = folder.join("rdna/lavapipe_outputs.jsonl");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let flavours = flavours::agree(device)?;
    let driver = device.name().to_owned();
    let mut report = Report { driver, rows: Vec::new(), unaccounted: Vec::new(), flavours };
    let jobs = compute::jobs(&text)?;
    report.unaccounted = compute::unaccounted(&folder.join("rdna/shaders"), &jobs)?;
    for (_, job) in jobs {
        let words = compute::module(&folder.join("rdna/shaders"), &job.shader)?;
        let source = folder.join("rdna/shaders").join(&job.shader).with_extension("comp");
        report.rows.push(row(device, &job, &words, &source));
    }
    Ok(report)
}

fn row(device: &Device, job: &Job, words: &[u32], source: &Path) -> RowReport {
    let original = run(device, job, words);
    let rewritten =
        chiaro_spirv::rewrite(words).map_err(|e| e.to_string()).and_then(|w| run(device, job, &w));
    let stored = |tolerance| original.as_ref().is_ok_and(|after| job.compare(after, tolerance).passed());
    RowReport {
        shader: job.shader.clone(),
        exact: stored(Tolerance::Exact),
        close: stored(job.tolerance),
        source: from_source(device, job, source).map(|after| {
            original.as_ref().is_ok_and(|o| *o == after) || job.compare(&after, job.tolerance).passed()
        }),
        same: match (&original, rewritten) {
            (Ok(original), Ok(rewritten)) => Ok(*original == rewritten),
            (Err(reason), _) => Err(format!("original: {reason}")),
            (_, Err(reason)) => Err(reason),
        },
    }
}

/// Runs what we make of a GLSL source.
fn from_source(device: &Device, job: &Job, path: &Path) -> Result<Vec<Vec<u32>>, String> {
    let shader = crate::stages::Shader::compile(path)?;
    run(device, job, &shader.vulkan()?)
}

/// Runs a module on the buffers of a row; answers them as they are after.
///
/// # Errors
/// What the driver refuses.
pub fn run(device: &Device, job: &Job, words: &[u32]) -> Result<Vec<Vec<u32>>, String> {
    let bound =
        |b: &compute::Buffer| Bound { binding: b.binding, kind: Kind::Storage, words: b.words.clone() };
    device.run(&Dispatch {
        words,
        entry: c"main",
        groups: job.groups,
        push: &job.push,
        buffers: job.buffers.iter().map(bound).collect(),
    })
}
