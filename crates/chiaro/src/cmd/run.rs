//! `chiaro run`: a program on the simulator.

mod inputs;
mod module;
pub mod outputs;
mod table;

use std::path::{Path, PathBuf};

use chiaro::{
    AssembleOptions, CompileOptions, Inputs, ModuleLanguage, SimulateOptions, Simulated, Target, compile,
    simulate,
};
use chiaro_diag::Diagnostic;
use chiaro_opt::Cx;
use clap::{Args, ValueEnum};

use crate::cli;
use crate::cmd::asm::{Language, assemble_read, target_of};
use crate::cmd::compile::Choices;
use crate::input;
use crate::shell::{Failure, Shell};

/// Run a source or container on the simulator, or a shader module on the interpreter; prints the
/// outputs as JSON with values and bits.
#[derive(Args)]
#[command(after_long_help = format!("{INPUTS}\n{}", module::INPUTS))]
pub struct Options {
    /// The source or container; `-` is standard input.
    file: PathBuf,
    /// The target, where the file does not tell it.
    #[arg(long, value_parser = cli::target)]
    target: Option<Target>,
    /// Uniforms and vertices as JSON; without it the program runs once on zeros.
    #[arg(long, value_name = "IN.json")]
    inputs: Option<PathBuf>,
    /// Where to write the outputs; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also print every step with the values read and written; `--trace=table` prints a table of
    /// them, for Utgard GP with a column for each unit, and nothing else.
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "json")]
    trace: Option<Trace>,
    /// Number mode; PICA200: emu32 (as emulators compute) or hw24 (float24).
    #[arg(long)]
    mode: Option<String>,
    /// Sets what the hardware's documents leave open; `chiaro targets --assumptions` lists them.
    #[arg(short = 'm', value_name = "KEY=VALUE", value_parser = key_value)]
    assumptions: Vec<(String, String)>,
    /// Start at this procedure, label or word instead of the program's own entry.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Which executable of the container, from 0.
    #[arg(long, value_name = "N")]
    dvle: Option<usize>,
    #[command(flatten)]
    language: Language,
    #[command(flatten)]
    module: Choices,
}

/// The form of a trace.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Trace {
    /// Among the outputs.
    Json,
    /// A line for each instruction.
    Table,
}

/// The shape of the inputs, for the help text.
const INPUTS: &str = r#"Inputs:
  {
    "uniforms": { "mvp": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "lit": true },
    "vertices": [ { "position": [0, 0, 0] }, { "position": [1, 0, 0] } ]
  }
  Instead of "vertices": "attributes": { "position": [[0, 0, 0], [1, 0, 0]] }.
  Names are the program's, or registers: c0, i0, b0, v0. Missing components of an attribute are
  0, 0, 0, 1. A number may be "inf", "-inf", "nan", or binary32 bits as in "0x3f800000"."#;

/// Runs the program and prints what came out.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let bytes = shell.read(&options.file)?;
    let module = options.module.language(&options.file, &bytes);
    if let Some(language) = module.filter(|_| options.target.is_none()) {
        return interpret(options, bytes, language, shell);
    }
    let target = match options.target {
        Some(target) => target,
        None => target_of(&options.file, &bytes, shell)?,
    };
    let mut wanted = SimulateOptions::default();
    wanted.mode.clone_from(&options.mode);
    wanted.assumptions.clone_from(&options.assumptions);
    wanted.entry.clone_from(&options.entry);
    wanted.executable = options.dvle;
    wanted.trace = options.trace.is_some();
    wanted.check(target).map_err(|errors| {
        shell.tell_all(errors);
        Failure::Usage
    })?;
    let container = if target.has_container(&bytes) {
        bytes
    } else if let Some(language) = module {
        compiled(target, options, bytes, language, &mut wanted, shell)?
    } else {
        let language = options.language.options(&options.file, shell)?;
        container_of(target, &options.file, bytes, &language, &mut wanted, shell)?
    };
    let inputs = match &options.inputs {
        Some(path) => read_inputs(path, shell)?,
        None => Inputs { vertices: 1, ..Inputs::default() },
    };
    let made = simulate(target, &container, &inputs, &wanted).map_err(|errors| {
        shell.tell_all(errors);
        Failure::Input
    })?;
    let text = match options.trace {
        Some(Trace::Table) => table::of(&made.traces),
        _ => outputs::to_json(&made, inputs.vertices),
    };
    shell.write(options.output.as_deref(), text.as_bytes())?;
    tell_faults(&made, shell);
    shell.tell_all(made.remarks);
    shell.check()
}

