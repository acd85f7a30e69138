//! `chiaro compile`: shader sources to what comes after them. As far as it goes today: to the
//! IR or to SPIR-V; machine code follows with the back ends.

mod choices;

use std::path::{Path, PathBuf};

use chiaro::{Environment, LoadedModule};
use chiaro_ir::Stage;
use clap::{Args, ValueEnum};

use crate::cli::StageName;
use crate::shell::{Failure, Shell};
pub use choices::Choices;

/// Compile a shader (GLSL, WGSL or SPIR-V) to the intermediate representation or to SPIR-V.
#[derive(Args)]
pub struct Options {
    /// The source, or in GLSL one for each stage of a program; `-` is standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// What to write.
    #[arg(long, value_enum)]
    emit: Emit,
    /// Whose rules SPIR-V keeps.
    #[arg(long, value_enum, default_value = "vulkan")]
    env: Env,
    /// Where to write it; standard output without it. Several stages go to several files: the
    /// stage's name is put before the ending.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Stage of a GLSL source; told by the file name without it.
    #[arg(long, value_enum)]
    stage: Option<StageName>,
    #[command(flatten)]
    module: Choices,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The IR as text.
    Ir,
    /// SPIR-V words.
    Spirv,
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
    let all = options.module.load_all(&options.files, options.stage, shell)?;
    let mut results = Vec::with_capacity(all.len());
    for loaded in &all {
        results.push((options.path(loaded, all.len() > 1), options.bytes(loaded, shell)?));
    }
    let results: Vec<(Option<&Path>, &[u8])> =
        results.iter().map(|(path, bytes)| (path.as_deref(), bytes.as_slice())).collect();
    shell.write_all(&results)
}

impl Options {
    fn bytes(&self, loaded: &LoadedModule, shell: &mut Shell) -> Result<Vec<u8>, Failure> {
        let environment = match self.env {
            Env::Vulkan => Environment::Vulkan,
            Env::Opengl => Environment::OpenGl,
        };
        Ok(match self.emit {
            Emit::Ir => chiaro_ir::print(&loaded.module).into_bytes(),
            Emit::Spirv => {
                let words = loaded.words_for(environment).map_err(|error| shell.fail(*error))?;
                words.iter().flat_map(|word| word.to_le_bytes()).collect()
            }
        })
    }

    /// Where a module goes: `out.spv`, or `out.vert.spv` for one of several stages.
    fn path(&self, loaded: &LoadedModule, several: bool) -> Option<PathBuf> {
        let path = self.output.as_ref()?;
        let Some(entry) = loaded.module.entries.first().filter(|_| several) else {
            return Some(path.clone());
        };
        let stage = match entry.stage {
            Stage::Vertex => "vert",
            Stage::Geometry => "geom",
            Stage::Fragment => "frag",
            _ => "comp",
        };
        let ending = path.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
        Some(path.with_extension(format!("{stage}{ending}")))
    }
}
