//! The command line, read with the options of that one command only which is asked for: to make those of all takes
//! longer than most runs.

use std::ffi::OsString;

use clap::{ArgMatches, FromArgMatches, Parser, Subcommand};

use crate::cli::{Cli, Messages};
use crate::cmd::Command;

/// Reads a command line, the name of the program first.
///
/// # Errors
/// Help, the version, or what is wrong with it.
pub fn parse(args: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Cli, clap::Error> {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    match Brief::try_parse_from(&args) {
        Ok(Brief { messages, command: Named(command) }) => Ok(Cli { messages, command }),
        // Help and what is wrong want to know all commands.
        Err(_) => Cli::try_parse_from(args),
    }
}

/// As [`Cli`], but commands have no options yet.
#[derive(Parser)]
struct Brief {
    #[command(flatten)]
    messages: Messages,
    #[command(subcommand)]
    command: Named,
}

/// A command that gets its options when it is asked for.
struct Named(Command);

impl FromArgMatches for Named {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Named, clap::Error> {
        Command::from_arg_matches(matches).map(Named)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Subcommand for Named {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        let commands =
            Command::AUGMENT.iter().map(|(name, augment)| clap::Command::new(*name).defer(*augment));
        command.subcommand_required(true).subcommands(commands)
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Named::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Command::has_subcommand(name)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{Cli, Command};

    /// Whoever is in the help can be called.
    #[test]
    fn every_command_has_options() {
        let all = Cli::command();
        let shown: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
        let listed: Vec<&str> = Command::AUGMENT.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, shown);
    }
}
