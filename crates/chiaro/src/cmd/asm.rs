//! `chiaro asm`: sources to a container.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use chiaro::{AssembleOptions, Assembled, Syntax, Target, assemble, hazards};
use chiaro_diag::Diagnostic;
use clap::{Args, ValueEnum};

use crate::cmd::lines;
use crate::shell::{Failure, Shell};
use crate::{cli, input};

/// Assemble sources into one container.
#[derive(Args)]
pub struct Options {
    /// The sources, in the order of their executables; `-` is standard input.
    #[arg(required_unless_present = "lines")]
    files: Vec<PathBuf>,
    /// The target, where the file names do not tell it.
    #[arg(long, value_parser = cli::target)]
    target: Option<Target>,
    /// Where to write the container; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write a C header with the places of the uniforms.
    #[arg(long, value_name = "FILE", conflicts_with = "lines")]
    header: Option<PathBuf>,
    /// Also write the operand descriptors, for a listing without a container.
    #[arg(long, value_name = "FILE", conflicts_with = "lines")]
    descriptors: Option<PathBuf>,
    #[command(flatten)]
    language: Language,
    /// Where the program starts, in nihcode; `main` without it.
    #[arg(long, value_name = "LABEL", conflicts_with = "lines")]
    entry: Option<String>,
    /// Translate lines of standard input, one instruction each, to hexadecimal words.
    #[arg(long, requires = "target", conflicts_with_all = ["files", "output"])]
    lines: bool,
}

/// Which language, and how closely to follow its original tool.
#[derive(Args)]
pub struct Language {
    /// Language of the sources; told by the file names without it.
    #[arg(long, value_enum)]
    syntax: Option<SyntaxName>,
    /// Give exactly the bytes that this tool gives, its silent errors included.
    #[arg(long, value_enum, value_name = "TOOL")]
    compat: Option<Tool>,
    /// Insert no padding NOPs at the ends of blocks.
    #[arg(long, short = 'n')]
    no_nop: bool,
    /// The stage of a source in nihcode (vertex or geometry) or GLSL; told by the file names
    /// (`.g.nih`, `.frag`) without it.
    #[arg(long, value_enum)]
    pub stage: Option<cli::StageName>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SyntaxName {
    /// The language of devkitPro's picasso.
    Picasso,
    /// The language of nihstro.
    Nihcode,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tool {
    /// devkitPro's assembler, version 2.7.1.
    Picasso,
    /// The first assembler for the machine, git f4d8659.
    Nihstro,
}

/// Assembles and writes the container, or translates lines.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    if let Some(target) = options.target.filter(|_| options.lines) {
        return lines::assemble(target.instructions()).map_err(|error| shell.unwritten(error));
    }
    if options.output.is_none() && std::io::stdout().is_terminal() {
        return Err(shell.misused("the container would go to the terminal", "name a file with `-o FILE`"));
    }
    read_all(&options.files, shell)?;
    let target = match options.target {
        Some(target) => target,
        None => target_of(&options.files[0], b"", shell)?,
    };
    let mut wanted = options.language.options(&options.files[0], shell)?;
    wanted.entry.clone_from(&options.entry);
    let made = assemble_read(target, &wanted, shell)?;
    if !wanted.compat {
        // No assembler before told these, and the console only hangs.
        shell.tell_all(hazards(target, &made));
    }
    let mut results = vec![(options.output.as_deref(), made.bytes.as_slice())];
    let others = [
        (&options.header, made.header.as_deref().map(str::as_bytes), "header"),
        (&options.descriptors, made.table.as_deref(), "descriptor table of their own"),
    ];
    for (path, bytes, what) in others {
        match (path, bytes) {
            (Some(path), Some(bytes)) => results.push((Some(path), bytes)),
            (Some(_), None) => {
                return Err(shell.misused(format!("these sources have no {what}"), NO_SUCH_RESULT));
            }
            (None, _) => {}
        }
    }
    shell.write_all(&results)
}

const NO_SUCH_RESULT: &str = "headers come from picasso's language, descriptor tables from `.raw` listings";

/// Reads all files before it gives up on any, so that all that is wrong with them is told.
fn read_all(files: &[PathBuf], shell: &mut Shell) -> Result<(), Failure> {
    let results: Vec<_> = files.iter().map(|file| shell.read_text(file)).collect();
    results.into_iter().try_for_each(|result| result.map(drop))
}

/// Assembles the sources that were read, with the files that they include.
pub fn assemble_read(
    target: Target,
    options: &AssembleOptions,
    shell: &mut Shell,
) -> Result<Assembled, Failure> {
    let mut made = assemble(target, &mut shell.sources, options, &mut input::open).map_err(|errors| {
        shell.tell_all(errors);
        Failure::Input
    })?;
    shell.tell_all(std::mem::take(&mut made.warnings));
    Ok(made)
}

/// The target of an input by its name or content.
pub fn target_of(path: &Path, bytes: &[u8], shell: &mut Shell) -> Result<Target, Failure> {
    Target::of_input(&path.to_string_lossy(), bytes).ok_or_else(|| {
        let known = Target::ALL.map(Target::name).join(", ");
        let message = format!("the target of `{}` is not clear from its name", input::name(path));
        shell.misused(message, format!("name it with `--target`; known targets are {known}"))
    })
}

impl Language {
    /// The options for the library; the first file's name tells what nothing else does.
    pub fn options(&self, first: &Path, shell: &mut Shell) -> Result<AssembleOptions, Failure> {
        let ends_with = |ending| first.to_string_lossy().to_ascii_lowercase().ends_with(ending);
        let mut options = AssembleOptions::default();
        options.syntax = match (self.syntax, self.compat) {
            (Some(SyntaxName::Nihcode), _) | (None, Some(Tool::Nihstro)) => Syntax::Nihcode,
            (None, _) if ends_with(".nih") => Syntax::Nihcode,
            _ => Syntax::Usual,
        };
        options.compat = self.compat.is_some();
        options.no_padding = self.no_nop;
        options.geometry = self.stage.map_or(ends_with(".g.nih"), |stage| stage == cli::StageName::Geometry);
        let (language, tool) = match options.syntax {
            Syntax::Nihcode => ("nihcode", Tool::Nihstro),
            _ => ("picasso's language", Tool::Picasso),
        };
        if self.compat.is_some_and(|wanted| wanted != tool) {
            let message = format!("the sources are in {language}, which that tool does not read");
            return Err(shell.misused(message, "name another `--compat` or `--syntax`"));
        }
        if options.syntax == Syntax::Nihcode && self.no_nop {
            shell.tell(Diagnostic::warning(None, "`--no-nop` changes nothing: nihcode gets no padding"));
        }
        Ok(options)
    }
}
