//! `chiaro man`: the manual, made from the help of the commands.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use crate::cli;
use crate::shell::{Failure, Shell};

/// Print a manual page, or write all of them.
#[derive(Args)]
pub struct Options {
    /// The page of this command; the page about all of them without it.
    command: Option<String>,
    /// Write all pages into this folder, as man looks for them: chiaro.1, chiaro-asm.1 ...
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    all: Option<PathBuf>,
}

/// Writes the pages.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let mut all = cli::whole();
    // Only now do the commands have the global options, and names such as `chiaro-asm`.
    all.build();
    let commands = || all.get_subcommands().filter(|command| command.get_name() != "help");
    if let Some(folder) = &options.all {
        let pages: Vec<(PathBuf, Vec<u8>)> =
            [&all].into_iter().chain(commands()).map(|command| page(command, folder)).collect();
        let results: Vec<(Option<&Path>, &[u8])> =
            pages.iter().map(|(path, text)| (Some(path.as_path()), text.as_slice())).collect();
        return shell.write_all(&results);
    }
    let wanted = match &options.command {
        Some(name) => match commands().find(|command| command.get_name() == name) {
            Some(found) => found,
            None => {
                let known: Vec<&str> = commands().map(Command::get_name).collect();
                let message = format!("there is no command `{name}`");
                return Err(shell.misused(message, format!("there are {}", known.join(", "))));
            }
        },
        None => &all,
    };
    let (_, text) = page(wanted, Path::new(""));
    shell.write(None, &text)
}

/// A page and its file.
fn page(command: &Command, folder: &Path) -> (PathBuf, Vec<u8>) {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = man.render(&mut text);
    (folder.join(man.get_filename()), text)
}
