//! Compiling for a target.

use std::fmt::Write;
use std::path::Path;

use chiaro::{
    Clip, CompileOptions, CompiledShader, DisassembleOptions, KeyText, LoadedModule, TARGETS, Target,
    compile, disassemble,
};
use chiaro_opt::{Changed, Cx, Event};
use clap::{Args, ValueEnum};

use super::listing::listing;
use super::{Emit, Options, array};
use crate::cli::Settings;
use crate::cmd::report;
use crate::shell::{Failure, Shell};

/// Choices that concern machine code.
#[derive(Args)]
pub struct Machine {
    /// The entry point, where there are several.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    #[command(flatten)]
    settings: Settings,
    /// What the source's clip coordinates mean; they pass through unless this asks for a conversion.
    #[arg(long, value_enum, default_value = "native")]
    clip: ClipName,
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=3), help = effort())]
    effort: Option<u32>,
    /// Check the result: rules of the hardware, and the words against the source on the simulator.
    /// What cannot be proved is a warning; an error if `strict`.
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "warn")]
    verify: Option<Verify>,
    /// Print the IR after every run of this pass that changes something.
    #[arg(long, value_name = "PASS")]
    print_after: Option<String>,
    /// Stop after so many runs of passes, counted as `--time` does, and print the IR.
    #[arg(long, value_name = "NUMBER")]
    stop_after: Option<u32>,
    /// Print how long each run of a pass took.
    #[arg(long)]
    time: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Verify {
    /// What is not proved is a warning.
    Warn,
    /// What is not proved is an error.
    Strict,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClipName {
    /// As they are.
    Native,
    /// OpenGL: z from -w to w.
    Gl,
    /// Vulkan, WebGPU: z from 0 to w.
    Vulkan,
}

/// The help of `--effort`, with what each target does without it.
fn effort() -> String {
    let of = |target: &'static dyn Target| Some(format!("{} for {}", target.effort()?, target.about().name));
    let defaults: Vec<String> = TARGETS.iter().filter_map(of).collect();
    let defaults = defaults.join(", ");
    format!(
        "How hard to search for a shorter program, 0 to 3; by default {defaults}, and of no effect elsewhere"
    )
}

impl Machine {
    /// The options of the library.
    pub fn options(&self) -> CompileOptions {
        CompileOptions {
            entry: self.entry.clone(),
            settings: self.settings.settings.clone(),
            clip: match self.clip {
                ClipName::Native => None,
                ClipName::Gl => Some(Clip::Gl),
                ClipName::Vulkan => Some(Clip::Vulkan),
            },
            effort: self.effort,
            verify: self.verify.is_some(),
            strict: self.verify == Some(Verify::Strict),
            container_only: false,
        }
    }

    /// The options of the library, with the texts of files that settings name.
    fn options_read(&self, shell: &mut Shell) -> Result<CompileOptions, Failure> {
        let mut options = self.options();
        for (_, value) in options.settings.iter_mut().filter(|(key, _)| key.ends_with("-file")) {
            let file = shell.read_text(Path::new(value))?;
            *value = shell.sources.text(file).to_owned();
        }
        Ok(options)
    }

    /// Compiles; what watching the passes printed comes first.
    fn compile(
        &self,
        target: &dyn Target,
        all: &[LoadedModule],
        (options, shell): (&CompileOptions, &Shell),
    ) -> (String, Result<CompiledShader, Vec<chiaro_diag::Diagnostic>>) {
        let mut watched = String::new();
        let mut watch = |event: &Event<'_>| self.watched(event, &mut watched);
        let mut cx = Cx { watch: Some(&mut watch), stop_after: self.stop_after, ..Cx::default() };
        cx.clock = self.time.then_some(crate::clock::nanos as fn() -> u64);
        let made = compile(target, all, options, &shell.sources, &mut cx);
        (watched, made)
    }

    /// Compiles, without a word of the passes.
    pub fn made(
        &self,
        target: &dyn Target,
        all: &[LoadedModule],
        shell: &mut Shell,
    ) -> Result<CompiledShader, Failure> {
        let options = self.options_read(shell)?;
        let (_, made) = self.compile(target, all, (&options, shell));
        let compiled = shell.taken(made)?;
        shell.report_all(compiled.remarks.iter().cloned());
        Ok(compiled)
    }

    fn watched(&self, event: &Event<'_>, out: &mut String) {
        if self.time {
            let changed = if event.changed == Changed::Yes { "changed" } else { "" };
            let micros = event.nanos as f64 / 1000.0;
            let _ = writeln!(out, "{:>4} {:<20} {micros:>9.1} us {changed}", event.number, event.pass);
        }
        let named = self.print_after.as_deref() == Some(event.pass) && event.changed == Changed::Yes;
        if named || self.stop_after == Some(event.number) {
            let _ = writeln!(out, "; after {} {}", event.number, event.pass);
            out.push_str(&chiaro_ir::print(event.module));
        }
    }
}

/// Compiles what the target has a stage for; what is to be written of it.
pub fn run(
    target: &dyn Target,
    options: &Options,
    all: &[LoadedModule],
    shell: &mut Shell,
) -> Result<Vec<u8>, Failure> {
    let choices = options.machine.options_read(shell)?;
    let (watched, made) = options.machine.compile(target, all, (&choices, shell));
    if options.machine.stop_after.is_some() {
        return Ok(watched.into_bytes());
    }
    let mut bytes = told(target, options, made, shell)?;
    if !watched.is_empty() {
        bytes.splice(0..0, watched.into_bytes());
    }
    Ok(bytes)
}

/// The help of `--part`, with the kinds that each target makes.
pub fn parts() -> String {
    let of = |target: &'static dyn Target| match target.part_kinds() {
        [] => None,
        kinds => Some(format!("{} for {}", kinds.join(", "), target.about().name)),
    };
    let kinds: Vec<String> = TARGETS.iter().filter_map(of).collect();
    format!("Make a part of a program from its key alone instead: {}", kinds.join("; "))
}

