//! `chiaro report`: what compiled shaders take of the machine, and how two of them differ.

pub mod json;
pub mod text;

use std::path::PathBuf;

use chiaro::{CompileOptions, Report, compile};
use chiaro_opt::Cx;
use clap::Args;

use crate::cli;
use crate::cmd::compile::Choices;
use crate::shell::{Failure, Shell};

/// Report what compiled shaders, or containers, take of the machine: words, registers, cycles by
/// path, words by source line.
#[derive(Args)]
pub struct Options {
    /// The sources, or containers where the target reports on them.
    #[arg(required_unless_present = "before")]
    files: Vec<PathBuf>,
    /// The target.
    #[arg(long, value_parser = cli::targets())]
    target: cli::TargetName,
    /// As JSON; docs/report.schema.json describes it.
    #[arg(long)]
    json: bool,
    /// A source to compare with; what `--after` names is reported as its difference from this.
    #[arg(long, value_name = "FILE", requires = "after", conflicts_with = "files")]
    before: Option<PathBuf>,
    /// The other source of a comparison.
    #[arg(long, value_name = "FILE", requires = "before")]
    after: Option<PathBuf>,
    /// The entry point, where there are several.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The files are code alone, without a container.
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    settings: cli::Settings,
    /// Where to write it; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    module: Choices,
    #[command(flatten)]
    pub watch: cli::Watch,
}

/// Compiles the sources and prints their reports.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let text = match (&options.before, &options.after) {
        (Some(before), Some(after)) => {
            let (before, after) = (options.report(before, shell)?, options.report(after, shell)?);
            if options.json { json::difference(&before, &after) } else { text::difference(&before, &after) }
        }
        _ => {
            let mut reports = Vec::with_capacity(options.files.len());
            for path in &options.files {
                reports.push((path.display().to_string(), options.report(path, shell)?));
            }
            if options.json { json::reports(&reports) } else { text::reports(&reports) }
        }
    };
    shell.check()?;
    shell.write(options.output.as_deref(), text.as_bytes())
}

impl Options {
    fn report(&self, path: &std::path::Path, shell: &mut Shell) -> Result<Report, Failure> {
        let settings = self.settings.settings.clone();
        let bytes = shell.read(path)?;
        if self.raw || self.target.has_container(&bytes) {
            return self.target.report(&bytes, &settings).map_err(|error| shell.fail(*error));
        }
        let all = self.module.load_all(&[path.to_owned()], None, shell)?;
        let wanted = CompileOptions { entry: self.entry.clone(), settings, ..CompileOptions::default() };
        let compiled = compile(self.target, &all, &wanted, &shell.sources, &mut Cx::default());
        let compiled = shell.taken(compiled)?;
        shell.report_all(compiled.remarks);
        Ok(compiled.report)
    }
}
