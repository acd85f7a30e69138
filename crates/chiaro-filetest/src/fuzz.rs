//! `fuzz --target T --count N [--seed S] [--stage vertex|fragment|compute] [--halves]`: random shaders compiled, checked
//! and run.
//!
//! Vertex shaders are long rows of arithmetic, fragment shaders the same with textures, quads and early ends; kernels have
//! loops that lanes leave one by one, and, by their seeds,
//! operations of subgroups, memory that lanes share, barriers, atomic sums.
//! Each seed makes a shader, which is compiled and verified: source against words within the
//! stated errors (for PICA200 legal IR against words bit for bit), the words by the rules of the
//! hardware. A failing shader is reduced before it is shown: fewer operations as long as it
//! fails in the same way.

pub mod keys;
mod reduce;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::glsl::piglit::words::first_message;
use chiaro::{Compared, CompileOptions, Failure, Interface, Leaf, Proof, Shader, Target};
use chiaro_ir::random::{self, Features};
use chiaro_ir::{GlobalRef, Module, Space, Stage};
use chiaro_opt::Cx;

/// Vertices that each shader runs on.
const VERTICES: usize = 12;

/// The bit of a kernel's seed that chooses the first setting; those before choose what it has.
const SETTINGS: usize = 2;

/// Failures that are reduced and shown at length.
const SHOWN: usize = 5;

/// What became of one shader.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Compiled, verified, run: vertices that proved something, and that did not.
    Passed(usize, usize),
    /// Compiled and run, but too few vertices prove anything: why most of them do not.
    Untested(&'static str),
    /// It does not fit the machine: the message, without its numbers.
    Refused(String),
    /// Something is wrong: its kind, and what.
    Failed(String, String),
}

/// Compiles the shader of a seed.
fn words<'a>(
    target: &dyn Target,
    module: &'a Module,
    interface: &'a Interface,
    seed: u64,
) -> Result<Box<dyn Proof + 'a>, String> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    let words = target.prove(Shader { module, interface }, &options(target, module, seed), &mut cx);
    words.map_err(|errors| first_message(&errors))
}

/// What the uniforms are called; the array of four vectors is a matrix in every second shader.
fn interface(module: &Module, seed: u64) -> Interface {
    let global = module.globals.iter().position(|g| g.space == Space::Uniform);
    let leaf = global.filter(|_| seed % 2 == 1).map(|g| Leaf {
        path: vec![0],
        columns: true,
        ..Leaf::named("u.m", GlobalRef(g as u32), module.globals[g].ty)
    });
    Interface { leaves: leaf.into_iter().collect(), ..Interface::default() }
}

/// Every fourth vertex shader is compiled with the settings that the target wants to be tried; kernels with each of them
/// every second time, in all combinations.
fn options(target: &dyn Target, module: &Module, seed: u64) -> CompileOptions {
    let is_kernel = module.entries.iter().any(|entry| entry.stage == Stage::Compute);
    // What settings leave of fragments need not be all that is compared: without them.
    let is_fragment = module.entries.iter().any(|entry| entry.stage == Stage::Fragment);
    let is_tried = |n: usize| match is_kernel {
        true => seed >> (SETTINGS + n) & 1 == 1,
        false => !is_fragment && seed % 4 == 3,
    };
    let tried = target.about().settings.iter().filter_map(|s| Some((s.name.to_owned(), s.tried?.to_owned())));
    let settings = tried.enumerate().filter(|(n, _)| is_tried(*n)).map(|(_, setting)| setting).collect();
    CompileOptions { entry: Some("main".into()), settings, ..CompileOptions::default() }
}

fn attempt(target: &dyn Target, module: &Module, seed: u64) -> Outcome {
    let names = interface(module, seed);
    match words(target, module, &names, seed).map(|words| words.verify(VERTICES, seed)) {
        Err(message) if message.contains("breaks a rule") => Outcome::Failed("breach".into(), message),
        Err(message) => Outcome::Refused(kind_of_refusal(&message)),
        Ok(Ok(Compared { conclusive, inconclusive, .. })) => Outcome::Passed(conclusive, inconclusive),
        // A shader of noise says nothing of the compiler.
        Ok(Err(Failure::Untested { why, .. })) => Outcome::Untested(why),
        Ok(Err(failure)) => Outcome::Failed(failure.kind().into(), failure.to_string()),
    }
}

/// The words of a shader, as far as it compiles.
fn listing(target: &dyn Target, module: &Module, seed: u64) -> String {
    let names = interface(module, seed);
    let made = || words(target, module, &names, seed).map_or_else(|_| String::new(), |words| words.listing());
    catch_unwind(AssertUnwindSafe(made)).unwrap_or_default()
}

