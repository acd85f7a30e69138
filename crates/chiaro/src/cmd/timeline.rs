//! `chiaro timeline`: when each instruction of a program issues, and what it waits for.

mod json;
mod svg;
mod text;
mod trace;

use std::path::PathBuf;

use chiaro::CompileOptions;
use chiaro::timeline::Timeline;
use clap::{Args, ValueEnum};

use crate::choices::Choices;
use crate::cli;
use crate::made::{Made, Wanted};
use crate::shell::{Failure, Shell};

pub use svg::draw;
pub use text::{assumptions, summary};

/// Show when each instruction of one wave issues, what it waits for and why, the critical path, and the unit
/// that bounds each loop: along the longest way through the program.
#[derive(Args)]
pub struct Options {
    /// The sources of a program, or a container.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The target.
    #[arg(long, value_parser = cli::targets())]
    target: cli::TargetName,
    /// Rounds of each loop.
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u32).range(1..=1024))]
    rounds: u32,
    /// The form; docs/timeline.schema.json describes JSON.
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    format: Form,
    /// The files are code alone, without a container.
    #[arg(long)]
    raw: bool,
    /// The entry point, where there are several.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Where to write it; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    settings: cli::Settings,
    #[command(flatten)]
    module: Choices,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people.
    Text,
    /// A picture.
    Svg,
    /// Trace events, which Perfetto and chrome://tracing open; a cycle is a microsecond there.
    Trace,
    /// A versioned schema.
    Json,
    /// A page with source, code, flow and pressure beside it.
    Html,
}

/// Prints it.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let compiled = CompileOptions {
        entry: options.entry.clone(),
        settings: options.settings.settings.clone(),
        ..CompileOptions::default()
    };
    let wanted = Wanted {
        files: &options.files,
        target: options.target,
        choices: &options.module,
        options: &compiled,
        raw: options.raw,
        passes: false,
        accounts: true,
    };
    let made = Made::of(&wanted, shell)?;
    let timeline = Timeline::of(&made.anatomy, options.rounds);
    shell.check()?;
    let text = match options.format {
        Form::Text => text::timeline(&made, &timeline, options.rounds),
        Form::Svg => svg::draw(&made, &timeline),
        Form::Trace => trace::events(&made, &timeline, options.rounds),
        Form::Json => json::timeline(&made, &timeline, options.rounds),
        Form::Html => crate::page::program(&made, &timeline, options.rounds),
    };
    shell.write(options.output.as_deref(), text.as_bytes())
}
