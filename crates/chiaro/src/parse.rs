//! The command line, read with the options of that one command only which is asked for: to make those of all takes
//! longer than most runs.

use std::ffi::OsString;

use clap::{Args, FromArgMatches};

use crate::cli::{self, Cli, Messages};
use crate::cmd::Command;

/// Reads a command line, the name of the program first.
///
/// # Errors
/// Help, the version, or what is wrong with it.
pub fn parse(args: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Cli, clap::Error> {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    // Help and what is wrong want to know all commands.
    brief(&args).or_else(|_| {
        let mut line = cli::whole();
        let matches = line.try_get_matches_from_mut(args)?;
        Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut line))
    })
}

/// Reads a command line by the commands alone that are named in it. There is no help: its flags and texts are made for
/// every command that there is.
fn brief(args: &[OsString]) -> Result<Cli, clap::Error> {
    let named = Command::AUGMENT.iter().filter(|(name, _)| args.iter().any(|arg| arg == name));
    let commands = named.map(|(name, augment)| clap::Command::new(*name).defer(*augment));
    let line = Messages::augment_args(clap::Command::new("chiaro").subcommand_required(true));
    let line = line.disable_help_flag(true).disable_help_subcommand(true).subcommands(commands);
    Cli::from_arg_matches(&line.try_get_matches_from(args)?)
}

#[cfg(test)]
mod tests {
    use super::{Command, cli};

    /// Whoever is in the help can be called.
    #[test]
    fn every_command_has_options() {
        let all = cli::whole();
        let shown: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
        let listed: Vec<&str> = Command::AUGMENT.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, shown);
    }
}
