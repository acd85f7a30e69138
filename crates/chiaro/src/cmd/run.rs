//! `chiaro run`: a program on the simulator.

pub mod inputs;
pub mod locations;
pub mod module;
pub mod outputs;
pub mod places;
mod table;

use std::path::{Path, PathBuf};

use chiaro::{
    CompileOptions, Inputs, ModuleLanguage, SimulateOptions, Simulated, Target, Work, compile, simulate,
};
use chiaro_diag::{Diagnostic, FileId};
use chiaro_opt::Cx;
use clap::{Args, ValueEnum};

use crate::choices::Choices;
use crate::cli;
use crate::cmd::asm::{Language, assemble_read, target_of};
use crate::images;
use crate::input::{self, Bytes};
use crate::shell::{Failure, Shell};

/// Run a source or container on the simulator, or a shader module on the interpreter; prints the
/// outputs as JSON with values and bits.
#[derive(Args)]
#[command(after_long_help = format!("{INPUTS}\n{}", module::INPUTS))]
pub struct Options {
    /// The source or container; `-` is standard input.
    file: PathBuf,
    /// The target, where the file leaves it open.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
    /// Uniforms and vertices as JSON; without it the program runs once on zeros.
    #[arg(long, value_name = "IN.json")]
    inputs: Option<PathBuf>,
    /// Where to write the outputs; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also print every step with the values read and written; `--trace=table` prints a table of
    /// them, with a column for each unit where an instruction drives several, and nothing else.
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "json")]
    trace: Option<Trace>,
    /// Number mode; `chiaro targets` lists those of each target.
    #[arg(long)]
    mode: Option<String>,
    #[command(flatten)]
    assumptions: cli::Assumptions,
    /// Stop after so many instructions: of each invocation on a simulator, of all of them together
    /// on the interpreter, where what invocations take side by side counts once. Without it 1048576 there (16777216
    /// for a3xx) and 33554432 here, fewer for workgroups of more than 2 invocations: 1048576 for 64.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_steps: Option<u64>,
    /// Start at this procedure, label or word instead of the program's own entry.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Which executable of the container, from 0.
    #[arg(long, value_name = "N")]
    dvle: Option<usize>,
    /// The file is code alone, without a container.
    #[arg(long)]
    raw: bool,
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
  Instead of "vertices": "attributes": { "position": [[0, 0, 0], [1, 0, 0]] }, "fragments" (four in
  a row are a quad), or "groups": [4, 1, 1]. Names are the program's, or registers: c0, i0, b0, v0.
  "images": { "t": { "file": "t.png", "filter": "linear", "wrap": "clamp", "levels": true } } gives a texture with
  its sampler; instead of a file it may have "size" and "texels".
  Missing components of an attribute are 0, 0, 0, 1. A number may be "inf", "-inf", "nan", or
  binary32 bits as in "0x3f800000"."#;

/// Runs the program and prints what came out.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let bytes = shell.read(&options.file)?;
    let module = options.module.language(&options.file, &bytes).filter(|_| !options.raw);
    if let Some(language) = module.filter(|_| options.target.is_none()) {
        return interpret(options, bytes, language, shell);
    }
    let program = options.program(bytes, module, shell)?;
    let mut inputs = match &options.inputs {
        Some(path) => read_inputs(path, shell)?,
        None => Inputs::default(),
    };
    locations::rename(&mut inputs.work, &program.names);
    let mut made = program.run(&inputs, shell)?;
    let text = match options.trace {
        Some(Trace::Table) => table::of(&made.traces),
        _ => outputs::to_json(&made, inputs.work.name()),
    };
    shell.report_all(std::mem::take(&mut made.remarks));
    shell.check()?;
    shell.write(options.output.as_deref(), text.as_bytes())?;
    report_faults(&made, &inputs.work, shell);
    shell.check()
}

/// A program, and how it is run.
struct Program {
    target: cli::TargetName,
    container: Bytes,
    wanted: SimulateOptions,
    /// Inputs, and what a program without names calls them.
    names: Vec<(String, String)>,
}

impl Program {
    fn run(&self, inputs: &Inputs, shell: &mut Shell) -> Result<Simulated, Failure> {
        shell.taken(simulate(self.target, &self.container, inputs, &self.wanted))
    }
}

/// Runs the program of the file on inputs that are there already, for whoever reads results as they are.
pub fn simulated(options: &Options, inputs: &Inputs, shell: &mut Shell) -> Result<Simulated, Failure> {
    with_inputs(options, inputs, false, shell).map(|(made, _)| made)
}

/// The same, with the work that was done; `shared` inputs may have names of other programs.
pub fn with_inputs(
    options: &Options,
    inputs: &Inputs,
    shared: bool,
    shell: &mut Shell,
) -> Result<(Simulated, Work), Failure> {
    let bytes = shell.read(&options.file)?;
    let module = options.module.language(&options.file, &bytes).filter(|_| !options.raw);
    let mut program = options.program(bytes, module, shell)?;
    program.wanted.shared = shared;
    let mut all = match &options.inputs {
        Some(path) => read_inputs(path, shell)?,
        None => Inputs::default(),
    };
    all.resources.extend_from_slice(&inputs.resources);
    if inputs.work != Work::default() {
        if all.work != Work::default() {
            return Err(shell.misused("what is run is said twice", "leave it out of `--inputs`"));
        }
        all.work.clone_from(&inputs.work);
    }
    locations::rename(&mut all.work, &program.names);
    let mut made = program.run(&all, shell)?;
    shell.report_all(std::mem::take(&mut made.remarks));
    Ok((made, all.work))
}

