//! `chiaro compile`: shader sources to machine code, or to what lies on the road there.

mod array;
pub mod listing;
mod machine;

use std::path::{Path, PathBuf};

use chiaro::{Bindings, CompiledShader, Environment, Hub, LoadedModule, Parts, Stage, words_for};
use chiaro_diag::Diagnostic;
use clap::{Args, ValueEnum};

use crate::choices::Choices;
use crate::cli::TargetName;
use crate::shell::{Failure, Shell};
use crate::{cli, depfile};
pub use machine::Machine;

/// Compile a shader (GLSL, WGSL or SPIR-V) to machine code; without `-o` and `--emit` the listing
/// with the source beside it and a summary are printed.
#[derive(Args)]
pub struct Options {
    /// The sources: in GLSL one for each stage of a program. Several programs become one file, where
    /// the target has such files; `-` is standard input.
    #[arg(required_unless_present = "part")]
    pub files: Vec<PathBuf>,
    #[arg(long, value_name = "KIND", requires = "key", requires = "target", conflicts_with = "files",
        help = machine::parts())]
    part: Option<String>,
    /// The key of that part, in JSON.
    #[arg(long, value_name = "FILE", requires = "part")]
    key: Option<PathBuf>,
    /// The target; without it a module can become IR or SPIR-V.
    #[arg(long, value_parser = cli::targets(), required_unless_present = "emit")]
    pub target: Option<cli::TargetName>,
    /// What to write.
    #[arg(long, value_enum)]
    emit: Option<Emit>,
    /// Whose rules SPIR-V keeps.
    #[arg(long, value_enum, default_value = "vulkan")]
    env: Env,
    /// Where to write it; standard output without it. Several stages go to several files: the
    /// stage's name is put before the ending.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Stage of a GLSL source; by the file name without it.
    #[arg(long, value_parser = cli::stages())]
    pub stage: Option<Stage>,
    /// The source has no entry point: its functions are a part that `chiaro link` joins with others.
    #[arg(long)]
    library: bool,
    #[command(flatten)]
    pub machine: Machine,
    #[command(flatten)]
    pub module: Choices,
    #[command(flatten)]
    pub building: cli::Building,
}

/// Something to be written, and where; standard output without a path.
type Written = (Option<PathBuf>, Vec<u8>);

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// The target's file.
    Container,
    /// The code alone.
    Words,
    /// A listing that assembles to the same file.
    Asm,
    /// The IR as text; with a target, what was selected from.
    Ir,
    /// SPIR-V words.
    Spirv,
    /// SPIR-V as text.
    SpirvText,
    /// Names with their registers, for the host program.
    Header,
    /// The report as JSON.
    Json,
    /// The target's file as an array in C.
    C,
    /// Writes to the GPU's registers that load the program.
    Commands,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Env {
    /// Loose uniforms in one block, every resource with set and binding.
    Vulkan,
    /// The module as it is.
    Opengl,
}

/// Reads the sources and writes what was asked for.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    if matches!(options.emit, Some(Emit::Spirv | Emit::SpirvText)) {
        return options.emit_spirv(shell);
    }
    if let (Some(kind), Some(key), Some(target)) = (&options.part, &options.key, options.target) {
        let made = machine::part(target, options, (kind, key), shell)?;
        return options.finish(&[(options.output.clone(), made)], shell);
    }
    let all = options.loaded(shell)?;
    let written = match options.target {
        Some(target) => vec![(options.output.clone(), machine::run(target, options, &all, shell)?)],
        None => options.texts(&all, shell)?,
    };
    options.finish(&written, shell)
}

/// Compiles for the target, for whoever takes more than one result.
pub fn made(options: &Options, shell: &mut Shell) -> Result<(TargetName, CompiledShader), Failure> {
    let Some(target) = options.target else {
        return Err(shell.misused("machine code needs a target", "name it with `--target`"));
    };
    let all = options.loaded(shell)?;
    Ok((target, options.machine.made(target, &all, shell)?))
}

