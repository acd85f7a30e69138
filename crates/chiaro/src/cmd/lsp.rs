//! `chiaro lsp`: a language server on standard input and output.

use std::io;

use chiaro_diag::Diagnostic;
use clap::Args;

use crate::editor::Editor;
use crate::shell::{Failure, Shell};

/// Serve an editor over standard input and output by the language server protocol: GLSL, WGSL and the
/// assemblies of all targets.
#[derive(Args)]
pub struct Options {
    /// What editors say to servers that have several ways; this one has no other.
    #[arg(long)]
    stdio: bool,
}

/// Serves until the editor ends it.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    // Standard input and output are the only way, named or not.
    let _ = options.stdio;
    match chiaro_lsp::serve(&mut io::stdin().lock(), Box::new(io::stdout()), &Editor) {
        0 => Ok(()),
        _ => {
            let gone = Diagnostic::error(None, "the editor went away without a `shutdown`");
            Err(shell.fail(gone.help("send `shutdown`, then `exit`")))
        }
    }
}
