//! `chiaro check`: what is wrong with a source or a container.

use std::path::{Path, PathBuf};

use chiaro::{ModuleLanguage, check, check_sources};
use chiaro_diag::{Counts, Diagnostic};
use clap::Args;

use crate::choices::Choices;
use crate::cli;
use crate::cmd::asm::{Language, target_of};
use crate::input;
use crate::shell::{Failure, Shell};

/// Check a source or a container for hazards, limits and inconsistencies.
#[derive(Args)]
pub struct Options {
    /// The source or container; `-` is standard input.
    file: PathBuf,
    /// The target, where the file leaves it open.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
    /// The file is code alone, without a container.
    #[arg(long, requires = "target")]
    raw: bool,
    #[command(flatten)]
    settings: cli::Settings,
    #[command(flatten)]
    language: Language,
    #[command(flatten)]
    module: Choices,
    #[command(flatten)]
    pub watch: cli::Watch,
}

/// Reports everything that is found; the exit code is 1 if any of it is an error.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let file = &options.file;
    let bytes = shell.read(file)?;
    if let Some(language) = options.module.language(file, &bytes).filter(|_| options.target.is_none()) {
        let stage = options.language.stage;
        if language == ModuleLanguage::Glsl {
            let found = options.module.check_glsl(file, bytes, stage, shell)?;
            return report(file, found, shell);
        }
        options.module.load(file, bytes, language, &options.module.module_options(None), stage, shell)?;
        return report(file, Vec::new(), shell);
    }
    let target = target_of(options.target, file, &bytes, shell)?;
    let settings = &options.settings.settings;
    let found = if options.raw || input::is_container(target, file, &bytes) {
        check(target, &bytes, settings).map_err(|error| shell.fail(*error))?
    } else {
        shell.text(file, bytes)?;
        let options = options.language.options(target, file, settings, shell)?;
        let (sources, inputs) = (&mut shell.sources, &mut shell.inputs);
        check_sources(target, sources, &options, &mut |path| inputs.open(path))
    };
    report(file, found, shell)
}

/// Reports what was found, and sums it up unless errors alone are to be said.
fn report(file: &Path, found: Vec<Diagnostic>, shell: &mut Shell) -> Result<(), Failure> {
    let summary = match Counts::of(&found).in_words() {
        words if words.is_empty() => "nothing found".to_owned(),
        words => words,
    };
    shell.report_all(found);
    if !shell.is_quiet() {
        shell.write(None, format!("{}: {summary}\n", input::name(file)).as_bytes())?;
    }
    shell.check()
}
