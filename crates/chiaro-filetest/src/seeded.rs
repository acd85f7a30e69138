//! `seeded FOLDER --target T --count N [--seed S] [--own]`: faults put into code that others compiled, or that we do, and
//! whether the rule checker finds them.
//!
//! A target is a row: its kinds of faults, and the code that they are put into. That a fault changes something, a target
//! knows without its checker. Of our own code there is a program for each fault: the folder's shaders, then random ones.

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
static ROWS: [&Row; 2] = [&rdna::seeded::ROW, &agx::seeded::ROW];

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
    /// Programs of our own that faults were put into.
    programs: Option<u64>,
}

impl Report {
    fn of(row: &Row) -> Report {
        let counts = row.faults.iter().map(|name| Count { name, ..Count::default() });
        Report { counts: counts.collect(), ..Report::default() }
    }

    fn take(&mut self, victim: &str, kind: usize, verdict: Verdict) {
        let entry = &mut self.counts[kind];
        match verdict {
            Verdict::Found => entry.found += 1,
            Verdict::Harmless => entry.harmless += 1,
            Verdict::Missed(what) => {
                entry.missed += 1;
                self.missed.push(format!("{victim}, {}: {what}", entry.name));
            }
        }
    }

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
        if let Some(n) = self.programs {
            writeln!(f, "programs of our own: {n}, without a finding before")?;
        }
        self.missed.iter().take(SHOWN).try_for_each(|why| writeln!(f, "missed: {why}"))
    }
}

/// Puts so many faults into the code below a folder: that of a target's vectors, or that of all targets.
///
/// # Errors
/// If a file cannot be read, or no code has what the faults need.
pub fn run(folder: &Path, target: &str, count: u64, seed: u64) -> Result<Report, String> {
    let (row, folder) = found(folder, target)?;
    let victims = (row.victims)(&folder)?;
    let (mut report, mut rng, mut left) = (Report::of(row), Rng(seed), count);
    for _ in 0..count.saturating_mul(ATTEMPTS) {
        if left == 0 || victims.is_empty() {
            break;
        }
        let (victim, kind) = (&victims[rng.below(victims.len())], rng.below(row.faults.len()));
        let Some(verdict) = victim.seed(kind, &mut rng)? else { continue };
        left -= 1;
        report.take(victim.name(), kind, verdict);
    }
    if left > 0 { Err(format!("{left} of {count} faults find no place")) } else { Ok(report) }
}

/// Puts a fault into each of so many programs that we compile: shaders of a folder of vectors, then random ones.
///
/// # Errors
/// If a file cannot be read, a program is not compiled, or the checker says something of one before it has a fault.
pub fn run_own(folder: &Path, target: &str, count: u64, seed: u64) -> Result<Report, String> {
    let (row, folder) = found(folder, target)?;
    let own = row.own.ok_or_else(|| format!("faults are not put into what is compiled for {target}"))?;
    let own = own(&folder)?;
    let (mut report, mut rng, mut programs) = (Report::of(row), Rng(seed), 0);
    for n in 0..count.saturating_mul(ATTEMPTS) {
        if programs == count {
            break;
        }
        let victim = own(n)?;
        let first = rng.below(row.faults.len());
        for kind in (0..row.faults.len()).map(|kind| (first + kind) % row.faults.len()) {
            if let Some(verdict) = victim.seed(kind, &mut rng)? {
                report.take(victim.name(), kind, verdict);
                programs += 1;
                break;
            }
        }
    }
    report.programs = Some(programs);
    Ok(report)
}

/// A target among those whose checkers are tried, and its vectors.
fn found(folder: &Path, target: &str) -> Result<(&'static Row, PathBuf), String> {
    let row = ROWS.iter().find(|row| row.target == target);
    let row = row.ok_or_else(|| format!("faults are put into code of {}", targets().join(", ")))?;
    let own = Some(folder.join(target)).filter(|own| own.is_dir());
    Ok((row, own.unwrap_or(folder.to_owned())))
}
