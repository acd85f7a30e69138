//! `chiaro info`: everything that a container holds.

pub mod json;
mod text;

use std::path::PathBuf;

use chiaro_diag::Diagnostic;
use chiaro_pica200::container::Shbin;
use clap::Args;

use crate::input;
use crate::shell::{Failure, Shell};

/// Show what a container holds, with the output map that a loader derives.
#[derive(Args)]
pub struct Options {
    /// The container; `-` is standard input.
    file: PathBuf,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Reads the container and prints its contents.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let bytes = shell.read(&options.file)?;
    let name = input::name(&options.file);
    let shbin = read_shbin(&name, &bytes, shell)?;
    let out = if options.json {
        let json = serde_json::to_string_pretty(&json::describe(&shbin)).unwrap_or_default();
        json + "\n"
    } else {
        text::describe(&name, bytes.len(), &shbin)
    };
    shell.write(None, out.as_bytes())
}

/// Takes bytes apart as a container, or says what keeps them from being one.
pub fn read_shbin(name: &str, bytes: &[u8], shell: &mut Shell) -> Result<Shbin, Failure> {
    Shbin::read(bytes).map_err(|e| shell.fail(Diagnostic::error(None, format!("cannot read `{name}`: {e}"))))
}
