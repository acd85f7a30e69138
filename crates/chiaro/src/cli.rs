//! The command line as a whole. Each command's own options are with the command.

use std::ffi::OsStr;
use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;

use chiaro::{Dialect, GlslStage, Offer, Stage, TARGETS, Target};
use chiaro_diag::{Format, Printer};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, ColorChoice, CommandFactory, Parser, ValueEnum};

use crate::cmd::Command;
use crate::shell::Voice;

/// Errors and warnings that people get to read at most; machines get them all.
const MOST_MESSAGES: usize = 40;

/// Compiler, assembler, disassembler, checker and simulator for the shaders of real GPUs.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub messages: Messages,
    #[command(subcommand)]
    pub command: Command,
}

/// Under this heading the help of every command has what is the same for all of them.
const GLOBAL: &str = "Global options";

/// What is said on standard error, and how it looks.
#[derive(Args)]
pub struct Messages {
    /// Form of errors and warnings on standard error.
    #[arg(long, global = true, value_enum, default_value = "human", value_name = "FORM")]
    #[arg(help_heading = GLOBAL)]
    message_format: MessageFormat,
    /// Colour in errors and warnings.
    #[arg(long, visible_alias = "colour", global = true, default_value = "auto", value_name = "WHEN")]
    #[arg(help_heading = GLOBAL)]
    color: ColorChoice,
    /// Say nothing but errors.
    #[arg(short, long, global = true, help_heading = GLOBAL)]
    quiet: bool,
    /// What becomes of warnings: with `error` they fail the run, and nothing is written.
    #[arg(short = 'W', global = true, value_enum, value_name = "WHAT", help_heading = GLOBAL)]
    warnings: Option<Warnings>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Warnings {
    /// They are errors.
    Error,
}

#[derive(Clone, Copy, ValueEnum)]
enum MessageFormat {
    /// The source line with the fault marked.
    Human,
    /// One JSON object a line.
    Json,
}

impl Messages {
    /// How the run speaks.
    pub fn voice(&self) -> Voice {
        Voice { printer: self.printer(), quiet: self.quiet, strict: self.warnings == Some(Warnings::Error) }
    }

    fn printer(&self) -> Printer {
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

/// The command line with the help of all commands. The keys of `-m` are gathered from all targets, so only help does it.
pub fn whole() -> clap::Command {
    let with_keys = |arg: Arg| match arg.get_id().as_str() {
        SETTINGS => arg.long_help(keys(&settings)),
        ASSUMPTIONS => arg.long_help(keys(&assumptions)),
        _ => arg,
    };
    Cli::command().mut_subcommands(|command| command.mut_args(with_keys))
}

/// Values that have names, for clap. The names are listed when a value is read or help is asked for, and not for every
/// run: those of the targets lie in all parts of the program.
#[derive(Clone, Copy)]
struct Listed<T: 'static> {
    names: fn() -> Vec<PossibleValue>,
    named: fn(&str) -> Option<T>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Listed<T> {
    type Value = T;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let named = self.named;
        let parser = PossibleValuesParser::new((self.names)());
        parser.try_map(move |name| named(&name).ok_or("no such name")).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter()))
    }
}

/// A target, as options hold it.
pub type TargetName = &'static dyn Target;

/// Names of targets, for clap, with what else people call them.
pub fn targets() -> impl TypedValueParser<Value = TargetName> {
    Listed { names: target_names, named: |name| TARGETS.named(name) }
}

fn target_names() -> Vec<PossibleValue> {
    let names = TARGETS.iter().map(|target| {
        let about = target.about();
        PossibleValue::new(about.name).aliases(about.aliases).help(about.machine)
    });
    names.collect()
}

/// The targets that compile.
pub fn compilers() -> Vec<TargetName> {
    TARGETS.iter().filter(|target| target.about().has(Offer::Compile)).collect()
}

/// One target, or all that compile.
#[derive(Clone)]
pub enum Targets {
    /// One by its name.
    One(TargetName),
    /// All that compile.
    All,
}

impl Targets {
    /// The targets.
    pub fn list(&self) -> Vec<TargetName> {
        match self {
            Targets::One(target) => vec![*target],
            Targets::All => compilers(),
        }
    }
}

