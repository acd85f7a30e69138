//! `chiaro info`: everything that a container holds.

pub mod json;
mod mbs;
mod text;

use std::path::PathBuf;

use chiaro_diag::Diagnostic;
use chiaro_pica200::container::Shbin;
use chiaro_utgard::container::Mbs;
use clap::Args;
use serde_json::Value;

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
    let out = match Container::read(&name, &bytes, shell)? {
        container if options.json => {
            let json = container.to_json();
            serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"
        }
        Container::Shbin(shbin) => text::describe(&name, bytes.len(), &shbin),
        Container::Mbs(mbs) => mbs::describe(&name, bytes.len(), &mbs),
    };
    shell.write(None, out.as_bytes())
}

/// A container of any target.
pub enum Container {
    Shbin(Shbin),
    Mbs(Mbs),
}

impl Container {
    /// Takes bytes apart, by what they begin with, or says what keeps them from being a container.
    pub fn read(name: &str, bytes: &[u8], shell: &mut Shell) -> Result<Container, Failure> {
        let failed = |error: String| Diagnostic::error(None, format!("cannot read `{name}`: {error}"));
        let read = match Mbs::is(bytes) {
            true => Mbs::read(bytes).map(Container::Mbs).map_err(|e| failed(e.to_string())),
            false => Shbin::read(bytes).map(Container::Shbin).map_err(|e| failed(e.to_string())),
        };
        read.map_err(|error| shell.fail(error))
    }

    /// What it holds, for machines.
    pub fn to_json(&self) -> Value {
        match self {
            Container::Shbin(shbin) => json::describe(shbin),
            Container::Mbs(mbs) => mbs::to_json(mbs),
        }
    }
}
