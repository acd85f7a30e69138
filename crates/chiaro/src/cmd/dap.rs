//! `chiaro dap`: a debug adapter on standard input and output.

use std::io;

use chiaro_diag::Diagnostic;
use clap::Args;

use crate::laboratory::Laboratory;
use crate::shell::{Failure, Shell};

/// Debug shaders and machine code on the simulators: the debug adapter protocol over standard input and
/// output.
#[derive(Args)]
#[command(after_long_help = LAUNCH)]
pub struct Options {}

/// What an editor says to launch a program, for the help text.
const LAUNCH: &str = r#"Launch:
  {
    "program": "skinned.vert", "target": "pica200", "inputs": "skinned.json", "stopOnEntry": true,
    "entry": "main", "mode": "hw24", "settings": { "KEY": "VALUE" }
  }
  The program is a shader, an assembly or a container. "inputs" is a file as `chiaro run --inputs` takes it, or
  its content. Without a target the program has to say its own."#;

/// Serves until the editor ends it.
pub fn run(_: &Options, shell: &mut Shell) -> Result<(), Failure> {
    match chiaro_dap::serve(&mut io::stdin().lock(), Box::new(io::stdout()), &Laboratory) {
        0 => Ok(()),
        _ => {
            let gone = Diagnostic::error(None, "the editor went away without a `disconnect`");
            Err(shell.fail(gone.help("send `disconnect` at the end of a session")))
        }
    }
}
