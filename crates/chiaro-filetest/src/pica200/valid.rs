//! Lifted programs as SPIR-V, judged by `spirv-val`: those of the vectors and random ones, from every entry, in every
//! mode, style and form.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use chiaro_pica200::lift::{Form, LiftError, Options, Style, lift};
use chiaro_pica200::machine::{Config, Mode};

use super::whole::{Program, programs};
use crate::glsl::validate::validate;

#[path = "../../../chiaro-pica200/tests/samples/random.rs"]
mod random;

/// What became of the modules.
#[derive(Default)]
pub struct Report {
    programs: usize,
    valid: usize,
    /// Beyond what is lifted.
    too_large: usize,
    wrong: Vec<String>,
    /// Whether there is no `spirv-val`.
    is_skipped: bool,
}

impl Report {
    /// Whether no module is against the rules.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.is_skipped || self.wrong.is_empty() && self.valid > 0
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_skipped {
            return writeln!(f, "skipped: there is no spirv-val; on Debian it is in the package spirv-tools");
        }
        self.wrong.iter().try_for_each(|why| writeln!(f, "{why}"))?;
        let Report { programs, valid, too_large, wrong, .. } = self;
        writeln!(
            f,
            "{programs} programs: {valid} modules valid, {} wrong; {too_large} too large",
            wrong.len()
        )
    }
}

/// Judges the programs of a folder of vectors, and the random ones of some seeds.
///
/// # Errors
/// A file that cannot be read.
pub fn check(folder: &Path, seeds: Range<u64>) -> Result<Report, String> {
    let mut report = Report::default();
    let random = seeds.map(|seed| {
        let (words, descriptors) = random::program(seed);
        Program { name: format!("seed {seed}"), words, descriptors, entry: 0, executable: None }
    });
    let own = folder.join("pica200");
    let folder = if own.is_dir() { &own } else { folder };
    for program in programs(folder)?.into_iter().chain(random) {
        report.programs += 1;
        for (mode, style, form) in settings() {
            report.judge(&program, mode, style, form);
        }
        if report.is_skipped {
            break;
        }
    }
    Ok(report)
}

/// A plain program is the same in every mode.
fn settings() -> impl Iterator<Item = (Mode, Style, Form)> {
    let styles = [(Mode::Emu32, Style::Exact), (Mode::Hw24, Style::Exact), (Mode::Emu32, Style::Plain)];
    styles.into_iter().flat_map(|(mode, style)| [Form::Stage, Form::Compute].map(|form| (mode, style, form)))
}

impl Report {
    fn judge(&mut self, program: &Program, mode: Mode, style: Style, form: Form) {
        let config = Config { mode, ..Config::default() };
        let options = Options { style, form, ..Options::default() };
        let mut wrong =
            |why: String| self.wrong.push(format!("{}, {mode:?}, {style:?}, {form:?}: {why}", program.name));
        let lifted = match lift(&program.source(), &options, &config) {
            Ok(lifted) => lifted,
            Err(LiftError::TooLarge(_)) => return self.too_large += 1,
            Err(error) => return wrong(error.to_string()),
        };
        match chiaro_spirv::emit(&lifted.module, "main").map(|words| validate(&words)) {
            Ok(Some(Ok(()))) => self.valid += 1,
            Ok(Some(Err(why))) => wrong(why),
            Ok(None) => self.is_skipped = true,
            Err(error) => wrong(error.to_string()),
        }
    }
}
