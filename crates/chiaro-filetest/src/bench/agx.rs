//! Lengths of AGX's prologs and epilogs, class by class, beside Mesa's of the same keys.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use chiaro_agx::report::Statistics;
use serde_json::Value;

use super::Figures;
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

/// Adds the table. What is not made is in no sum.
pub(super) fn measure(figures: &mut Figures, folder: &Path) -> Result<(), String> {
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
