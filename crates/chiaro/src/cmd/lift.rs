//! `chiaro lift`: a program back to a shader.

use std::path::PathBuf;

use chiaro::{About, LiftOptions, Lifted};
use chiaro_diag::{Diagnostic, Span, did_you_mean};
use chiaro_ir::{FunctionRef, Global, Module, Space, Stage};
use chiaro_spirv::languages::{Language, in_language};
use clap::{Args, ValueEnum};

use crate::cli;
use crate::cmd::asm::target_of;
use crate::cmd::run::inputs_of;
use crate::cmd::run::places::places;
use crate::shell::{Failure, Shell};

/// Lift a program of a container to a shader for other machines; it computes what the simulator does,
/// bit for bit.
#[derive(Args)]
pub struct Options {
    /// The container; `-` is standard input.
    file: PathBuf,
    /// The target, where the file leaves it open.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
    /// What to write.
    #[arg(long, value_enum, default_value = "glsl")]
    to: Form,
    /// Where to write it; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Which executable of the container, from 0.
    #[arg(long, value_name = "N")]
    dvle: Option<usize>,
    /// Start at this label or word instead of the program's own entry.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Uniforms that are known, as JSON as `chiaro run --inputs` takes it: the program is made for them;
    /// the others stay uniforms.
    #[arg(long, value_name = "IN.json")]
    uniforms: Option<PathBuf>,
    /// As a person would have written it: products, sums, choices and indices as the language has them,
    /// which differ where numbers are not finite or indices out of range. For reading, and to compile it
    /// again for the same machine.
    #[arg(long)]
    plain: bool,
    /// As a shader that computes from a buffer of inputs to a buffer of outputs, for hosts without the stage.
    #[arg(long)]
    compute: bool,
    /// Names of values end in the address of the word that computes them, as `chiaro dis` shows it.
    #[arg(long)]
    addresses: bool,
    /// Number mode; `chiaro targets` lists those of each target.
    #[arg(long)]
    mode: Option<String>,
    /// A number mode as `--mode` has it, or what the hardware's documents leave open; `--help` lists the keys.
    #[arg(short = 'm', value_name = "MODE|KEY=VALUE", long_help = cli::assumption_keys())]
    choices: Vec<String>,
    /// The file holds instruction words alone, without a container.
    #[arg(long, requires = "target")]
    raw: bool,
    /// Operand descriptors for `--raw`, a word each.
    #[arg(long, requires = "raw", value_name = "FILE")]
    descriptors: Option<PathBuf>,
}

/// The form of the result.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The IR as text.
    Ir,
    /// SPIR-V words.
    Spirv,
    /// GLSL 4.50.
    Glsl,
    /// GLSL ES 3.10.
    Essl,
    /// WGSL.
    Wgsl,
}

/// Lifts the program.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let bytes = shell.read(&options.file)?;
    let target = target_of(options.target, &options.file, &bytes, shell)?;
    let table = match &options.descriptors {
        Some(path) => shell.read(path)?.into_vec(),
        None => Vec::new(),
    };
    let given = match &options.uniforms {
        Some(path) => Some((shell.read_text(path)?, path)),
        None => None,
    };
    let uniforms = match given {
        Some((file, path)) => inputs_of(file, path, shell)?.resources,
        None => Vec::new(),
    };
    let (mode, assumptions) = chosen(options);
    if let Some(mode) = &mode {
        is_known(mode, target.about(), shell)?;
    }
    let wanted = LiftOptions {
        raw: options.raw,
        table,
        executable: options.dvle,
        entry: options.entry.clone(),
        mode,
        assumptions,
        plain: options.plain,
        compute: options.compute,
        uniforms,
    };
    let made = target.lift(&bytes, &wanted).map_err(|errors| match given {
        Some((file, _)) => placed(errors, &places(file, shell.sources.text(file))),
        None => errors,
    });
    let mut made = shell.taken(made)?;
    shell.report_all(std::mem::take(&mut made.remarks));
    let result = written(&made, options).map_err(|why| shell.fail(Diagnostic::error(None, why)))?;
    shell.check()?;
    shell.write(options.output.as_deref(), &result)
}

