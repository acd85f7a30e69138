//! `chiaro dis`: a container or words to a listing that assembles back.

use std::path::PathBuf;

use chiaro::{DisassembleOptions, Target, disassemble};
use clap::Args;

use crate::cli;
use crate::cmd::asm::target_of;
use crate::cmd::lines;
use crate::shell::{Failure, Shell};

/// Disassemble a container; the listing assembles to the identical file.
#[derive(Args)]
pub struct Options {
    /// The container; `-` is standard input.
    #[arg(required_unless_present = "lines")]
    file: Option<PathBuf>,
    /// The target, where the file leaves it open.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
    /// Where to write the listing; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// As JSON: the container and every instruction with its fields.
    #[arg(long, conflicts_with = "raw")]
    json: bool,
    /// The file holds instruction words alone, without a container.
    #[arg(long, requires = "target")]
    raw: bool,
    /// Operand descriptors for `--raw`, a word each.
    #[arg(long, requires = "raw", value_name = "FILE")]
    descriptors: Option<PathBuf>,
    #[command(flatten)]
    settings: cli::Settings,
    /// Translate lines of hexadecimal words from standard input, one instruction each, to text.
    #[arg(long, requires = "target", conflicts_with_all = ["file", "output", "json", "raw"])]
    pub lines: bool,
}

/// Lists the file, or translates lines.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let (Some(file), false) = (&options.file, options.lines) else {
        // The command line asks for a target beside `--lines`.
        let Some(target) = options.target else { return Ok(()) };
        let set = shell.instructions(target, &options.settings.settings)?;
        return lines::disassemble(set).map_err(|error| shell.unwritten(error));
    };
    let bytes = shell.read(file)?;
    let target = target_of(options.target, file, &bytes, shell)?;
    let text = if options.json {
        target.info_json(&bytes, true).map_err(|error| shell.fail(*error))?.to_string() + "\n"
    } else {
        listing(options, target, &bytes, shell)?
    };
    shell.check()?;
    shell.write(options.output.as_deref(), text.as_bytes())
}

fn listing(
    options: &Options,
    target: &dyn Target,
    bytes: &[u8],
    shell: &mut Shell,
) -> Result<String, Failure> {
    let table = match &options.descriptors {
        Some(path) => shell.read(path)?.into_vec(),
        None => Vec::new(),
    };
    let wanted = DisassembleOptions { raw: options.raw, table, settings: options.settings.settings.clone() };
    let made = disassemble(target, bytes, &wanted).map_err(|error| match options.raw {
        true => error,
        false => Box::new(error.help("`--raw` lists words without a container")),
    });
    let made = made.map_err(|error| shell.fail(*error))?;
    shell.report_all(made.remarks);
    Ok(made.text)
}