/// Runs a shader module on the interpreter: no target is meant.
fn interpret(
    options: &Options,
    bytes: Vec<u8>,
    language: ModuleLanguage,
    shell: &mut Shell,
) -> Result<(), Failure> {
    let (entry, stage) = (options.entry.clone(), options.language.stage);
    let loaded = options.module.load(&options.file, bytes, language, entry, stage, shell)?;
    let entries = &loaded.module.entries;
    let wanted = |e: &&chiaro_ir::EntryPoint| options.entry.as_ref().is_none_or(|name| e.name == *name);
    let Some(entry) = entries.iter().find(wanted) else {
        let names: Vec<&str> = entries.iter().map(|e| e.name.as_str()).collect();
        return Err(shell.misused("there is no such entry point", format!("there are: {}", names.join(", "))));
    };
    let inputs = match &options.inputs {
        Some(path) => read_json(path, shell)?,
        None => serde_json::Value::Null,
    };
    let text = module::run(&loaded.module, entry, &inputs, shell)?;
    shell.write(options.output.as_deref(), text.as_bytes())
}

/// Compiles a shader module for the target; the entry is the module's, not the program's.
fn compiled(
    target: Target,
    options: &Options,
    bytes: Vec<u8>,
    language: ModuleLanguage,
    wanted: &mut SimulateOptions,
    shell: &mut Shell,
) -> Result<Vec<u8>, Failure> {
    let (entry, stage) = (wanted.entry.take(), options.language.stage);
    let loaded = options.module.load(&options.file, bytes, language, entry.clone(), stage, shell)?;
    let mut choices = CompileOptions::default();
    choices.entry = entry;
    let made = compile(target, &loaded, &choices, &shell.sources, &mut Cx::default()).map_err(|errors| {
        shell.tell_all(errors);
        Failure::Input
    })?;
    shell.tell_all(made.remarks);
    Ok(made.container)
}

/// Assembles a source; its labels become names to start at.
fn container_of(
    target: Target,
    path: &Path,
    bytes: Vec<u8>,
    language: &AssembleOptions,
    wanted: &mut SimulateOptions,
    shell: &mut Shell,
) -> Result<Vec<u8>, Failure> {
    shell.text(path, bytes)?;
    let made = assemble_read(target, language, shell)?;
    wanted.labels = made.labels;
    Ok(made.bytes)
}

fn read_json(path: &Path, shell: &mut Shell) -> Result<serde_json::Value, Failure> {
    let file = shell.read_text(path)?;
    serde_json::from_str(shell.sources.text(file)).map_err(|error| {
        let at = shell.sources.lines(file, error.line() as u32, error.line() as u32);
        let start = (at.start + error.column().saturating_sub(1)).min(at.end);
        // The library adds the place at the end; the diagnostic has one of its own.
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default().to_owned();
        shell.fail(Diagnostic::error(file.span(start..(start + 1).min(at.end)), format!("not JSON: {text}")))
    })
}

fn read_inputs(path: &Path, shell: &mut Shell) -> Result<Inputs, Failure> {
    let json = read_json(path, shell)?;
    inputs::from_json(&json)
        .map_err(|why| shell.fail(Diagnostic::error(None, format!("in `{}`: {why}", input::name(path)))))
}

fn tell_faults(made: &Simulated, shell: &mut Shell) {
    for (vertex, word, cause) in &made.faults {
        shell.tell(Diagnostic::error(None, format!("vertex {vertex} stopped at word {word}: {cause}")));
    }
}

pub fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}
