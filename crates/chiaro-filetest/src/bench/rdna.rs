//! RDNA: listings of a driver's code and of code objects, the simulator on the driver's programs, and the compiler
//! beside the driver's.

mod compiler;

use std::hint::black_box;
use std::path::Path;

use chiaro_isa::Out;
use chiaro_rdna::container::read;
use chiaro_rdna::listing::{Labels, Lister};
use serde_json::Value;

use super::Figures;
use crate::compute::hex_bytes;
use crate::rdna::compiled;
use crate::rdna::driver::{self, Speed};
use crate::suite::Miss;

const TARGET: &str = "rdna";
const MILLION: f64 = 1e6;
/// Runs of each program, of which the fastest counts.
const RUNS: usize = 25;
/// Programs that are shown.
const SLOWEST: usize = 12;

pub(super) fn measure(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    listings(figures, folder)?;
    simulator(figures, folder)?;
    compiler::measure(figures, folder)
}

/// All code of the vectors as text with labels, in one dialect.
fn listings(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let mut code = driver::code(folder).map_err(reason)?;
    code.extend(programs(folder)?);
    let listers = [32, 64].map(|wave| Lister::new(wave, 0));
    let mut out = Out::default();
    let bytes = code.iter().map(|(code, _)| code.len()).sum();
    let (best, median) = figures.rate(TARGET, "listing, bytes of code", ("MB/s", MILLION), bytes, || {
        out.clear();
        for (code, wave) in &code {
            let lister = &listers[usize::from(*wave == 64)];
            let read = lister.read(code);
            read.print(&read.labels(Labels::new()), &mut out);
        }
        black_box(out.as_bytes());
    });
    let text = out.len() as f64 / bytes as f64;
    figures.push(TARGET, "listing, characters", "MB/s", (text * best, text * median));
    Ok(())
}

/// The code of an assembler's programs and of code objects.
fn programs(folder: &Path) -> Result<Vec<(Vec<u8>, u8)>, String> {
    let mut code = Vec::new();
    for file in ["programs.jsonl", "code_objects.jsonl"] {
        let text = std::fs::read_to_string(folder.join(file)).map_err(|e| format!("{file}: {e}"))?;
        for line in text.lines().filter(|line| line.starts_with("{\"name\"")) {
            let row: Value = serde_json::from_str(line).map_err(|e| format!("{file}: {e}"))?;
            let bytes = |name: &str| hex_bytes(row[name].as_str().unwrap_or_default());
            let text = match row.get("hex") {
                Some(_) => bytes("hex").map_err(reason)?,
                None => read(&bytes("obj").map_err(reason)?).map_err(|e| format!("{file}: {e:?}"))?.text,
            };
            code.push((text, if row["wave"] == 64 { 64 } else { 32 }));
        }
    }
    Ok(code)
}

fn reason(miss: Miss) -> String {
    match miss {
        Miss::Failed(reason) | Miss::Skipped(reason) => reason,
    }
}

/// The driver's programs and ours, all checks on: instructions of waves in a second.
fn simulator(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let rate = |executed: u64, seconds: f64| executed as f64 / seconds / MILLION;
    let all = |speeds: &[Speed]| {
        let seconds: f64 = speeds.iter().map(|speed| speed.seconds).sum();
        rate(speeds.iter().map(|speed| speed.executed).sum(), seconds)
    };
    let mut speeds = driver::speeds(folder, RUNS).map_err(reason)?;
    for (what, speeds) in [
        ("simulate a driver's programs", &speeds),
        ("simulate what we compile of its shaders", &compiled::speeds(folder, RUNS).map_err(reason)?),
    ] {
        figures.push(TARGET, what, "M wave instructions/s", (all(speeds), all(speeds)));
    }
    speeds.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let rows = speeds.iter().take(SLOWEST).map(|speed| {
        let (name, executed) = (&speed.name, speed.executed);
        format!(
            "{name:<28} {executed:>9} {:>8.2} ms {:>8.2} M/s",
            speed.seconds * 1e3,
            rate(executed, speed.seconds)
        )
    });
    let head = format!("{:<28} {:>9} {:>11} {:>12}", "rdna, the longest", "executed", "time", "rate");
    figures.tables.push(std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n"));
    Ok(())
}
