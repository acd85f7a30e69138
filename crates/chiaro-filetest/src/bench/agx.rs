//! AGX: listings of a driver's code, the assembler, links, the simulator on the driver's units; lengths of prologs and
//! epilogs, class by class, and of main parts beside the driver's.

mod compiler;
mod keys;
mod mains;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;

use chiaro_agx::abi::link::{self, Part};
use chiaro_agx::asm;
use chiaro_agx::listing::{Labels, Lister, Style};
use chiaro_diag::SourceMap;
use chiaro_isa::Out;

use chiaro_agx::report::Statistics;
use serde_json::Value;

use super::Figures;
use crate::agx::driver;
use crate::agx::parts::made;
use crate::suite::Miss;

/// The files of keys.
const FILES: [&str; 3] = ["vs_prolog.jsonl", "fs_prolog.jsonl", "fs_epilog.jsonl"];

/// Rows, then instructions and bytes of ours and of Mesa's; rows that are left out.
#[derive(Clone, Copy, Default)]
struct Sum {
    rows: u64,
    instructions: [u64; 2],
    bytes: [u64; 2],
    left_out: u64,
}

const TARGET: &str = "agx";
const MILLION: f64 = 1e6;
/// Runs of each unit, of which the fastest counts.
const RUNS: usize = 101;
/// Units that are shown.
const SLOWEST: usize = 12;

pub(super) fn measure(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    text(figures, folder)?;
    links(figures);
    simulator(figures, folder)?;
    lengths(figures, folder)?;
    figures.tables.push(mains::table(folder)?);
    keys::measure(figures, folder)?;
    compiler::measure(figures, folder)
}

/// All units of the driver as text with labels, and that text assembled again.
fn text(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let code = driver::code(folder)?;
    let (lister, mut out) = (Lister::new(Style::default()), Out::default());
    let bytes = code.iter().map(Vec::len).sum();
    let (best, median) = figures.rate(TARGET, "listing, bytes of code", ("MB/s", MILLION), bytes, || {
        out.clear();
        code.iter().for_each(|code| lister.listing(code, &mut out));
        black_box(out.as_bytes());
    });
    let share = out.len() as f64 / bytes as f64;
    figures.push(TARGET, "listing, characters", "MB/s", (share * best, share * median));
    let texts: Vec<String> =
        code.iter().map(|code| chiaro_agx::listing::code(code, Style::default())).collect();
    let file = SourceMap::new().add("listing", String::new());
    let lines = code.iter().map(|code| lister.lines(code, &Labels::default()).len()).sum();
    figures.rate(TARGET, "assembly, instructions", ("M/s", MILLION), lines, || {
        texts.iter().for_each(|text| {
            black_box(asm::assemble(file, text, asm::Options::default()).is_ok());
        });
    });
    Ok(())
}

/// A vertex prolog and main part; a fragment prolog, main part and epilog.
fn links(figures: &mut Figures) {
    let code = [[0x72; 40], [0x0e; 40], [0x88; 40]];
    let [prolog, main, epilog] = [0, 1, 2].map(|n| Part { code: &code[n], halves: 24, ..Part::default() });
    let (best, median) = super::seconds(|| {
        black_box(link::fragment(Some(prolog), main, Some(epilog), 0).is_ok());
    });
    figures.push(TARGET, "link of three parts", "us", (best * MILLION, median * MILLION));
}

/// The driver's units, 32 lanes at a time.
fn simulator(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let mut speeds = driver::speeds(folder, RUNS)?;
    let executed: u64 = speeds.iter().map(|speed| speed.executed).sum();
    let seconds: f64 = speeds.iter().map(|speed| speed.seconds).sum();
    let rate = |executed: u64, seconds: f64| executed as f64 / seconds / MILLION;
    let all = rate(executed, seconds);
    figures.push(TARGET, "simulate a driver's units", "M lane instructions/s", (all, all));
    let mut rates: Vec<f64> = speeds.iter().map(|speed| rate(speed.executed, speed.seconds)).collect();
    rates.sort_by(f64::total_cmp);
    let middle = rates.get(rates.len() / 2).copied().unwrap_or(0.0);
    let most = rates.last().copied().unwrap_or(0.0);
    figures.push(TARGET, "simulate a driver's units, each", "M lane instructions/s", (most, middle));
    speeds.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let mut table = "agx, the longest             executed        time         rate\n".to_owned();
    for speed in speeds.iter().take(SLOWEST) {
        let (name, executed, us) = (&speed.name, speed.executed, speed.seconds * MILLION);
        let rate = rate(executed, speed.seconds);
        let _ = writeln!(table, "{name:26} {executed:>10} {us:>9.1} us {rate:>8.1} M/s");
    }
    figures.tables.push(table);
    Ok(())
}

/// Adds the table. What is not made is in no sum.
fn lengths(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let mut classes: BTreeMap<String, Sum> = BTreeMap::new();
    for name in FILES {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        for line in text.lines().filter(|line| line.starts_with('{')) {
            let row: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
            let class = row["class"].as_str().unwrap_or_default().to_owned();
            count(&row, classes.entry(class).or_default())?;
        }
    }
    figures.tables.push(table(&classes));
    Ok(())
}

fn count(row: &Value, sum: &mut Sum) -> Result<(), String> {
    let made = match made(row) {
        Ok(made) => made,
        Err(Miss::Skipped(_)) => {
            sum.left_out += 1;
            return Ok(());
        }
        Err(Miss::Failed(why)) => return Err(why),
    };
    let number = |name: &str| row[name].as_u64().unwrap_or(0);
    let ours = Statistics::of(&made.file.code, 0, None);
    sum.rows += 1;
    let bytes = made.file.code.len() as u64;
    for (to, n) in [(0, u64::from(ours.instructions)), (1, number("instructions"))] {
        sum.instructions[to] += n;
    }
    for (to, n) in [(0, bytes), (1, number("main_size"))] {
        sum.bytes[to] += n;
    }
    Ok(())
}

fn table(classes: &BTreeMap<String, Sum>) -> String {
    let mut text =
        "parts of keys                rows  instructions    Mesa   bytes    Mesa  left out\n".to_owned();
    let mut line = |name: &str, sum: &Sum| {
        let ([i, mesa_i], [b, mesa_b]) = (sum.instructions, sum.bytes);
        let (rows, left_out) = (sum.rows, sum.left_out);
        let _ = writeln!(text, "{name:26} {rows:6} {i:13} {mesa_i:7} {b:7} {mesa_b:7} {left_out:9}");
    };
    let mut all = Sum::default();
    for (name, sum) in classes {
        line(name, sum);
        all.rows += sum.rows;
        all.left_out += sum.left_out;
        for n in 0..2 {
            all.instructions[n] += sum.instructions[n];
            all.bytes[n] += sum.bytes[n];
        }
    }
    line("all", &all);
    text
}