/// Makes a part of a program from its key; what is to be written of it.
pub fn part(
    target: &dyn Target,
    options: &Options,
    (kind, key): (&str, &Path),
    shell: &mut Shell,
) -> Result<Vec<u8>, Failure> {
    let kinds = target.part_kinds();
    if !kinds.contains(&kind) {
        let name = target.about().name;
        let there_are = match kinds {
            [] => format!("{name} makes none"),
            kinds => format!("there are {}", kinds.join(", ")),
        };
        return Err(
            shell.misused(format!("there is no part `{kind}` that a key makes for {name}"), there_are)
        );
    }
    let file = shell.read_text(key)?;
    let text = shell.sources.shared_text(file);
    let key = KeyText { file, text: &text };
    let made = target.part(kind, key, &options.machine.options(), &mut Cx::default());
    told(target, options, made, shell)
}

/// What is to be written of what was made.
fn told(
    target: &dyn Target,
    options: &Options,
    made: Result<CompiledShader, Vec<chiaro_diag::Diagnostic>>,
    shell: &mut Shell,
) -> Result<Vec<u8>, Failure> {
    let compiled = shell.taken(made)?;
    shell.report_all(compiled.remarks.iter().cloned());
    Ok(match (options.emit, &options.output) {
        (None, None) => listing(&compiled, target, shell).into_bytes(),
        (None, Some(_)) => compiled.container,
        (Some(emit), _) => wanted(emit, target, options, compiled, shell)?,
    })
}

fn wanted(
    emit: Emit,
    target: &dyn Target,
    options: &Options,
    compiled: CompiledShader,
    shell: &mut Shell,
) -> Result<Vec<u8>, Failure> {
    Ok(match emit {
        Emit::Container => compiled.container,
        Emit::Words => compiled.code.bytes,
        Emit::Asm => {
            let from = DisassembleOptions {
                settings: options.machine.settings.settings.clone(),
                ..Default::default()
            };
            let made = disassemble(target, &compiled.container, &from);
            let made = made.map_err(|error| shell.fail(*error))?;
            made.text.into_bytes()
        }
        Emit::C => array::of(&compiled.container, &array::name(options, target)).into_bytes(),
        Emit::Commands => target.commands(&compiled.container).map_err(|error| shell.fail(*error))?,
        Emit::Ir => compiled.ir.into_bytes(),
        Emit::Header => match compiled.header {
            Some(header) => header.into_bytes(),
            None => return Err(shell.misused("this target has no headers", "use `--emit json`")),
        },
        Emit::Json => {
            let path = options.files.first().map(|path| path.display().to_string()).unwrap_or_default();
            report::json::reports(&[(path, compiled.report)]).into_bytes()
        }
        Emit::Spirv | Emit::SpirvText => {
            return Err(shell.misused("SPIR-V is not a target's", "leave out `--target`"));
        }
    })
}
