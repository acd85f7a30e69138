//! `fuzz --target pica200 --count N [--seed S]`: random shaders compiled, checked and run.
//!
//! Each seed makes a shader, which is compiled and verified: legal IR against words bit for
//! bit, source against legal IR within the stated errors, the words by the rules of the
//! hardware. A failing shader is reduced before it is told: fewer operations as long as it
//! fails in the same way.

mod reduce;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chiaro_ir::{GlobalRef, Module, Space};
use chiaro_opt::Cx;
use chiaro_pica200::abi::{Interface, Leaf};
use chiaro_pica200::compile::{Options, compile};
use chiaro_pica200::random;
use chiaro_pica200::verify::{Compared, Failure, verify};

/// Vertices that each shader runs on.
const VERTICES: usize = 12;

/// Failures that are reduced and told at length.
const TOLD: usize = 5;

/// What became of one shader.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Compiled, verified, run.
    Passed(Compared),
    /// It does not fit the machine: the message, without its numbers.
    Refused(String),
    /// Something is wrong: its kind, and what.
    Failed(String, String),
}

/// Compiles and verifies a shader.
#[must_use]
pub fn check(module: &Module, seed: u64) -> Outcome {
    let attempt = catch_unwind(AssertUnwindSafe(|| attempt(module, seed)));
    attempt.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
        Outcome::Failed("panic".into(), text.unwrap_or_default())
    })
}

/// What the uniforms are called; the array of four vectors is a matrix in every second shader.
fn interface(module: &Module, seed: u64) -> Interface {
    let global = module.globals.iter().position(|g| g.space == Space::Uniform);
    let leaf = global.filter(|_| seed % 2 == 1).map(|g| Leaf {
        name: "u.m".into(),
        global: Some(GlobalRef(g as u32)),
        path: vec![0],
        columns: true,
    });
    Interface { leaves: leaf.into_iter().collect() }
}

/// Every fourth shader makes every subroutine that saves a word.
fn options(seed: u64) -> Options {
    let options = Options::default();
    if seed % 4 == 3 { Options { subroutine_saves: 1, ..options } } else { options }
}

fn attempt(module: &Module, seed: u64) -> Outcome {
    let interface = interface(module, seed);
    let mut cx = Cx { verify: true, ..Cx::default() };
    let compiled = match compile(module, &interface, "main", &options(seed), &mut cx) {
        Ok(compiled) => compiled,
        Err(told) if told.message.contains("breaks a rule") => {
            return Outcome::Failed("breach".into(), told.message);
        }
        Err(told) => {
            let kind: String = told.message.chars().filter(|c| !c.is_ascii_digit()).collect();
            return Outcome::Refused(kind);
        }
    };
    match verify(module, &compiled, VERTICES, seed) {
        Ok(compared) => Outcome::Passed(compared),
        // A shader of noise says nothing of the compiler.
        Err(Failure::Untested { conclusive, inconclusive, .. }) => {
            Outcome::Passed(Compared { conclusive, inconclusive, ..Compared::default() })
        }
        Err(failure) => {
            let kind = match &failure {
                Failure::Rule(_) => "rule",
                Failure::Words(_) => "words",
                Failure::Meaning(_) => "meaning",
                _ => "stopped",
            };
            Outcome::Failed(kind.into(), failure.to_string())
        }
    }
}

/// The words of a shader, as far as it compiles.
fn listing(module: &Module, seed: u64) -> String {
    let compiled = catch_unwind(AssertUnwindSafe(|| {
        let mut cx = Cx::default();
        compile(module, &interface(module, seed), "main", &options(seed), &mut cx).ok()
    }));
    let compiled = compiled.ok().flatten();
    let text = compiled.and_then(|compiled| {
        let legal = chiaro_ir::print(&compiled.module);
        let words = chiaro_pica200::listing::listing(&compiled.shbin, &Default::default()).ok()?;
        Some(format!("; legal IR\n{legal}; words\n{words}"))
    });
    text.unwrap_or_default()
}

/// What a run found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Shaders that passed.
    pub passed: usize,
    /// Vertices that proved something, and that did not.
    pub vertices: (usize, usize),
    /// Shaders that do not fit the machine, by message.
    pub refused: BTreeMap<String, usize>,
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
        for (message, count) in &self.refused {
            let _ = writeln!(out, "refused {count:>7}   {message}");
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
pub fn run(count: u64, seed: u64, size: u32) -> Report {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut report = Report::default();
    for seed in seed..seed.saturating_add(count) {
        let size = 4 + (seed % u64::from(size.max(1))) as u32;
        let module = random::module(seed, size);
        match check(&module, seed) {
            Outcome::Passed(compared) => {
                report.passed += 1;
                report.vertices.0 += compared.conclusive;
                report.vertices.1 += compared.inconclusive;
            }
            Outcome::Refused(message) => *report.refused.entry(message).or_default() += 1,
            Outcome::Failed(kind, what) => {
                let seeds = report.failed.entry(kind.clone()).or_default();
                seeds.push(seed);
                if seeds.len() <= TOLD {
                    let whole = what.clone();
                    // A seed that is asked for alone is told whole.
                    let same = |m: &Module| matches!(check(m, seed), Outcome::Failed(k, _) if k == kind);
                    let small = if count == 1 { module.clone() } else { reduce::reduce(&module, same) };
                    let now = match check(&small, seed) {
                        Outcome::Failed(_, now) => now,
                        _ => what,
                    };
                    let (ir, words) = (chiaro_ir::print(&small), listing(&small, seed));
                    let _ =
                        writeln!(report.told, "seed {seed}: {kind}: {whole}\nreduced: {now}\n{ir}{words}");
                }
            }
        }
    }
    std::panic::set_hook(quiet);
    report
}
