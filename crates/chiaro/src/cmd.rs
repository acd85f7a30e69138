//! The commands, one file each: its options, and what it does with them.

mod targets;

use clap::Subcommand;

use crate::shell::{Failure, Shell};

/// The commands in the order of the help text.
#[derive(Subcommand)]
pub enum Command {
    Targets(targets::Options),
}

impl Command {
    /// Runs the command that was asked for.
    pub fn run(&self, shell: &mut Shell) -> Result<(), Failure> {
        match self {
            Command::Targets(options) => targets::run(options, shell),
        }
    }
}
