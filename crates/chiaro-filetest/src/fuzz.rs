//! `fuzz --target T --count N [--seed S]`: random shaders compiled, checked and run.
//!
//! Each seed makes a shader, which is compiled and verified: source against words within the
//! stated errors (for PICA200 legal IR against words bit for bit), the words by the rules of the
//! hardware. A failing shader is reduced before it is told: fewer operations as long as it
//! fails in the same way.

mod pica200;
mod reduce;
mod utgard;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chiaro_ir::Module;
use chiaro_ir::random::vertex as random;

use crate::target::WordTarget;

/// Vertices that each shader runs on.
const VERTICES: usize = 12;

/// Failures that are reduced and told at length.
const TOLD: usize = 5;

/// What became of one shader.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Compiled, verified, run: vertices that proved something, and that did not.
    Passed(usize, usize),
    /// It does not fit the machine: the message, without its numbers.
    Refused(String),
    /// Something is wrong: its kind, and what.
    Failed(String, String),
}

impl WordTarget {
    fn attempt(self, module: &Module, seed: u64) -> Outcome {
        match self {
            WordTarget::Pica200 => pica200::attempt(module, seed),
            WordTarget::UtgardGp => utgard::attempt(module, seed),
        }
    }

    /// The words of a shader, as far as it compiles.
    fn listing(self, module: &Module, seed: u64) -> String {
        match self {
            WordTarget::Pica200 => pica200::listing(module, seed),
            WordTarget::UtgardGp => utgard::listing(module),
        }
    }
}

/// A message without its numbers.
fn kind_of_refusal(message: &str) -> String {
    message.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Compiles and verifies a shader.
#[must_use]
pub fn check(target: WordTarget, module: &Module, seed: u64) -> Outcome {
    let attempt = catch_unwind(AssertUnwindSafe(|| target.attempt(module, seed)));
    attempt.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
        Outcome::Failed("panic".into(), text.unwrap_or_default())
    })
}

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Shaders that passed.
    pub passed: usize,
    /// Vertices that proved something, and that did not.
    pub vertices: (usize, usize),
    /// Seeds of shaders that do not fit the machine, by message.
    pub refused: BTreeMap<String, Vec<u64>>,
    /// Seeds of shaders that failed, by kind.
    pub failed: BTreeMap<String, Vec<u64>>,
    /// The first failures, reduced.
    pub told: String,
}

impl Report {
    /// Whether nothing failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failed.is_empty()
    }

    /// A table.
    #[must_use]
    pub fn table(&self) -> String {
        let mut out = self.told.clone();
        let (conclusive, inconclusive) = self.vertices;
        let _ =
            writeln!(out, "passed {:>8}   vertices {conclusive}, inconclusive {inconclusive}", self.passed);
        for (message, seeds) in &self.refused {
            let first = seeds.first().copied().unwrap_or_default();
            let _ = writeln!(out, "refused {:>7}   {message}: first seed {first}", seeds.len());
        }
        for (kind, seeds) in &self.failed {
            let some: Vec<String> = seeds.iter().take(12).map(u64::to_string).collect();
            let _ = writeln!(out, "failed {:>8}   {kind}: seeds {}", seeds.len(), some.join(" "));
        }
        out
    }
}

/// Runs shaders of consecutive seeds.
#[must_use]
pub fn run(target: WordTarget, count: u64, seed: u64, size: u32) -> Report {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut report = Report::default();
    for seed in seed..seed.saturating_add(count) {
        let size = 4 + (seed % u64::from(size.max(1))) as u32;
        let module = random::module(seed, size);
        match check(target, &module, seed) {
            Outcome::Passed(conclusive, inconclusive) => {
                report.passed += 1;
                report.vertices.0 += conclusive;
                report.vertices.1 += inconclusive;
            }
            Outcome::Refused(message) => report.refused.entry(message).or_default().push(seed),
            Outcome::Failed(kind, what) => {
                let seeds = report.failed.entry(kind.clone()).or_default();
                seeds.push(seed);
                if seeds.len() <= TOLD {
                    let whole = what.clone();
                    // A seed that is asked for alone is told whole.
                    let same =
                        |m: &Module| matches!(check(target, m, seed), Outcome::Failed(k, _) if k == kind);
                    let small = if count == 1 { module.clone() } else { reduce::reduce(&module, same) };
                    let now = match check(target, &small, seed) {
                        Outcome::Failed(_, now) => now,
                        _ => what,
                    };
                    let (ir, words) = (chiaro_ir::print(&small), target.listing(&small, seed));
                    let _ =
                        writeln!(report.told, "seed {seed}: {kind}: {whole}\nreduced: {now}\n{ir}{words}");
                }
            }
        }
    }
    std::panic::set_hook(quiet);
    report
}
