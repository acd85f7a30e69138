//! The command `chiaro`: reads files, asks the library, prints answers.
//!
//! To skim, in the library beside it: `cli` is the command line, each file of `cmd` is one command,
//! `input` and `output` are the only places that open files, and `shell`
//! gathers what is to be said on standard error. Exit codes: 0 done, 1 the input is at
//! fault, 2 wrong usage, 101 a bug of chiaro.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(chiaro::command::run(std::env::args_os()))
}
