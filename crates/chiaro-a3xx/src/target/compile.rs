//! Vertex, fragment and compute shaders to programs with their interface.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::Cx;
use chiaro_target::proof::{kernel, verdict};
use chiaro_target::{
    Bound, Code, CompileOptions, CompiledShader, Proof, Report, Resource, Shader, Stage, finding,
};

use crate::abi::{self, Interface, Sink, Source};
use crate::asm::padded;
use crate::check;
use crate::compile::{ABOUT, Compiled, Options, STAGES, Variant, compile as to_words};
use crate::container::program::Program;
use crate::container::raw;
use crate::listing::Style;
use crate::operand::MESA;
use crate::regs::{self, generation};
use crate::report::Statistics;
use crate::verify::Words;

/// Compiles the first shader of a stage that there is.
pub(super) fn compile(
    shaders: &[Shader<'_>],
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let shader = Shader::with_any(shaders, STAGES)?;
    cx.verify |= options.verify;
    let words = words(shader, options, cx)?;
    let mut remarks = match (options.verify, words.entry.stage) {
        (false, _) => Vec::new(),
        (true, Stage::Compute) => verdict(kernel::verify(&words, 1), options)?,
        (true, _) => verdict(Proof::verify(&words, INVOCATIONS, 1), options)?,
    };
    remarks.extend(chiaro_opt::warn_of_prints(words.source, words.entry, "A3xx"));
    let Words { entry, compiled, .. } = words;
    let program = Program { interface: compiled.interface.clone(), words: padded(&compiled.words) };
    let code = code(&compiled);
    remarks.extend(checked(&program, &code)?);
    let report = report(&compiled, &program.words, entry.name.clone(), &code, sources);
    let container = program.write();
    let ir = chiaro_ir::print(&compiled.module);
    Ok(CompiledShader { container, code, header: None, ir, report, remarks })
}

/// One shader with what is needed to compare its words with the source.
pub(super) fn prove<'a>(
    shader: Shader<'a>,
    options: &CompileOptions,
    cx: &mut Cx<'_>,
) -> Result<Box<dyn Proof + 'a>, Vec<Diagnostic>> {
    words(shader, options, cx).map(|words| match words.entry.stage {
        Stage::Compute => Box::new(kernel::Checked(words)) as Box<dyn Proof>,
        _ => Box::new(words),
    })
}

/// Invocations that a checked compilation runs.
const INVOCATIONS: usize = 64;

/// The entry point and its words.
fn words<'a>(
    shader: Shader<'a>,
    options: &CompileOptions,
    cx: &mut Cx<'_>,
) -> Result<Words<'a>, Vec<Diagnostic>> {
    options.without_clip()?;
    let choices = settings(options)?;
    let entry = shader.chosen(STAGES, options, ABOUT)?;
    let compiled = to_words(&mut shader.module.clone(), &entry.name, choices, cx)?;
    Ok(Words { source: shader.module, entry, compiled })
}

/// What the settings choose.
fn settings(options: &CompileOptions) -> Result<Options, Vec<Diagnostic>> {
    let mut choices = Options::default();
    for (key, value) in &options.settings {
        match (key.as_str(), value.as_str()) {
            ("gen", "3xx" | "300") => {}
            ("variant", "whole") => choices.variant = Variant::Whole,
            ("variant", "binning") => choices.variant = Variant::Binning,
            ("variant", _) => {
                let error = Diagnostic::error(None, format!("there is no variant `{value}`"));
                return Err(vec![error.help("there are whole and binning")]);
            }
            ("mediump", "full") => choices.half = false,
            ("mediump", "half") => choices.half = true,
            ("mediump", _) => {
                let error = Diagnostic::error(None, format!("there is no precision `{value}` for mediump"));
                return Err(vec![error.help("there are full and half")]);
            }
            ("gen", _) => {
                let message = format!("shaders are compiled for generation 3xx, not for `{value}`");
                return Err(vec![Diagnostic::error(None, message)]);
            }
            _ => return Err(vec![super::ABOUT.no_setting(key)]),
        }
    }
    Ok(choices)
}

/// What the rules over words say of the program.
fn checked(program: &Program, code: &Code) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let outputs = program.interface.full_outputs();
    finding::finished(&check::check(&program.words, generation::A3XX, Some(&outputs)), code, &[])
}

