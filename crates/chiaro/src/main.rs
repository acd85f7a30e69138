//! The command `chiaro`: reads files, asks the library, prints answers.
//!
//! To skim: [`cli`] is the command line, each file of [`cmd`] is one command,
//! [`input`] and [`output`] are the only places that open files, and [`shell`]
//! gathers what is to be said on standard error. Exit codes: 0 done, 1 the input is at
//! fault, 2 wrong usage, 101 a bug of chiaro.

#![forbid(unsafe_code)]
#![allow(unreachable_pub, reason = "a program has no callers; `pub` marks what a module offers the others")]

mod choices;
mod cli;
mod clock;
mod cmd;
mod depfile;
mod images;
mod input;
mod output;
mod shell;
mod survey;
mod watch;

use std::io::Write;
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::shell::Shell;

fn main() -> ExitCode {
    panic::set_hook(Box::new(report_bug));
    let Cli { messages, command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => return print(&answer),
    };
    if command.is_watched() {
        return watch::run(&command, messages.voice());
    }
    let mut shell = Shell::new(messages.voice());
    let result = command.run(&mut shell);
    shell.finish(result)
}

/// Prints help, the version, or what is wrong with the command line. Help that cannot be written
/// is a failure like any other.
fn print(answer: &clap::Error) -> ExitCode {
    let printed = answer.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(error) if !answer.use_stderr() => {
            let mut shell = Shell::new(shell::Voice::plain());
            let failure = shell.unwritten(output::from_stdout(&error));
            shell.finish(Err(failure))
        }
        _ => ExitCode::from(answer.exit_code() as u8),
    }
}

/// Says that it is not the user's fault, and what to send us.
fn report_bug(info: &PanicHookInfo<'_>) {
    // That panic is caught and becomes a diagnostic of its own.
    if chiaro::is_contained() {
        return;
    }
    let command: Vec<_> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    let version = env!("CARGO_PKG_VERSION");
    let command = command.join(" ");
    // Nobody may be there to read it; `eprintln` would panic again.
    let _ = writeln!(
        std::io::stderr(),
        "error: this is a bug of chiaro {version}\n  while running: {command}\n  {info}\n  please report it with the input files"
    );
}
