//! A3xx: listings of a driver's binaries, and what the compiler makes of the driver's shaders beside it.

mod compiler;

use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use chiaro_a3xx::listing::{Style, mesa};
use chiaro_a3xx::report::Statistics;
use serde_json::Value;

use self::compiler::Stage;
use super::Figures;
use crate::a3xx::{compiled, words};
use crate::suite::Miss;

const TARGET: &str = "a3xx";
const MILLION: f64 = 1e6;
/// Statistics of the driver's compiler: a row for each variant of a shader.
const FILE: &str = "shader_stats_gpu320.tsv";
/// The driver's binaries.
const BINARIES: &str = "shaders_gpu320_1.jsonl";
/// Runs of each program, of which the fastest counts.
const RUNS: usize = 101;
/// Columns of the figures that are compared: instructions, empty slots, full registers, waves.
const COLUMNS: [usize; 4] = [2, 3, 10, 23];
/// The column of the milliseconds that the driver's compiler takes for a whole program.
const TIME: usize = 25;

/// A row of the driver's statistics.
struct Row {
    name: String,
    stage: Stage,
    figures: [u32; 4],
    milliseconds: f64,
}

pub(super) fn measure(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    listings(figures, folder)?;
    simulator(figures, folder)?;
    let folder = statistics(folder);
    let rows = rows(&folder)?;
    figures.tables.push(table(&folder, &rows)?);
    compiler::measure(figures, &folder, &rows)
}

/// The folder of the statistics: the sample stands beside the other vectors.
fn statistics(folder: &Path) -> PathBuf {
    if folder.join(FILE).is_file() { folder.to_owned() } else { folder.join("../shaders") }
}

/// The driver's binaries as text in its own syntax.
fn listings(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let path = folder.join(BINARIES);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut code = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let row: Value = serde_json::from_str(line).map_err(|e| format!("{BINARIES}: {e}"))?;
        if row.get("words").is_some() {
            code.push(words(&row["words"]).map_err(reason)?);
        }
    }
    let bytes = code.iter().map(|words| 8 * words.len()).sum();
    let mut characters = 0;
    let (best, median) = figures.rate(TARGET, "listing, bytes of code", ("MB/s", MILLION), bytes, || {
        let all = code.iter().map(|words| mesa::listing(black_box(words), Style::default()));
        characters = all.map(|text| text.len()).sum();
    });
    let text = characters as f64 / bytes.max(1) as f64;
    figures.push(TARGET, "listing, characters", "MB/s", (text * best, text * median));
    Ok(())
}

/// Our programs of the rows with inputs, 32 fibers at a time: all together, and the program in the middle.
fn simulator(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let speeds = compiled::speeds(folder, RUNS).map_err(reason)?;
    let executed: u64 = speeds.iter().map(|speed| speed.executed).sum();
    let seconds: f64 = speeds.iter().map(|speed| speed.seconds).sum();
    let all = executed as f64 / seconds / MILLION;
    figures.push(TARGET, "simulate our programs", "M fiber instructions/s", (all, all));
    let mut rates: Vec<f64> =
        speeds.iter().map(|speed| speed.executed as f64 / speed.seconds / MILLION).collect();
    rates.sort_by(f64::total_cmp);
    let (most, middle) = (rates.last().copied(), rates.get(rates.len() / 2).copied());
    let each = (most.unwrap_or(0.0), middle.unwrap_or(0.0));
    figures.push(TARGET, "simulate our programs, each", "M fiber instructions/s", each);
    Ok(())
}

fn reason(miss: Miss) -> String {
    match miss {
        Miss::Failed(reason) | Miss::Skipped(reason) => reason,
    }
}

fn rows(folder: &Path) -> Result<Vec<Row>, String> {
    let path = folder.join(FILE);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    text.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

fn row(line: &str) -> Result<Row, String> {
    let cells: Vec<&str> = line.split('\t').collect();
    let number = |at: usize| {
        let cell = cells.get(at).and_then(|cell| cell.parse::<f64>().ok());
        cell.ok_or_else(|| format!("{FILE}: {line}: column {at} is no number"))
    };
    let mut figures = [0; 4];
    for (figure, at) in figures.iter_mut().zip(COLUMNS) {
        *figure = number(at)? as u32;
    }
    let stage = match cells.get(1) {
        Some(&"frag") => Stage::Fragment,
        Some(&"bvert") => Stage::Binning,
        _ => Stage::Vertex,
    };
    Ok(Row { name: cells[0].to_owned(), stage, figures, milliseconds: number(TIME)? })
}

/// Instructions, empty slots, registers and waves of each variant, ours and the driver's; then their sums.
fn table(folder: &Path, rows: &[Row]) -> Result<String, String> {
    let head = ["instructions", "nops", "full", "waves"].map(|name| format!("{name:>13}"));
    let mut text = format!("{:<36}{}{:>6}\n", "a3xx, ours and Mesa's", head.concat(), "half");
    let mut sums = [[[0; 2]; 4]; Stage::ALL.len()];
    for row in rows {
        let made = compiler::of_row(folder, row)?;
        let ours = [made.inst, made.nops, made.full, made.waves];
        let name = format!("{}.{}", row.name, row.stage.name());
        line(&mut text, &name, &ours, &row.figures, Some(&made));
        for (sum, both) in sums[row.stage as usize].iter_mut().zip(ours.iter().zip(row.figures)) {
            *sum = [sum[0] + both.0, sum[1] + both.1];
        }
    }
    for stage in Stage::ALL {
        let [ours, theirs] = [0, 1].map(|n| sums[stage as usize].map(|both| both[n]));
        line(&mut text, &format!("all {}", stage.name()), &ours, &theirs, None);
    }
    Ok(text)
}

fn line(text: &mut String, name: &str, ours: &[u32; 4], theirs: &[u32; 4], made: Option<&Statistics>) {
    let cells: String = ours.iter().zip(theirs).map(|(a, b)| format!("{:>13}", format!("{a} {b}"))).collect();
    let half = made.map_or(String::new(), |made| made.half.to_string());
    let _ = writeln!(text, "{name:<36}{cells}{half:>6}");
}
