//! `chiaro check`: what is wrong with a source or a container.

use std::path::{Path, PathBuf};

use chiaro::{ModuleLanguage, Target, check, check_sources};
use chiaro_diag::{Counts, Diagnostic};
use clap::Args;

use crate::cli;
use crate::cmd::asm::{Language, target_of};
use crate::cmd::compile::Choices;
use crate::input;
use crate::shell::{Failure, Shell};

/// Check a source or a container for hazards, limits and inconsistencies.
#[derive(Args)]
pub struct Options {
    /// The source or container; `-` is standard input.
    file: PathBuf,
    /// The target, where the file does not tell it.
    #[arg(long, value_parser = cli::target)]
    target: Option<Target>,
    #[command(flatten)]
    language: Language,
    #[command(flatten)]
    module: Choices,
}

/// Tells everything that is found; the exit code is 1 if any of it is an error.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let file = &options.file;
    let bytes = shell.read(file)?;
    if let Some(language) = options.module.language(file, &bytes).filter(|_| options.target.is_none()) {
        let stage = options.language.stage;
        if language == ModuleLanguage::Glsl {
            let found = options.module.check_glsl(file, bytes, stage, shell)?;
            return tell(file, found, shell);
        }
        options.module.load(file, bytes, language, None, stage, shell)?;
        return shell.write(None, format!("{}: nothing found\n", input::name(file)).as_bytes());
    }
    let target = match options.target {
        Some(target) => target,
        None => target_of(file, &bytes, shell)?,
    };
    let found = if target.has_container(&bytes) {
        check(target, &bytes).map_err(|error| shell.fail(*error))?
    } else {
        shell.text(file, bytes)?;
        let options = options.language.options(file, shell)?;
        check_sources(target, &mut shell.sources, &options, &mut input::open)
    };
    tell(file, found, shell)
}

/// Tells what was found, and sums it up.
fn tell(file: &Path, found: Vec<Diagnostic>, shell: &mut Shell) -> Result<(), Failure> {
    let summary = match Counts::of(&found).in_words() {
        words if words.is_empty() => "nothing found".to_owned(),
        words => words,
    };
    shell.tell_all(found);
    shell.write(None, format!("{}: {summary}\n", input::name(file)).as_bytes())?;
    shell.check()
}
