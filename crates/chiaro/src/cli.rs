//! The command line as a whole. Each command's own options are with the command.

use std::io::IsTerminal;

use chiaro::{Dialect, GlslStage, Stage, TARGETS, Target};
use chiaro_diag::{Format, Printer, did_you_mean};
use clap::builder::{PossibleValuesParser, TypedValueParser};
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

/// A target, as options hold it.
pub type TargetName = &'static dyn Target;

/// Reads a target's name, for clap.
pub fn target(name: &str) -> Result<TargetName, String> {
    TARGETS.named(name).ok_or_else(|| {
        let known = TARGETS.names();
        let guess = did_you_mean(name, known.iter().copied());
        let guess = guess.map(|t| format!("; did you mean `{t}`?")).unwrap_or_default();
        format!("known targets are {}{guess}", known.join(", "))
    })
}

/// Choices of the target, for whatever is done with it.
#[derive(Args)]
pub struct Settings {
    /// Sets a choice of the target or a named assumption; `chiaro targets` lists them.
    #[arg(short = 'm', value_name = "KEY=VALUE", value_parser = key_value)]
    pub settings: Vec<(String, String)>,
}

/// Reads `KEY=VALUE`, for clap.
pub fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Names of stages, for clap.
pub fn stages() -> impl TypedValueParser<Value = Stage> {
    let names = Stage::ALL.map(Stage::name);
    PossibleValuesParser::new(names).try_map(|name| Stage::from_name(&name).ok_or("no such stage"))
}

/// The stages of GLSL.
pub fn glsl_stage(stage: Stage) -> GlslStage {
    match stage {
        Stage::Vertex => GlslStage::Vertex,
        Stage::TessControl => GlslStage::TessControl,
        Stage::TessEvaluation => GlslStage::TessEvaluation,
        Stage::Geometry => GlslStage::Geometry,
        Stage::Task => GlslStage::Task,
        Stage::Mesh => GlslStage::Mesh,
        Stage::Fragment => GlslStage::Fragment,
        Stage::Compute => GlslStage::Compute,
        Stage::RayGeneration => GlslStage::RayGeneration,
        Stage::Intersection => GlslStage::Intersection,
        Stage::AnyHit => GlslStage::AnyHit,
        Stage::ClosestHit => GlslStage::ClosestHit,
        Stage::Miss => GlslStage::Miss,
        Stage::Callable => GlslStage::Callable,
    }
}

/// Languages of assemblers, of all targets, for clap.
pub fn dialects() -> PossibleValuesParser {
    PossibleValuesParser::new(unique(|dialect| Some(dialect.name)))
}

/// Tools whose exact behaviour can be asked for, for clap.
pub fn tools() -> PossibleValuesParser {
    PossibleValuesParser::new(unique(|dialect| dialect.tool))
}

fn unique(name: fn(&Dialect) -> Option<&'static str>) -> Vec<&'static str> {
    let mut names: Vec<_> = TARGETS.iter().flat_map(|t| t.about().dialects).filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    names
}