impl Options {
    /// The modules: parts of a program where the target links such.
    fn loaded(&self, shell: &mut Shell) -> Result<Vec<LoadedModule>, Failure> {
        if self.library && self.files.len() > 1 {
            let message = format!("{} files are named, and a library is made of one", self.files.len());
            return Err(shell.misused(message, "compile them one by one, and link what comes out"));
        }
        let links = self.target.is_none_or(chiaro::Target::links_functions);
        let parts = match (self.library, links) {
            (true, true) => Parts::Library,
            (true, false) => {
                return Err(shell.misused(
                    "this target compiles whole programs, and a library is none",
                    "leave out `--library`, or compile for a target that links functions: rdna",
                ));
            }
            (false, true) => Parts::Imports,
            (false, false) => Parts::Whole,
        };
        let all = self.module.load_parts(&self.files, (self.stage, parts), shell)?;
        match all.iter().find_map(|loaded| loaded.module.entries.first()).filter(|_| self.library) {
            None => Ok(all),
            Some(entry) => {
                let message =
                    format!("the source has the entry point `{}`, and a library has none", entry.name);
                Err(shell
                    .fail(Diagnostic::error(None, message).help("leave out `--library`, or the entry point")))
            }
        }
    }

    /// The IR of each module as text.
    fn texts(&self, all: &[LoadedModule], shell: &mut Shell) -> Result<Vec<Written>, Failure> {
        if self.emit != Some(Emit::Ir) {
            return Err(shell.misused("machine code needs a target", "name it with `--target`"));
        }
        let text = |loaded: &LoadedModule| chiaro_ir::print(&loaded.module).into_bytes();
        Ok(all.iter().map(|loaded| (self.path(&loaded.hub, all.len() > 1), text(loaded))).collect())
    }

    /// Writes what was made, and the rule of what it depends on.
    fn finish(&self, written: &[Written], shell: &mut Shell) -> Result<(), Failure> {
        let mut results: Vec<(Option<&Path>, &[u8])> =
            written.iter().map(|(path, bytes)| (path.as_deref(), bytes.as_slice())).collect();
        let paths: Vec<&Path> = results.iter().filter_map(|(path, _)| *path).collect();
        let rule = depfile::rule(&paths, &shell.inputs);
        results.extend(self.building.depfile.as_deref().map(|path| (Some(path), rule.as_bytes())));
        shell.check()?;
        shell.write_all(&results)
    }

    /// Words for an environment. They do not pass the reader of the IR: what it does not know
    /// becomes words all the same.
    fn emit_spirv(&self, shell: &mut Shell) -> Result<(), Failure> {
        let environment = match self.env {
            Env::Vulkan => Environment::Vulkan,
            Env::Opengl => Environment::OpenGl,
        };
        let all = self.module.words_of_all(&self.files, self.stage, shell)?;
        let mut bindings = Bindings::of(all.iter());
        let mut results = Vec::with_capacity(all.len());
        for hub in &all {
            let words = words_for(hub, environment, &mut bindings).map_err(|error| shell.fail(*error))?;
            let bytes = match self.emit {
                Some(Emit::SpirvText) => {
                    let text = chiaro_spirv::text::print(&words);
                    text.map_err(|why| shell.fail(Diagnostic::mistake(why)))?.into_bytes()
                }
                _ => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            };
            results.push((self.path(hub, all.len() > 1), bytes));
        }
        self.finish(&results, shell)
    }

    /// Where a module goes: `out.spv`, or `out.vert.spv` for one of several stages.
    fn path(&self, hub: &Hub, several: bool) -> Option<PathBuf> {
        let path = self.output.as_ref()?;
        let Some(stage) = hub.stage_ending().filter(|_| several) else {
            return Some(path.clone());
        };
        let ending = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
        Some(path.with_extension(format!("{stage}{ending}")))
    }
}
