//! `chiaro dis`: a container or words to a listing that assembles back.

mod json;

use std::path::PathBuf;

use chiaro::{Target, disassemble, disassemble_raw};
use clap::Args;

use crate::cli;
use crate::cmd::asm::target_of;
use crate::cmd::{info, lines};
use crate::input;
use crate::shell::{Failure, Shell};

/// Disassemble a container; the listing assembles to the identical file.
#[derive(Args)]
pub struct Options {
    /// The container; `-` is standard input.
    #[arg(required_unless_present = "lines")]
    file: Option<PathBuf>,
    /// The target, where the file does not tell it.
    #[arg(long, value_parser = cli::target)]
    target: Option<Target>,
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
    /// Translate lines of hexadecimal words from standard input, one instruction each, to text.
    #[arg(long, requires = "target", conflicts_with_all = ["file", "output", "json", "raw"])]
    lines: bool,
}

/// Lists the file, or translates lines.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let Some(file) = &options.file else {
        let set = options.target.unwrap_or(Target::Pica200).instructions();
        return lines::disassemble(set).map_err(|error| shell.unwritten(error));
    };
    let bytes = shell.read(file)?;
    let target = match options.target {
        Some(target) => target,
        None => target_of(file, &bytes, shell)?,
    };
    let text = if options.json {
        let container = info::Container::read(&input::name(file), &bytes, shell)?;
        json::describe(&container).to_string() + "\n"
    } else {
        listing(options, target, &bytes, shell)?
    };
    shell.write(options.output.as_deref(), text.as_bytes())
}

fn listing(options: &Options, target: Target, bytes: &[u8], shell: &mut Shell) -> Result<String, Failure> {
    let table = match &options.descriptors {
        Some(path) => shell.read(path)?,
        None => Vec::new(),
    };
    let made = if options.raw {
        disassemble_raw(target, bytes, &table)
    } else {
        disassemble(target, bytes)
            .map_err(|error| Box::new(error.help("`--raw` lists words without a container")))
    };
    let made = made.map_err(|error| shell.fail(*error))?;
    shell.tell_all(made.remarks);
    Ok(made.text)
}
