//! The command line as a whole. Each command's own options are with the command.

use std::io::IsTerminal;

use chiaro::{GlslStage, Target};
use chiaro_diag::{Format, Printer, did_you_mean};
use clap::{Args, ColorChoice, Parser, ValueEnum};

use crate::cmd::Command;

/// Errors and warnings that people get to read at most; machines get them all.
const MOST_MESSAGES: usize = 40;

/// Assembler, disassembler, checker and simulator for the shaders of embedded GPUs.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub messages: Messages,
    #[command(subcommand)]
    pub command: Command,
}

/// How errors and warnings look.
#[derive(Args)]
pub struct Messages {
    /// Form of errors and warnings on standard error.
    #[arg(long, global = true, value_enum, default_value = "human", value_name = "FORM")]
    message_format: MessageFormat,
    /// Colour in errors and warnings.
    #[arg(long, visible_alias = "colour", global = true, default_value = "auto", value_name = "WHEN")]
    color: ColorChoice,
}

#[derive(Clone, Copy, ValueEnum)]
enum MessageFormat {
    /// The source line with the fault marked.
    Human,
    /// One JSON object a line.
    Json,
}

impl Messages {
    /// The printer that the options ask for.
    pub fn printer(&self) -> Printer {
        let colour = match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => std::io::stderr().is_terminal() && terminal_wants_colour(),
        };
        match self.message_format {
            MessageFormat::Human => Printer { format: Format::Human, colour, limit: MOST_MESSAGES },
            MessageFormat::Json => Printer { format: Format::Json, colour: false, limit: usize::MAX },
        }
    }
}

/// The two conventions by which users switch colour off everywhere.
fn terminal_wants_colour() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Reads a target's name, for clap.
pub fn target(name: &str) -> Result<Target, String> {
    Target::from_name(name).ok_or_else(|| {
        let known = Target::ALL.map(Target::name);
        let guess = did_you_mean(name, known).map(|t| format!("; did you mean `{t}`?")).unwrap_or_default();
        format!("known targets are {}{guess}", known.join(", "))
    })
}

/// A stage by name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StageName {
    Vertex,
    Fragment,
    Compute,
    Geometry,
}

impl StageName {
    pub fn glsl(self) -> GlslStage {
        match self {
            StageName::Vertex => GlslStage::Vertex,
            StageName::Fragment => GlslStage::Fragment,
            StageName::Compute => GlslStage::Compute,
            StageName::Geometry => GlslStage::Geometry,
        }
    }
}
