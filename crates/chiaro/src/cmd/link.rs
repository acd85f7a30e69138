//! `chiaro link`: parts to a program.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;

use chiaro::{KeyText, Piece, TARGETS};
use clap::Args;

use crate::shell::{Failure, Shell};
use crate::{cli, input};

/// Link parts that were made separately to one program.
#[derive(Args)]
pub struct Options {
    /// The parts: a file that says which part it is, or `PART=FILE` for code alone, such as
    /// `prolog=fetch.bin`.
    #[arg(required = true, value_name = "[PART=]FILE")]
    parts: Vec<OsString>,
    /// The target, where the files leave it open.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
    /// Keys of the parts that are to be made: JSON with `prolog`, `epilog` or both.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Where to write the container; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    settings: cli::Settings,
}

/// Reads the parts, links them and writes the program.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    if options.output.is_none() && std::io::stdout().is_terminal() {
        return Err(shell.misused("the container would go to the terminal", "name a file with `-o FILE`"));
    }
    let mut parts = Vec::new();
    for given in &options.parts {
        let (role, path) = split(given);
        parts.push(Piece { role, name: input::name(&path), bytes: shell.read(&path)?.into_vec() });
    }
    let of_parts = || parts.iter().find_map(|part| TARGETS.of_input(&part.name, &part.bytes));
    let Some(target) = options.target.or_else(of_parts) else {
        let known = TARGETS.names().join(", ");
        let help = format!("name it with `--target`; known targets are {known}");
        return Err(shell.misused("the target is not clear from the parts", help));
    };
    if let Some(path) = &options.keys {
        let file = shell.read_text(path)?;
        let text = shell.sources.shared_text(file);
        let made = target.parts(&parts, KeyText { file, text: &text }, &options.settings.settings);
        parts.extend(shell.taken(made)?);
    }
    let made = shell.taken(target.link(&parts, &options.settings.settings))?;
    shell.report_all(made.remarks);
    shell.check()?;
    shell.write(options.output.as_deref(), &made.bytes)
}

/// Which part, if it is said, and its file. A file whose name has such a sign is there all the same.
fn split(given: &OsString) -> (Option<String>, PathBuf) {
    let path = PathBuf::from(given);
    match given.to_str().and_then(|text| text.split_once('=')) {
        Some((role, file)) if !path.exists() => (Some(role.to_owned()), PathBuf::from(file)),
        _ => (None, path),
    }
}
