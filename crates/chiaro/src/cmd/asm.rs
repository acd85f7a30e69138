//! `chiaro asm`: sources to a container.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use chiaro::{AssembleOptions, Assembled, Dialect, Stage, TARGETS, Target, assemble, hazards};
use clap::Args;

use crate::cmd::lines;
use crate::shell::{Failure, Shell};
use crate::{cli, depfile, input};

/// Assemble sources into one container.
#[derive(Args)]
pub struct Options {
    /// The sources, in the order of their executables; `-` is standard input.
    #[arg(required_unless_present = "lines")]
    files: Vec<PathBuf>,
    /// The target, where the file names leave it open.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
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
    #[command(flatten)]
    settings: cli::Settings,
    /// Where the program starts, in nihcode; `main` without it.
    #[arg(long, value_name = "LABEL", conflicts_with = "lines")]
    entry: Option<String>,
    /// Translate lines of standard input, one instruction each, to hexadecimal words.
    #[arg(long, requires = "target", conflicts_with_all = ["files", "output", "watch"])]
    pub lines: bool,
    #[command(flatten)]
    pub building: cli::Building,
}

/// Which language, and how closely to follow its original tool.
#[derive(Args)]
pub struct Language {
    /// Language of the sources; by the file names without it.
    #[arg(long, value_parser = cli::dialects())]
    syntax: Option<String>,
    /// Give exactly the bytes that this tool gives, its silent errors included.
    #[arg(long, value_parser = cli::tools(), value_name = "TOOL")]
    compat: Option<String>,
    /// Insert no padding NOPs at the ends of blocks.
    #[arg(long, short = 'n')]
    no_nop: bool,
    /// The stage of a source in nihcode (vertex or geometry) or GLSL; by the file names
    /// (`.g.nih`, `.frag`) without it.
    #[arg(long, value_parser = cli::stages())]
    pub stage: Option<Stage>,
}

/// Assembles and writes the container, or translates lines.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let settings = &options.settings.settings;
    if let Some(target) = options.target.filter(|_| options.lines) {
        let set = shell.instructions(target, settings)?;
        return lines::assemble(set).map_err(|error| shell.unwritten(error));
    }
    if options.output.is_none() && std::io::stdout().is_terminal() {
        return Err(shell.misused("the container would go to the terminal", "name a file with `-o FILE`"));
    }
    read_all(&options.files, shell)?;
    let target = target_of(options.target, &options.files[0], b"", shell)?;
    let mut wanted = options.language.options(target, &options.files[0], settings, shell)?;
    wanted.entry.clone_from(&options.entry);
    let made = assemble_read(target, &wanted, shell)?;
    if !wanted.compat {
        // No assembler before reported these, and the console only hangs.
        let found = hazards(target, &shell.sources, &made, settings);
        shell.report_all(found);
    }
    write(options, &made, shell)
}

/// Writes the container, and what else was asked for.
fn write(options: &Options, made: &Assembled, shell: &mut Shell) -> Result<(), Failure> {
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
    let paths: Vec<&Path> = results.iter().filter_map(|(path, _)| *path).collect();
    let rule = depfile::rule(&paths, &shell.inputs);
    results.extend(options.building.depfile.as_deref().map(|path| (Some(path), rule.as_bytes())));
    shell.check()?;
    shell.write_all(&results)
}

const NO_SUCH_RESULT: &str = "headers come from picasso's language, descriptor tables from `.raw` listings";

/// Reads all files before it gives up on any, so that all that is wrong with them is reported.
fn read_all(files: &[PathBuf], shell: &mut Shell) -> Result<(), Failure> {
    let results: Vec<_> = files.iter().map(|file| shell.read_text(file)).collect();
    results.into_iter().try_for_each(|result| result.map(drop))
}

/// Assembles the sources that were read, with the files that they include.
pub fn assemble_read(
    target: &dyn Target,
    options: &AssembleOptions,
    shell: &mut Shell,
) -> Result<Assembled, Failure> {
    let (sources, inputs) = (&mut shell.sources, &mut shell.inputs);
    let made = assemble(target, sources, options, &mut |path| inputs.open(path));
    let mut made = shell.taken(made)?;
    shell.report_all(std::mem::take(&mut made.warnings));
    Ok(made)
}

/// The target that is named, or that of an input by its name or content.
pub fn target_of(
    named: Option<cli::TargetName>,
    path: &Path,
    bytes: &[u8],
    shell: &mut Shell,
) -> Result<cli::TargetName, Failure> {
    named.or_else(|| TARGETS.of_input(&path.to_string_lossy(), bytes)).ok_or_else(|| {
        let known = TARGETS.names().join(", ");
        let message = format!("the target of `{}` is not clear from its name", input::name(path));
        shell.misused(message, format!("name it with `--target`; known targets are {known}"))
    })
}

impl Language {
    /// The options for the library.
    pub fn options(
        &self,
        target: &dyn Target,
        first: &Path,
        settings: &[(String, String)],
        shell: &mut Shell,
    ) -> Result<AssembleOptions, Failure> {
        let dialect = self.dialect(target, first, shell)?;
        Ok(AssembleOptions {
            dialect: dialect.map(|dialect| dialect.name),
            compat: self.compat.is_some(),
            no_padding: self.no_nop,
            stage: self.stage,
            settings: settings.to_vec(),
            ..AssembleOptions::default()
        })
    }

    /// The language that is named, or that of the tool that is named.
    fn dialect(
        &self,
        target: &dyn Target,
        first: &Path,
        shell: &mut Shell,
    ) -> Result<Option<&'static Dialect>, Failure> {
        let about = target.about();
        let tool = self.compat.as_deref();
        let dialect = match &self.syntax {
            Some(name) => match about.dialects.iter().find(|dialect| dialect.name == name) {
                None => {
                    return Err(
                        shell.misused(format!("`{}` has no language `{name}`", about.name), NO_DIALECT)
                    );
                }
                found => found,
            },
            // What is not asked for here the target decides, which sees the text as well.
            None if tool.is_none() => None,
            None => {
                let of_tool = about.dialects.iter().skip(1).find(|dialect| dialect.tool == tool);
                of_tool.or_else(|| about.dialect_of(&first.to_string_lossy()))
            }
        };
        match dialect {
            Some(dialect) if tool.is_some() && dialect.tool != tool => {
                let message = format!("the sources are in {}, which that tool does not read", dialect.name);
                Err(shell.misused(message, "name another `--compat` or `--syntax`"))
            }
            dialect => Ok(dialect),
        }
    }
}

const NO_DIALECT: &str = "`chiaro targets` lists the languages of each target";
