//! `chiaro compile`: shader sources to what comes after them. As far as it goes today: to the
//! IR or to SPIR-V; machine code follows with the back ends.

use std::path::PathBuf;

use chiaro::{Environment, LoadedModule, ModuleLanguage, ModuleOptions, load_spirv, load_wgsl};
use clap::{Args, ValueEnum};

use crate::input;
use crate::shell::{Failure, Shell};

/// Compile a shader (WGSL or SPIR-V) to the intermediate representation or to SPIR-V.
#[derive(Args)]
pub struct Options {
    /// The source; `-` is standard input.
    file: PathBuf,
    /// What to write.
    #[arg(long, value_enum)]
    emit: Emit,
    /// Whose rules SPIR-V keeps.
    #[arg(long, value_enum, default_value = "vulkan")]
    env: Env,
    /// Where to write it; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    module: Choices,
}

/// Choices that concern a module.
#[derive(Args)]
pub struct Choices {
    /// Language of a shader module; told by the file without it.
    #[arg(long, value_enum)]
    lang: Option<Language>,
    /// Sets a specialisation constant or override, by number or name.
    #[arg(long, value_name = "ID=VALUE", value_parser = constant)]
    spec: Vec<(String, f64)>,
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    Spirv,
    Wgsl,
}

fn constant(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected ID=VALUE")?;
    let number = match value {
        "true" => 1.0,
        "false" => 0.0,
        _ => value.parse().map_err(|_| format!("`{value}` is no number"))?,
    };
    Ok((name.to_owned(), number))
}

/// Reads the source and writes what was asked for.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let bytes = shell.read(&options.file)?;
    let Some(language) = options.module.language(&options.file, &bytes) else {
        let message = format!("the language of `{}` is not clear from its name", input::name(&options.file));
        return Err(shell.misused(message, "name it with `--lang`; known are spirv and wgsl"));
    };
    let loaded = options.module.load(&options.file, bytes, language, None, shell)?;
    let out = match options.emit {
        Emit::Ir => chiaro_ir::print(&loaded.module).into_bytes(),
        Emit::Spirv => {
            let environment = match options.env {
                Env::Vulkan => Environment::Vulkan,
                Env::Opengl => Environment::OpenGl,
            };
            let words = loaded.words_for(environment).map_err(|error| shell.fail(*error))?;
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        }
    };
    shell.write(options.output.as_deref(), &out)
}

impl Choices {
    /// The language of a file, if it is a module.
    pub fn language(&self, path: &std::path::Path, bytes: &[u8]) -> Option<ModuleLanguage> {
        match self.lang {
            Some(Language::Spirv) => Some(ModuleLanguage::Spirv),
            Some(Language::Wgsl) => Some(ModuleLanguage::Wgsl),
            None => ModuleLanguage::of_input(&path.to_string_lossy(), bytes),
        }
    }

    /// Reads and verifies a module.
    pub fn load(
        &self,
        path: &std::path::Path,
        bytes: Vec<u8>,
        language: ModuleLanguage,
        entry: Option<String>,
        shell: &mut Shell,
    ) -> Result<LoadedModule, Failure> {
        let options = ModuleOptions { entry, constants: self.spec.clone() };
        let loaded = match language {
            ModuleLanguage::Spirv => load_spirv(&bytes, &options, &mut shell.sources),
            ModuleLanguage::Wgsl => {
                let file = shell.text(path, bytes)?;
                load_wgsl(file, &options, &mut shell.sources)
            }
        };
        let mut loaded = loaded.map_err(|errors| {
            shell.tell_all(errors);
            Failure::Input
        })?;
        shell.tell_all(std::mem::take(&mut loaded.warnings));
        Ok(loaded)
    }
}
