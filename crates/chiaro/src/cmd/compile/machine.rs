//! Compiling for a target.

use std::fmt::Write;

use chiaro::{Clip, CompileOptions, CompiledShader, LoadedModule, Target, compile_stages, disassemble};
use chiaro_opt::{Changed, Cx, Event};
use clap::{Args, ValueEnum};

use super::listing::listing;
use super::{Emit, Options};
use crate::cmd::report;
use crate::cmd::run::key_value;
use crate::shell::{Failure, Shell};

/// Choices that concern machine code.
#[derive(Args)]
pub struct Machine {
    /// The entry point, where there are several.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Sets a choice of the target or a named assumption.
    #[arg(short = 'm', value_name = "KEY=VALUE", value_parser = key_value)]
    settings: Vec<(String, String)>,
    /// What the source's clip coordinates mean; they pass through unless this asks for a conversion.
    #[arg(long, value_enum, default_value = "native")]
    clip: ClipName,
    /// How hard to search for a shorter program, where the target can: 0 to 3.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=3))]
    effort: Option<u32>,
    /// Check the result: rules of the hardware, and the words against the source on the simulator.
    #[arg(long)]
    verify: bool,
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
enum ClipName {
    /// As they are.
    Native,
    /// OpenGL: z from -w to w.
    Gl,
    /// Vulkan, WebGPU: z from 0 to w.
    Vulkan,
}

impl Machine {
    /// The options of the library.
    pub fn options(&self) -> CompileOptions {
        let mut options = CompileOptions::default();
        options.effort = self.effort;
        options.entry.clone_from(&self.entry);
        options.settings.clone_from(&self.settings);
        options.verify = self.verify;
        options.clip = match self.clip {
            ClipName::Native => None,
            ClipName::Gl => Some(Clip::Gl),
            ClipName::Vulkan => Some(Clip::Vulkan),
        };
        options
    }

    /// Compiles; what watching the passes printed comes first.
    fn compile(
        &self,
        target: Target,
        all: &[LoadedModule],
        shell: &Shell,
    ) -> (String, Result<CompiledShader, Vec<chiaro_diag::Diagnostic>>) {
        let mut told = String::new();
        let mut watch = |event: &Event<'_>| self.told(event, &mut told);
        let mut cx = Cx { watch: Some(&mut watch), stop_after: self.stop_after, ..Cx::default() };
        cx.clock = self.time.then_some(crate::clock::nanos as fn() -> u64);
        let made = compile_stages(target, all, &self.options(), &shell.sources, &mut cx);
        (told, made)
    }

    fn told(&self, event: &Event<'_>, out: &mut String) {
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

/// Compiles what the target has a stage for, and writes it.
pub fn run(
    target: Target,
    options: &Options,
    all: &[LoadedModule],
    shell: &mut Shell,
) -> Result<(), Failure> {
    let (told, made) = options.machine.compile(target, all, shell);
    if options.machine.stop_after.is_some() {
        return shell.write(options.output.as_deref(), told.as_bytes());
    }
    let compiled = made.map_err(|errors| {
        shell.tell_all(errors);
        Failure::Input
    })?;
    shell.tell_all(compiled.remarks.iter().cloned());
    let mut bytes = match (options.emit, &options.output) {
        (None, None) => listing(&compiled, shell).into_bytes(),
        (None, Some(_)) => compiled.container,
        (Some(emit), _) => wanted(emit, target, options, compiled, shell)?,
    };
    if !told.is_empty() {
        bytes.splice(0..0, told.into_bytes());
    }
    shell.write(options.output.as_deref(), &bytes)
}

fn wanted(
    emit: Emit,
    target: Target,
    options: &Options,
    compiled: CompiledShader,
    shell: &mut Shell,
) -> Result<Vec<u8>, Failure> {
    Ok(match emit {
        Emit::Container => compiled.container,
        Emit::Words => compiled.words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        Emit::Asm => {
            let made = disassemble(target, &compiled.container).map_err(|error| shell.fail(*error))?;
            made.text.into_bytes()
        }
        Emit::Ir => compiled.ir.into_bytes(),
        Emit::Header => match compiled.header {
            Some(header) => header.into_bytes(),
            None => return Err(shell.misused("this target has no headers", "use `--emit json`")),
        },
        Emit::Json => {
            let path = options.files.first().map(|path| path.display().to_string()).unwrap_or_default();
            report::json::reports(&[(path, compiled.report)]).into_bytes()
        }
        Emit::Spirv => return Err(shell.misused("SPIR-V is not a target's", "leave out `--target`")),
    })
}
