//! `chiaro info`: everything that a container holds.

use std::path::PathBuf;

use chiaro::TARGETS;
use clap::Args;

use crate::shell::{Failure, Shell};
use crate::{cli, input};

/// Show what a container holds, with what a loader derives from it.
#[derive(Args)]
pub struct Options {
    /// The container; `-` is standard input.
    file: PathBuf,
    /// The target, where the file leaves it open.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Reads the container and prints its contents.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let bytes = shell.read(&options.file)?;
    let name = input::name(&options.file);
    let target = options.target.or_else(|| TARGETS.of_input(&name, &bytes)).ok_or_else(|| {
        let message = format!("`{name}` is no container that a target knows");
        shell.fail(chiaro_diag::Diagnostic::error(None, message).help("name the target with `--target`"))
    })?;
    let text = if options.json {
        let json = target.info_json(&bytes, false);
        json.map(|json| serde_json::to_string_pretty(&json).unwrap_or_default() + "\n")
    } else {
        target.info(&bytes).map(|text| format!("{name}: {text}"))
    };
    let text = text.map_err(|mut error| {
        error.message = error.message.replacen("the container", &format!("`{name}`"), 1);
        shell.fail(*error)
    })?;
    shell.write(None, text.as_bytes())
}