/// Runs a shader module on the interpreter: no target is meant.
fn interpret(
    options: &Options,
    bytes: Bytes,
    language: ModuleLanguage,
    shell: &mut Shell,
) -> Result<(), Failure> {
    let (entry, stage) = (options.entry.clone(), options.language.stage);
    let wanted = options.module.module_options(entry);
    let loaded = options.module.load(&options.file, bytes, language, &wanted, stage, shell)?;
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
    let beside = options.inputs.as_deref().unwrap_or(&options.file);
    let text = module::run(&loaded, entry, (&inputs, beside), options.max_steps, shell)?;
    shell.check()?;
    shell.write(options.output.as_deref(), text.as_bytes())
}

impl Options {
    /// What is run, made of the bytes of the file.
    fn program(
        &self,
        bytes: Bytes,
        module: Option<ModuleLanguage>,
        shell: &mut Shell,
    ) -> Result<Program, Failure> {
        let target = target_of(self.target, &self.file, &bytes, shell)?;
        let mut wanted = self.simulation();
        let is_container = self.raw || input::is_container(target, &self.file, &bytes);
        let module = module.filter(|_| !is_container);
        let settings = module.map_or_else(Vec::new, |_| of_compiler(target, &mut wanted));
        shell.taken(target.check_simulation(&wanted)).map_err(|_| Failure::Usage)?;
        let (container, names) = match module {
            _ if is_container => (bytes, Vec::new()),
            Some(language) => {
                let choices = CompileOptions { settings, ..CompileOptions::default() };
                self.compiled(target, (bytes, language), choices, &mut wanted, shell)?
            }
            None => (self.assembled(target, bytes, &mut wanted, shell)?, Vec::new()),
        };
        Ok(Program { target, container, wanted, names })
    }

    fn simulation(&self) -> SimulateOptions {
        SimulateOptions {
            mode: self.mode.clone(),
            assumptions: self.assumptions.assumptions.clone(),
            entry: self.entry.clone(),
            executable: self.dvle,
            trace: self.trace.is_some(),
            max_steps: self.max_steps,
            ..SimulateOptions::default()
        }
    }

    /// Compiles a shader module for the target; the entry is the module's, not the program's.
    fn compiled(
        &self,
        target: &dyn Target,
        (bytes, language): (Bytes, ModuleLanguage),
        choices: CompileOptions,
        wanted: &mut SimulateOptions,
        shell: &mut Shell,
    ) -> Result<(Bytes, Vec<(String, String)>), Failure> {
        let entry = wanted.entry.take();
        let read = self.module.module_options(entry.clone());
        let loaded = self.module.load(&self.file, bytes, language, &read, self.language.stage, shell)?;
        let choices = CompileOptions { entry, ..choices };
        let modules = [loaded];
        let made = compile(target, &modules, &choices, &shell.sources, &mut Cx::default());
        let made = shell.taken(made)?;
        shell.report_all(made.remarks);
        let names = locations::locations(&modules[0], &made.report);
        Ok((made.container.into(), names))
    }

    /// Assembles a source; its labels become names to start at.
    fn assembled(
        &self,
        target: &dyn Target,
        bytes: Bytes,
        wanted: &mut SimulateOptions,
        shell: &mut Shell,
    ) -> Result<Bytes, Failure> {
        let options = self.language.options(target, &self.file, &[], shell)?;
        shell.text(&self.file, bytes)?;
        let made = assemble_read(target, &options, shell)?;
        wanted.labels = made.labels;
        Ok(made.bytes.into())
    }
}

/// Choices of a run that are the compiler's; those that are nobody else's are taken out of it.
fn of_compiler(target: &dyn Target, wanted: &mut SimulateOptions) -> Vec<(String, String)> {
    let is_setting = |key: &str| target.about().settings.iter().any(|setting| setting.name == key);
    let is_open = |key: &str| target.assumptions().iter().any(|open| open.name == key);
    let all = wanted.assumptions.iter();
    let settings = all.filter(|(key, _)| is_setting(key)).cloned().collect();
    wanted.assumptions.retain(|(key, _)| is_open(key) || !is_setting(key));
    settings
}

/// Reads a file that holds JSON.
pub fn read_json(path: &Path, shell: &mut Shell) -> Result<serde_json::Value, Failure> {
    let file = shell.read_text(path)?;
    json_of(file, shell)
}

fn json_of(file: FileId, shell: &mut Shell) -> Result<serde_json::Value, Failure> {
    chiaro::json::read(file, shell.sources.text(file)).map_err(|error| shell.fail(*error))
}

/// Reads uniforms and work from a file.
pub fn read_inputs(path: &Path, shell: &mut Shell) -> Result<Inputs, Failure> {
    let file = shell.read_text(path)?;
    inputs_of(file, path, shell)
}

/// The same from the text of that file.
pub fn inputs_of(file: FileId, path: &Path, shell: &mut Shell) -> Result<Inputs, Failure> {
    let json = json_of(file, shell)?;
    let read = inputs::from_json(&json, &mut images::opener(path, &mut shell.inputs));
    read.map_err(|why| shell.fail(Diagnostic::error(None, format!("in `{}`: {why}", input::name(path)))))
}

pub fn report_faults(made: &Simulated, work: &Work, shell: &mut Shell) {
    let one = match work {
        Work::Dispatch(_) => "thread",
        // A machine of groups that is asked for nothing runs one.
        _ if made.invocations == 0 => "thread",
        Work::Fragments(_) => "fragment",
        _ => "vertex",
    };
    for fault in &made.faults {
        let chiaro::Fault { invocation, at, cause, .. } = fault;
        shell.report(Diagnostic::error(None, format!("{one} {invocation} stopped at word {at}: {cause}")));
    }
}
