//! The command `chiaro`: reads files, asks the library, prints answers.
//!
//! To skim: [`cli`] is the command line, each file of [`cmd`] is one command,
//! [`input`] and [`output`] are the only places that open files, and [`shell`]
//! gathers what is to be said on standard error. Exit codes: 0 done, 1 the input is at
//! fault, 2 wrong usage, 101 a bug of chiaro.

#![forbid(unsafe_code)]
#![allow(unreachable_pub, reason = "a program has no callers; `pub` marks what a module offers the others")]

mod cli;
mod clock;
mod cmd;
mod images;
mod input;
mod output;
mod shell;

use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::shell::Shell;

fn main() -> ExitCode {
    panic::set_hook(Box::new(report_bug));
    let Cli { messages, command } = Cli::parse();
    let mut shell = Shell::new(messages.printer());
    let result = command.run(&mut shell);
    shell.finish(result)
}

/// Says that it is not the user's fault, and what to send us.
fn report_bug(info: &PanicHookInfo<'_>) {
    // That panic is caught and becomes a diagnostic of its own.
    if chiaro::is_contained() {
        return;
    }
    let command: Vec<_> = std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect();
    eprintln!("error: this is a bug of chiaro {}", env!("CARGO_PKG_VERSION"));
    eprintln!("  while running: {}", command.join(" "));
    eprintln!("  {info}");
    eprintln!("  please report it with the input files");
}
