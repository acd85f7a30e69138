//! `seeded FOLDER --target T --count N [--seed S]`: faults put into code that others compiled, and whether the rule checker
//! finds them.
//!
//! A target is a row: its kinds of faults, and the code that they are put into. That a fault changes something, a target
//! knows without its checker.

use std::fmt;
use std::path::{Path, PathBuf};

use chiaro_isa::Rng;

use crate::victim::{Row, Verdict};
use crate::{agx, rdna};

/// Misses that are shown.
const SHOWN: usize = 10;
/// Attempts for each fault: code need not have what a fault needs.
const ATTEMPTS: u64 = 1000;

/// The targets whose checkers are tried.
const ROWS: [&Row; 2] = [&rdna::seeded::ROW, &agx::seeded::ROW];

/// Names of those targets.
#[must_use]
pub fn targets() -> Vec<&'static str> {
    ROWS.iter().map(|row| row.target).collect()
}

/// What became of faults of a kind.
#[derive(Clone, Copy, Default)]
struct Count {
    name: &'static str,
    found: u64,
    harmless: u64,
    missed: u64,
}

/// What became of all faults.
#[derive(Default)]
pub struct Report {
    counts: Vec<Count>,
    missed: Vec<String>,
}

impl Report {
    /// Whether the checker found all that changes something.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.missed.is_empty()
    }

    /// How many it found of all kinds together.
    #[must_use]
    pub fn found(&self) -> u64 {
        self.counts.iter().map(|count| count.found).sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = ["fault", "seeded", "found", "changes nothing", "missed"];
        writeln!(f, "{:<14} {:>7} {:>7} {:>15} {:>7}", heads[0], heads[1], heads[2], heads[3], heads[4])?;
        for Count { name, found, harmless, missed } in &self.counts {
            let seeded = found + harmless + missed;
            writeln!(f, "{name:<14} {seeded:>7} {found:>7} {harmless:>15} {missed:>7}")?;
        }
        self.missed.iter().take(SHOWN).try_for_each(|why| writeln!(f, "missed: {why}"))
    }
}

/// Puts so many faults into the code below a folder: that of a target's vectors, or that of all targets.
///
/// # Errors
/// If a file cannot be read, or no code has what the faults need.
pub fn run(folder: &Path, target: &str, count: u64, seed: u64) -> Result<Report, String> {
    let row = ROWS.iter().find(|row| row.target == target);
    let row = row.ok_or_else(|| format!("faults are put into code of {}", targets().join(", ")))?;
    let own: PathBuf = Some(folder.join(target)).filter(|own| own.is_dir()).unwrap_or(folder.to_owned());
    let victims = (row.victims)(&own)?;
    let mut report = Report::default();
    report.counts.extend(row.faults.iter().map(|name| Count { name, ..Count::default() }));
    let (mut rng, mut left) = (Rng(seed), count);
    for _ in 0..count.saturating_mul(ATTEMPTS) {
        if left == 0 || victims.is_empty() {
            break;
        }
        let (victim, kind) = (&victims[rng.below(victims.len())], rng.below(row.faults.len()));
        let Some(verdict) = victim.seed(kind, &mut rng)? else { continue };
        left -= 1;
        let entry = &mut report.counts[kind];
        match verdict {
            Verdict::Found => entry.found += 1,
            Verdict::Harmless => entry.harmless += 1,
            Verdict::Missed(what) => {
                entry.missed += 1;
                report.missed.push(format!("{}, {}: {what}", victim.name(), row.faults[kind]));
            }
        }
    }
    if left > 0 { Err(format!("{left} of {count} faults find no place")) } else { Ok(report) }
}