/// A mode that the target does not have is the command line's fault.
fn is_known(mode: &str, about: &About, shell: &mut Shell) -> Result<(), Failure> {
    let modes = || about.modes.iter().map(|(name, _)| *name);
    if modes().any(|name| name == mode) {
        return Ok(());
    }
    let all = modes().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
    let help = match did_you_mean(mode, modes()) {
        Some(guess) => format!("did you mean `{guess}`? There are {all}"),
        None => format!("there are {all}"),
    };
    Err(shell.misused(format!("{} has no number mode `{mode}`", about.name), help))
}

/// Errors that speak of a uniform stand where the file names it.
fn placed(mut errors: Vec<Diagnostic>, places: &[(String, Span)]) -> Vec<Diagnostic> {
    for error in errors.iter_mut().filter(|error| error.span.is_none()) {
        let names = |(name, _): &&(String, Span)| error.message.contains(&format!("`{name}`"));
        error.span = places.iter().find(names).map(|(_, span)| *span);
    }
    errors
}

/// The number mode and the assumptions. Whoever says the mode twice means the last.
fn chosen(options: &Options) -> (Option<String>, Vec<(String, String)>) {
    let (mut mode, mut assumptions) = (options.mode.clone(), Vec::new());
    for choice in &options.choices {
        match cli::key_value(choice) {
            Ok(pair) => assumptions.push(pair),
            Err(_) => mode = Some(choice.clone()),
        }
    }
    (mode, assumptions)
}

fn written(made: &Lifted, options: &Options) -> Result<Vec<u8>, String> {
    let (module, to) = (&made.module, options.to);
    let is_geometry = module.entries.iter().any(|entry| entry.stage == Stage::Geometry);
    if is_geometry && !matches!(to, Form::Ir | Form::Spirv) {
        return Err(
            "a geometry program has no form in this language here: `--compute` makes a shader of it that \
            computes, `--to spirv` writes the geometry shader"
                .to_owned(),
        );
    }
    if !matches!(to, Form::Ir | Form::Spirv) && is_without_position(module) {
        return Err("the program writes no position, which a vertex shader of this language has to have: `--compute` \
            makes a shader of it that computes, `--to spirv` needs none"
            .to_owned());
    }
    let names = Named { made, with_addresses: options.addresses };
    let words = || chiaro_spirv::emit_named(module, "main", &names).map_err(|error| error.to_string());
    let text = |language| in_language(&words()?, language).map(String::into_bytes);
    match to {
        Form::Ir => Ok(chiaro_ir::print(module).into_bytes()),
        Form::Spirv => Ok(words()?.iter().flat_map(|word| word.to_le_bytes()).collect()),
        Form::Glsl => text(Language::Glsl(450)),
        Form::Essl => text(Language::Essl(310)),
        Form::Wgsl => text(Language::Wgsl),
    }
}

/// Whether it is a vertex shader without one.
fn is_without_position(module: &Module) -> bool {
    let is_position = |g: &Global| g.space == Space::Output && g.binding.builtin == Some(0);
    module.entries.iter().any(|entry| entry.stage == Stage::Vertex) && !module.globals.iter().any(is_position)
}

struct Named<'a> {
    made: &'a Lifted,
    with_addresses: bool,
}

impl chiaro_spirv::Names for Named<'_> {
    /// The register that a word writes names what the word computes.
    fn of_place(&self, span: Span) -> Option<String> {
        let at = span.start / self.made.word;
        let name = self.made.names.get(at as usize)?.as_ref()?;
        Some(if self.with_addresses { format!("{name}_at_{at:03x}") } else { name.clone() })
    }

    fn of_param(&self, function: FunctionRef, n: usize) -> Option<String> {
        let (_, params) = self.made.params.iter().find(|(known, _)| *known == function)?;
        params.get(n).cloned()
    }
}