/// A message without its numbers.
fn kind_of_refusal(message: &str) -> String {
    message.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Compiles and verifies a shader.
#[must_use]
pub fn check(target: &dyn Target, module: &Module, seed: u64) -> Outcome {
    guarded(|| attempt(target, module, seed))
}

/// An outcome; a panic is a failure with what it says.
fn guarded(attempt: impl FnOnce() -> Outcome) -> Outcome {
    catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|panic| {
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
    /// Seeds of shaders of which too little is proved, by reason.
    pub untested: BTreeMap<&'static str, Vec<u64>>,
    /// Seeds of shaders that do not fit the machine, by message.
    pub refused: BTreeMap<String, Vec<u64>>,
    /// Seeds of shaders that failed, by kind.
    pub failed: BTreeMap<String, Vec<u64>>,
    /// The first failures, reduced.
    pub shown: String,
}

impl Report {
    /// That of consecutive seeds, from one on: what each makes, what becomes of it, and the first failures of each kind
    /// for people. A seed that is asked for alone is shown whole.
    fn of<T>(
        (seed, count): (u64, u64),
        make: impl Fn(u64) -> T,
        check: impl Fn(u64, &T) -> Outcome,
        shown: impl Fn(u64, T, (&str, &str)) -> String,
    ) -> Report {
        let quiet = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let mut report = Report::default();
        for seed in seed..seed.saturating_add(count) {
            let made = make(seed);
            let outcome = check(seed, &made);
            if let Outcome::Failed(kind, what) = &outcome
                && report.failed.get(kind).map_or(0, Vec::len) < SHOWN
            {
                report.shown += &shown(seed, made, (kind, what));
            }
            report.count(seed, outcome);
        }
        std::panic::set_hook(quiet);
        report
    }

    /// Takes what became of a seed.
    fn count(&mut self, seed: u64, outcome: Outcome) {
        match outcome {
            Outcome::Passed(conclusive, inconclusive) => {
                self.passed += 1;
                self.vertices.0 += conclusive;
                self.vertices.1 += inconclusive;
            }
            Outcome::Untested(why) => self.untested.entry(why).or_default().push(seed),
            Outcome::Refused(message) => self.refused.entry(message).or_default().push(seed),
            Outcome::Failed(kind, _) => self.failed.entry(kind).or_default().push(seed),
        }
    }

    /// Whether nothing failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failed.is_empty()
    }

    /// A table.
    #[must_use]
    pub fn table(&self) -> String {
        let mut out = self.shown.clone();
        let (conclusive, inconclusive) = self.vertices;
        let _ =
            writeln!(out, "passed {:>8}   vertices {conclusive}, inconclusive {inconclusive}", self.passed);
        for (why, seeds) in &self.untested {
            let first = seeds.first().copied().unwrap_or_default();
            let _ = writeln!(out, "untested {:>6}   {why}: first seed {first}", seeds.len());
        }
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

/// What shaders are made.
#[derive(Clone, Copy, Debug)]
pub struct Make {
    /// Of which stage: vertices, fragments or kernels.
    pub stage: Stage,
    /// Instructions at most, about.
    pub size: u32,
    /// Whether kernels have floats of 16 bits: not every target does.
    pub halves: bool,
}

impl Make {
    /// The shader of a seed.
    fn module(self, seed: u64) -> Module {
        let size = 4 + (seed % u64::from(self.size.max(1))) as u32;
        match self.stage {
            Stage::Compute => {}
            Stage::Fragment => return random::fragment::module(seed, size),
            _ => return random::vertex::module(seed, size),
        }
        let [subgroup, shared] = [0, 1].map(|bit| seed >> bit & 1 == 1);
        let within = seed % 16 != 1;
        let halves = self.halves;
        let images = seed >> 2 & 7 == 5;
        let features = Features { variables: true, lively: true, subgroup, shared, within, halves, images };
        random::module_with(seed, size, features)
    }
}

/// Runs shaders of consecutive seeds.
#[must_use]
pub fn run(target: &dyn Target, count: u64, seed: u64, make: Make) -> Report {
    Report::of(
        (seed, count),
        |seed| make.module(seed),
        |seed, module| check(target, module, seed),
        |seed, module, (kind, what)| failure(target, module, (seed, count > 1), kind, what),
    )
}

/// A failure for people: reduced if asked for, as long as it fails in the same way.
fn failure(
    target: &dyn Target,
    module: Module,
    (seed, reduced): (u64, bool),
    kind: &str,
    what: &str,
) -> String {
    let same = |m: &Module| matches!(check(target, m, seed), Outcome::Failed(k, _) if k == kind);
    let small = if reduced { reduce::reduce(&module, same) } else { module };
    let now = match check(target, &small, seed) {
        Outcome::Failed(_, now) => now,
        _ => what.to_owned(),
    };
    let (ir, words) = (chiaro_ir::print(&small), listing(target, &small, seed));
    format!("seed {seed}: {kind}: {what}\nreduced: {now}\n{ir}{words}\n")
}
