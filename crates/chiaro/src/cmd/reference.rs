//! `chiaro ref`: an instruction set as a page to read.

use std::path::PathBuf;

use clap::Args;

use crate::cli;
use crate::shell::{Failure, Shell};

/// Write the instruction set as an HTML page.
#[derive(Args)]
pub struct Options {
    /// The target.
    #[arg(value_parser = cli::targets())]
    target: cli::TargetName,
    #[command(flatten)]
    settings: cli::Settings,
    /// Where to write the page; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the page.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let set = shell.instructions(options.target, &options.settings.settings)?;
    shell.write(options.output.as_deref(), set.html().as_bytes())
}
