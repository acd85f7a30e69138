//! `chiaro report`: what compiled shaders take of the machine, and how two of them differ.

pub mod csv;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod sarif;
pub mod table;
pub mod text;
pub mod wanted;

use std::path::{Path, PathBuf};

use chiaro::timeline::Timeline;
use chiaro::{CompileOptions, Report};
use clap::{Args, ValueEnum};

use crate::cli;
use crate::made::{self, Made};
use crate::page;
use crate::shell::{Failure, Shell};
use crate::survey::{Message, Outcome, Row, files, programs_of};
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
    /// A source to compare with; what `--after` names is reported as its difference from this. `chiaro diff` says
    /// more, in more forms.
    #[arg(long, value_name = "FILE", requires = "after", conflicts_with_all = ["files", "variant"])]
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
    /// A page: tables, and each shader with source, code, flow, pressure and timeline.
    Html,
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
                Form::Text => text::difference(&before, &after),
                _ => {
                    let message = "two sources are compared as text or JSON here";
                    return Err(shell.misused(message, "`chiaro diff BEFORE AFTER` has more forms"));
                }
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
    let help = message.help.first().map(|help| format!(" ({help})")).unwrap_or_default();
    match &message.place {
        Some((file, line, column)) => format!("{file}:{line}:{column}: {}{help}", message.text),
        None => format!("{}{help}", message.text),
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
        if let (true, [target], Form::Text | Form::Json | Form::Html) =
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
            Form::Html => html::rows(&rows, &plan),
        })
    }

    /// Whether one file is named, for one target, as it is.
    fn is_plain(&self) -> bool {
        self.wanted.variant.is_empty()
            && matches!(&self.wanted.files[..], [path] if !path.is_dir() && !is_pattern(path))
    }

    /// Each file by itself, with everything that is known of it; the first that fails ends the run.
    fn in_full(&self, target: cli::TargetName, shell: &mut Shell) -> Result<String, Failure> {
        let mut all = Vec::with_capacity(self.wanted.files.len());
        for path in &self.wanted.files {
            let bytes = if self.raw { Vec::new() } else { shell.read(path)?.to_vec() };
            for (_, settings) in programs_of(target, &bytes, &self.wanted.settings.settings) {
                all.push(self.made(path, target, settings, shell)?);
            }
        }
        Ok(match self.form() {
            Form::Json => json::programs(&all),
            Form::Html => pages(&all),
            _ => text::programs(&all),
        })
    }

    fn report(&self, path: &Path, target: cli::TargetName, shell: &mut Shell) -> Result<Report, Failure> {
        let settings = self.wanted.settings.settings.clone();
        self.made(path, target, settings, shell).map(|(_, report)| report)
    }

    /// What becomes of a file, and its report.
    fn made(
        &self,
        path: &Path,
        target: cli::TargetName,
        settings: Vec<(String, String)>,
        shell: &mut Shell,
    ) -> Result<(Made, Report), Failure> {
        let options =
            CompileOptions { entry: self.wanted.entry.clone(), settings, ..CompileOptions::default() };
        let wanted = made::Wanted {
            files: &[path.to_owned()],
            target,
            choices: &self.wanted.module,
            options: &options,
            raw: self.raw,
            passes: false,
            accounts: false,
        };
        let mut made = Made::of(&wanted, shell)?;
        match made.report.take() {
            Some(report) => Ok((made, report)),
            // The target says why.
            None => {
                let bytes = shell.read(path)?;
                let report = target.report(&bytes, &options.settings).map_err(|error| shell.fail(*error))?;
                Ok((made, report))
            }
        }
    }
}

/// A page of programs, each in full.
fn pages(all: &[(Made, Report)]) -> String {
    let section = |(made, _): &(Made, Report)| {
        page::section(made, &Timeline::of(&made.anatomy, page::ROUNDS), page::ROUNDS)
    };
    page::page("chiaro report", &all.iter().map(section).collect::<String>())
}

fn is_pattern(path: &Path) -> bool {
    !path.exists() && files::is_pattern(path)
}

/// Rows that compile, and those that do not.
fn counts(rows: &[Row]) -> (usize, usize, usize) {
    rows.iter().fold((0, 0, 0), |(made, failed, absent), row| match row.outcome {
        Outcome::Made(..) => (made + 1, failed, absent),
        Outcome::Failed(_) => (made, failed + 1, absent),
        Outcome::NotHere(_) => (made, failed, absent + 1),
    })
}