/// Names of targets and `all`, for clap.
pub fn targets_or_all() -> impl TypedValueParser<Value = Targets> {
    let names = || {
        let mut names = target_names();
        names.push(PossibleValue::new("all").help("all targets that compile"));
        names
    };
    Listed {
        names,
        named: |name| match name {
            "all" => Some(Targets::All),
            name => TARGETS.named(name).map(Targets::One),
        },
    }
}

/// A number of threads, for clap: more than the cores is of no use, and more than this of harm.
pub fn threads() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u16).range(1..=512).map(usize::from)
}

/// What clap calls those arguments whose help lists keys.
const SETTINGS: &str = "settings-by-key";
const ASSUMPTIONS: &str = "assumptions-by-key";

/// Choices of the target, for whatever is done with it.
#[derive(Args)]
pub struct Settings {
    /// Sets a choice of the target, as often as there are choices; `--help` lists the keys.
    #[arg(id = SETTINGS, short = 'm', value_name = "KEY=VALUE", value_parser = key_value)]
    pub settings: Vec<(String, String)>,
}

/// Choices of the simulators.
#[derive(Args)]
pub struct Assumptions {
    /// Sets what the hardware's documents leave open; `--help` lists the keys.
    #[arg(id = ASSUMPTIONS, short = 'm', value_name = "KEY=VALUE", value_parser = key_value)]
    pub assumptions: Vec<(String, String)>,
}

/// The help of `-m` where it takes assumptions, for commands that take more by it.
pub fn assumption_keys() -> String {
    keys(&assumptions)
}

/// A key of `-m`, with its values where they can be told in a word, and what it decides.
type Key = (&'static str, &'static str, &'static str);

fn settings(target: TargetName) -> Vec<Key> {
    target.about().settings.iter().map(|setting| (setting.name, "", setting.about)).collect()
}

fn assumptions(target: TargetName) -> Vec<Key> {
    target.assumptions().iter().map(|open| (open.name, open.values, open.about)).collect()
}

/// The help of `-m`: the keys of all targets.
fn keys(of: &dyn Fn(TargetName) -> Vec<Key>) -> String {
    let mut out = String::from("Sets a choice of the target, as often as there are choices. The keys:");
    for target in TARGETS.iter() {
        let keys = of(target);
        let _ = write!(out, "{}", if keys.is_empty() { "" } else { "\n" });
        for (name, values, about) in keys {
            let values =
                if values.is_empty() { String::new() } else { format!(" ({})", values.replace(' ', ", ")) };
            let _ = write!(out, "\n{}: {name}{values}: {about}", target.about().name);
        }
    }
    out
}

/// What builds want besides the result.
#[derive(Args)]
pub struct Building {
    /// Also write what the result depends on, as a rule for make and ninja.
    #[arg(long, value_name = "FILE", requires = "output")]
    pub depfile: Option<PathBuf>,
    #[command(flatten)]
    pub watch: Watch,
}

/// Whether to go on.
#[derive(Args)]
pub struct Watch {
    /// Do it again whenever one of the files that were read changes.
    #[arg(long)]
    pub watch: bool,
}

/// Reads `KEY=VALUE`, for clap.
pub fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Names of stages, long and short, for clap.
pub fn stages() -> impl TypedValueParser<Value = Stage> {
    let names = || Stage::ALL.map(|stage| PossibleValue::new(stage.name()).alias(stage.short_name())).into();
    Listed { names, named: Stage::from_name }
}

/// The stage in GLSL, where the front end has it.
pub fn glsl_stage(stage: Stage) -> Option<GlslStage> {
    GlslStage::of_ending(stage.short_name())
}

/// Languages of assemblers, of all targets, for clap.
pub fn dialects() -> impl TypedValueParser<Value = String> {
    Listed { names: || unique(|dialect| Some(dialect.name)), named: |name| Some(name.to_owned()) }
}

/// Tools whose exact behaviour can be asked for, for clap.
pub fn tools() -> impl TypedValueParser<Value = String> {
    Listed { names: || unique(|dialect| dialect.tool), named: |name| Some(name.to_owned()) }
}

fn unique(name: fn(&Dialect) -> Option<&'static str>) -> Vec<PossibleValue> {
    let mut names: Vec<_> = TARGETS.iter().flat_map(|t| t.about().dialects).filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(PossibleValue::new).collect()
}
