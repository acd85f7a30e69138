//! `chiaro completions`: what a shell has to know to complete command lines.

use clap::Args;
use clap_complete::Shell as Kind;

use crate::cli;
use crate::shell::{Failure, Shell};

/// Print the completions of a shell.
///
/// bash reads them from a file `chiaro` in ~/.local/share/bash-completion/completions, fish from
/// ~/.config/fish/completions/chiaro.fish, zsh from a file `_chiaro` in a folder of its `fpath`.
#[derive(Args)]
pub struct Options {
    /// The shell.
    shell: Kind,
}

/// Writes the script.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut cli::whole(), "chiaro", &mut script);
    shell.write(None, &script)
}
