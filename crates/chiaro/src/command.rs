//! The command as a process: its arguments, what it says of its own mistakes, how it ends.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{self, PanicHookInfo};

use crate::cli::Cli;
use crate::parse::parse;
use crate::shell::{Shell, Voice};
use crate::watch;

/// Runs the command that the arguments name, the name of the program first, and gives the exit code.
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    panic::set_hook(Box::new(report_bug));
    let Cli { messages, command } = match parse(args) {
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
fn print(answer: &clap::Error) -> u8 {
    let printed = answer.print().and_then(|()| std::io::stdout().flush());
    match printed {
        Err(error) if !answer.use_stderr() => {
            let mut shell = Shell::new(Voice::plain());
            let failure = shell.unwritten(crate::output::from_stdout(&error));
            shell.finish(Err(failure))
        }
        _ => answer.exit_code() as u8,
    }
}

/// Says that it is not the user's fault, and what to send us.
fn report_bug(info: &PanicHookInfo<'_>) {
    // That panic is caught and becomes a diagnostic of its own.
    if crate::is_contained() {
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