/// Words with their texts.
fn code(compiled: &Compiled) -> Code {
    let style = Style { generation: generation::A3XX, dialect: MESA, compat: false };
    let spans = compiled.spans.iter().copied();
    let texts = compiled.words.iter().map(|word| super::text(*word, style));
    Code::of_fixed(raw(&compiled.words), 8, texts.zip(spans))
}

fn report(compiled: &Compiled, words: &[u64], entry: String, code: &Code, sources: &SourceMap) -> Report {
    let interface = &compiled.interface;
    let s = Statistics::of(words, interface.stage);
    let (by_line, elsewhere) = code.by_source_line(sources);
    let resource = |name, used: u32, allowed: u32| Resource { name, used, allowed };
    let granules = words.len().div_ceil(regs::GRANULE) as u32;
    let samplers = interface.textures.iter().map(|t| u32::from(t.count)).sum();
    let mut resources = vec![
        resource("instructions, repeats expanded", s.inst, regs::INSTRUCTION_MEMORY * regs::GRANULE as u32),
        resource("nops among them", s.nops, s.inst),
        resource("instruction memory (granules of 4)", granules, regs::INSTRUCTION_MEMORY),
        resource("registers (vec4, full)", s.full, regs::ALLOCATABLE.into()),
        resource("registers (vec4, half)", s.half, regs::ALLOCATABLE.into()),
        resource("waves", s.waves, regs::MAX_WAVES),
        resource("constants (vec4)", interface.constant_length().into(), regs::CONSTANTS.into()),
        resource("samplers", samplers, regs::SAMPLERS),
    ];
    if interface.stage == abi::Stage::Fragment {
        resources.push(resource("varying scalars", interface.varying_scalars(), regs::VARYINGS));
    }
    if interface.stage == abi::Stage::Compute {
        resources.push(resource("local memory (bytes)", interface.local_bytes, regs::LOCAL_BYTES));
    }
    let variables = variables(interface);
    Report {
        target: "a3xx",
        entry,
        better: &["waves"],
        resources,
        by_line,
        elsewhere,
        variables,
        ..Report::default()
    }
}

/// A register by its number, `r1.y`.
fn register(number: u16, half: bool) -> String {
    let component = char::from(b"xyzw"[usize::from(number & 3)]);
    format!("{}r{}.{component}", if half { "h" } else { "" }, number / 4)
}

/// A column or element of a variable.
fn part(name: &str, part: u16) -> String {
    if part == 0 { name.to_owned() } else { format!("{name}[{part}]") }
}

fn variables(interface: &Interface) -> Vec<Bound> {
    let bound = |kind: &'static str, name: String, place: String| Bound { kind, name, place };
    let inputs = interface.inputs.iter().map(|i| {
        let place = match (i.source, i.register) {
            (Source::Varying { slot, .. } | Source::PointCoordinate(slot), _) => {
                format!("varying scalar {slot}")
            }
            (source, number) => register(number.unwrap_or(0), source == Source::Facing),
        };
        bound("input", part(&i.name, i.part), format!("{place}, {} components", i.components))
    });
    let uniforms = interface.uniforms.iter().map(|u| {
        let name = u.block.as_ref().map_or_else(|| u.name.clone(), |block| format!("{block}.{}", u.name));
        bound("uniform", name, register(u.at, false).replace('r', "c"))
    });
    let buffers = interface.buffers.iter().map(|b| {
        let place = register(b.pointer, false).replace('r', "c");
        bound("uniform", b.name.clone(), format!("in memory, its address in {place}"))
    });
    let storage =
        interface.storage.iter().map(|s| bound("buffer", s.name.clone(), format!("buffer {}", s.number)));
    let textures = interface
        .textures
        .iter()
        .map(|t| bound("uniform", t.name.clone(), format!("s#{0}, t#{0}", t.number)));
    let outputs = interface.outputs.iter().map(|o| {
        let what = match o.sink {
            Sink::Position => "position".to_owned(),
            Sink::PointSize => "point size".to_owned(),
            Sink::Varying(location) => format!("varying at location {location}"),
            Sink::Colour(target) => format!("colour of target {target}"),
            Sink::Depth => "depth".to_owned(),
        };
        bound("output", part(&o.name, o.part), format!("{}, {what}", register(o.register, o.half)))
    });
    inputs.chain(uniforms).chain(buffers).chain(storage).chain(textures).chain(outputs).collect()
}
