//! Piglit's tests that check themselves, without OpenGL: `.shader_test` files on the
//! interpreter, and the files that only say whether a compiler should take them.
//!
//! Left out, and counted with the reason: what has stages, objects or states that are not here
//! (textures, buffers, images), and versions that are not asked for.

mod draw;
mod geometry;
mod parser_test;
mod program;
mod raster;
mod script;
pub mod words;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use super::corpus::{files, read};
use super::differences::Differences;

/// What came of a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// As it says.
    Pass,
    /// Otherwise.
    Fail(String),
    /// It asks for what is not here.
    Skip(String),
}

/// Tests of one kind.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many pass.
    pub passed: usize,
    /// Those that fail for a reason that is listed.
    pub listed: usize,
    /// Those that fail otherwise: name and reason.
    pub failed: Vec<(String, String)>,
    /// Why others do not run, and how many.
    pub skipped: BTreeMap<String, usize>,
}

impl Tally {
    /// The share of the tests that run and pass.
    #[must_use]
    pub fn share(&self) -> f64 {
        100.0 * self.passed as f64 / (self.passed + self.listed + self.failed.len()).max(1) as f64
    }

    fn add(&mut self, name: &str, outcome: Outcome, known: &Differences) {
        match outcome {
            Outcome::Pass if known.reason("piglit", name).is_some() => {
                let what = "passes, though `known-differences.tsv` has it: take it from the list";
                self.failed.push((name.to_owned(), what.to_owned()));
            }
            Outcome::Pass => self.passed += 1,
            Outcome::Fail(_) if known.reason("piglit", name).is_some() => self.listed += 1,
            Outcome::Fail(reason) => self.failed.push((name.to_owned(), reason)),
            Outcome::Skip(reason) => *self.skipped.entry(reason).or_default() += 1,
        }
    }
}

/// All tests of a folder.
#[derive(Debug, Default)]
pub struct Report {
    /// `.shader_test` files.
    pub run: Tally,
    /// Files that are only compiled.
    pub parse: Tally,
}

impl Report {
    /// Whether every failure is listed.
    #[must_use]
    pub fn explained(&self) -> bool {
        self.run.failed.is_empty() && self.parse.failed.is_empty()
    }
}

/// Runs the tests of a folder, or those whose path holds a text.
///
/// # Errors
/// A folder or file that cannot be read.
pub fn check(folder: &Path, only: Option<&str>) -> io::Result<Report> {
    let known = Differences::known();
    let mut report = Report::default();
    for path in files(folder)? {
        let name = name_of(&path, folder);
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or("");
        let (tally, test): (_, fn(&str, &str) -> Outcome) = match end {
            "shader_test" => (&mut report.run, run),
            "vert" | "frag" => (&mut report.parse, parser_test::run),
            _ => continue,
        };
        let text = read(&path)?;
        let outcome = catch_unwind(AssertUnwindSafe(|| test(&name, &text)));
        tally.add(&name, outcome.unwrap_or_else(|_| Outcome::Fail("panic".to_owned())), &known);
    }
    Ok(report)
}

/// A `.shader_test`.
fn run(_: &str, text: &str) -> Outcome {
    match script::parse(text).and_then(|script| draw::run(&script)) {
        Ok(()) => Outcome::Pass,
        Err(outcome) => outcome,
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, tally) in [("run", &self.run), ("parse", &self.parse)] {
            for (name, reason) in &tally.failed {
                writeln!(f, "{kind}\t{name}\t{reason}")?;
            }
        }
        for (kind, tally) in [("run", &self.run), ("parse", &self.parse)] {
            for (reason, count) in &tally.skipped {
                writeln!(f, "{kind:6} {count:6} left out: {reason}")?;
            }
        }
        for (kind, tally) in [("run", &self.run), ("parse", &self.parse)] {
            let (passed, listed, failed) = (tally.passed, tally.listed, tally.failed.len());
            let share = tally.share();
            writeln!(
                f,
                "{kind:6} {passed} pass ({share:.1} %), {listed} fail for listed reasons, {failed} otherwise"
            )?;
        }
        Ok(())
    }
}

/// The name of a test: its path from piglit's own folders on, wherever these lie below `folder`.
fn name_of(path: &Path, folder: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let is_outer = |part: &std::ffi::OsStr| part != "tests" && part != "generated_tests";
    let name: PathBuf = below.iter().skip_while(|part| is_outer(part)).collect();
    let name = if name.as_os_str().is_empty() { below } else { &name };
    name.to_string_lossy().into_owned()
}
