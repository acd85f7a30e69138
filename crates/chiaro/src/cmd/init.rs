//! `chiaro init`: a project file for a folder of shaders.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::shell::{Failure, Shell};
use crate::survey::files::programs;
use crate::survey::project::{NAME, starter};

/// Write a project file for a folder of shaders: what `chiaro gate` and `chiaro report` without files look at.
#[derive(Args)]
pub struct Options {
    /// The folder.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Where to write it.
    #[arg(short, long, value_name = "FILE", default_value = NAME)]
    output: PathBuf,
    /// Writes it over one that is there.
    #[arg(long)]
    force: bool,
}

/// Looks whether there are shaders, and writes the file.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    if options.output.exists() && !options.force {
        let message = format!("there is a `{}` already", options.output.display());
        return Err(shell.misused(message, "`--force` writes over it"));
    }
    if !options.folder.is_dir() {
        let message = format!("there is no folder `{}`", options.folder.display());
        return Err(shell.misused(message, "name the folder that the shaders are in"));
    }
    let found = programs(std::slice::from_ref(&options.folder)).map_err(|error| shell.fail(*error))?;
    let beside = options.output.parent().unwrap_or(Path::new(""));
    let Ok(folder) = options.folder.strip_prefix(beside) else {
        let message = format!("`{}` does not see `{}`", options.output.display(), options.folder.display());
        return Err(shell.misused(message, "put the project file beside the folder, or above it"));
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    shell.write(Some(&options.output), starter(&crate::input::name(folder)).as_bytes())?;
    if crate::input::is_stdin(&options.output) {
        return Ok(());
    }
    let files: usize = found.iter().map(|program| program.files.len()).sum();
    let told = format!("{}: {files} shaders in {} programs\n", options.output.display(), found.len());
    shell.write(None, told.as_bytes())
}
