//! `chiaro report`: what compiled shaders take of the machine, and how two of them differ.

pub mod csv;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod sarif;
pub mod table;
pub mod text;
pub mod wanted;

use std::path::{Path, PathBuf};

use chiaro::{CompileOptions, Report, compile};
use chiaro_opt::Cx;
use clap::{Args, ValueEnum};

use crate::cli;
use crate::shell::{Failure, Shell};
use crate::survey::{Message, Outcome, Row};
use wanted::Wanted;

/// Report what compiled shaders, or containers, take of the machine: words, registers, cycles by
/// path, words by source line.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    wanted: Wanted,
    /// The form; docs/report.schema.json describes JSON.
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    format: Form,
    /// As JSON: `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// A source to compare with; what `--after` names is reported as its difference from this.
    #[arg(long, value_name = "FILE", requires = "after", conflicts_with = "files")]
    before: Option<PathBuf>,
    /// The other source of a comparison.
    #[arg(long, value_name = "FILE", requires = "before")]
    after: Option<PathBuf>,
    /// The files are code alone, without a container.
    #[arg(long)]
    raw: bool,
    /// Where to write it; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    pub watch: cli::Watch,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people: one shader in full, several as tables.
    Text,
    /// A versioned schema.
    Json,
    /// Tables for a merge request.
    Markdown,
    /// A line for each metric.
    Csv,
    /// SARIF 2.1.0: what does not compile, for code review.
    Sarif,
    /// Test cases, one a row.
    Junit,
}

/// Compiles the sources and prints their reports.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let mut has_failed = false;
    let text = match (&options.before, &options.after) {
        (Some(before), Some(after)) => {
            let target = options.only_target(shell)?;
            let (before, after) =
                (options.report(before, target, shell)?, options.report(after, target, shell)?);
            match options.form() {
                Form::Json => json::difference(&before, &after),
                _ => text::difference(&before, &after),
            }
        }
        _ => options.several(shell, &mut has_failed)?,
    };
    shell.check()?;
    let written = shell.write(options.output.as_deref(), text.as_bytes());
    // What failed stands among the rows, whoever reads them.
    if has_failed { written.and(Err(Failure::Input)) } else { written }
}

/// A message with its place.
pub fn place(message: &Message) -> String {
    match &message.place {
        Some((file, line, column)) => format!("{file}:{line}:{column}: {}", message.text),
        None => message.text.clone(),
    }
}

impl Options {
    fn form(&self) -> Form {
        if self.json { Form::Json } else { self.format }
    }

    fn only_target(&self, shell: &mut Shell) -> Result<cli::TargetName, Failure> {
        match self.wanted.targets()[..] {
            [one] => Ok(one),
            _ => Err(shell.misused("two shaders are compared for one target", "name it with `--target`")),
        }
    }

    /// Rows of files, or of the project. What does not compile is among them, and fails the run.
    fn several(&self, shell: &mut Shell, has_failed: &mut bool) -> Result<String, Failure> {
        if let (true, [target], Form::Text | Form::Json) =
            (self.is_plain(), &self.wanted.targets()[..], self.form())
        {
            return self.in_full(*target, shell);
        }
        let plan = self.wanted.plan(shell)?;
        plan.note_inputs(shell);
        let rows = plan.rows(self.wanted.threads);
        *has_failed = counts(&rows).1 > 0;
        Ok(match self.form() {
            Form::Text => table::rows(&rows),
            Form::Json => json::rows(&rows),
            Form::Markdown => markdown::rows(&rows),
            Form::Csv => csv::rows(&rows),
            Form::Sarif => sarif::rows(&rows),
            Form::Junit => junit::rows(&rows),
        })
    }

    /// Whether one file is named, for one target, as it is.
    fn is_plain(&self) -> bool {
        self.wanted.variant.is_empty()
            && matches!(&self.wanted.files[..], [path] if !path.is_dir() && !is_pattern(path))
    }

    /// Each file by itself, with everything that is known of it; the first that fails ends the run.
    fn in_full(&self, target: cli::TargetName, shell: &mut Shell) -> Result<String, Failure> {
        let mut reports = Vec::with_capacity(self.wanted.files.len());
        for path in &self.wanted.files {
            reports.push((path.display().to_string(), self.report(path, target, shell)?));
        }
        Ok(if self.form() == Form::Json { json::reports(&reports) } else { text::reports(&reports) })
    }

    fn report(&self, path: &Path, target: cli::TargetName, shell: &mut Shell) -> Result<Report, Failure> {
        let settings = self.wanted.settings.settings.clone();
        let bytes = shell.read(path)?;
        if self.raw || target.has_container(&bytes) {
            return target.report(&bytes, &settings).map_err(|error| shell.fail(*error));
        }
        let all = self.wanted.module.load_all(&[path.to_owned()], None, shell)?;
        let wanted =
            CompileOptions { entry: self.wanted.entry.clone(), settings, ..CompileOptions::default() };
        let compiled = compile(target, &all, &wanted, &shell.sources, &mut Cx::default());
        let compiled = shell.taken(compiled)?;
        shell.report_all(compiled.remarks);
        Ok(compiled.report)
    }
}

fn is_pattern(path: &Path) -> bool {
    !path.exists() && path.to_string_lossy().contains(['*', '?', '[', '{'])
}

/// Rows that compile, and those that do not.
fn counts(rows: &[Row]) -> (usize, usize, usize) {
    rows.iter().fold((0, 0, 0), |(made, failed, absent), row| match row.outcome {
        Outcome::Made(_) => (made + 1, failed, absent),
        Outcome::Failed(_) => (made, failed + 1, absent),
        Outcome::NotHere(_) => (made, failed, absent + 1),
    })
}
