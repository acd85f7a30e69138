//! `chiaro abi`: what a calling convention comes to.

use std::path::PathBuf;

use chiaro::{AbiOptions, Offer, TARGETS, Target};
use chiaro_diag::{Diagnostic, FileId};
use clap::Args;

use crate::cli;
use crate::shell::{Failure, Shell};

/// Print a calling convention: who keeps which registers, where parameters stand and why, what a call costs.
#[derive(Args)]
pub struct Options {
    /// The file with the convention, or the name of one that the target brings along; `-` is standard input.
    file: PathBuf,
    /// The target; the one that has calling conventions without it.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
    /// Parameters to place, such as `sbt=u2, origin=v3, tmax=v1D, payload=v1R*4, accept=bR`: `u` uniform, `v` of each
    /// lane, with their dwords, `b` truth values; `D` discardable, `R` returned.
    #[arg(long, value_name = "PARAMETERS")]
    signature: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: cli::Settings,
}

/// Describes the convention.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let offering = || TARGETS.iter().find(|target| target.about().has(Offer::Abi));
    let target: &dyn Target = match options.target {
        Some(target) => target,
        None => match offering() {
            Some(target) => target,
            None => {
                return Err(shell.misused("no target has calling conventions", "name one with `--target`"));
            }
        },
    };
    if !target.about().has(Offer::Abi) {
        return Err(shell.fail(target.about().lacks(Offer::Abi)));
    }
    let file = text(options, target, shell)?;
    let signature = options.signature.as_ref().map(|text| shell.sources.add("--signature", text.as_str()));
    let wanted = AbiOptions { file, signature, settings: options.settings.settings.clone() };
    let made = shell.taken(target.abi(&shell.sources, &wanted))?;
    shell.report_all(made.remarks);
    shell.check()?;
    let text = if options.json { format!("{:#}\n", made.json) } else { made.text };
    shell.write(None, text.as_bytes())
}

/// The file, or what the target has under that name where there is no such file.
fn text(options: &Options, target: &dyn Target, shell: &mut Shell) -> Result<FileId, Failure> {
    let name = options.file.to_string_lossy();
    let is_name = options.file.extension().is_none() && name != "-" && !options.file.exists();
    if !is_name {
        return shell.read_text(&options.file);
    }
    if let Some((name, text)) = target.abis().iter().find(|(known, _)| *known == name) {
        return Ok(shell.sources.add(*name, *text));
    }
    let known: Vec<&str> = target.abis().iter().map(|(known, _)| *known).collect();
    let error = Diagnostic::error(None, format!("there is no file `{name}`, and no convention of that name"));
    Err(shell.fail(error.help(format!("{} brings along: {}", target.about().name, known.join(", ")))))
}
