//! Vertex, fragment and compute shaders to files of ours.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::Cx;
use chiaro_target::proof::{kernel, verdict};
use chiaro_target::{
    Bound, Code, CompileOptions, CompiledShader, Line, Proof, Report, Resource, Shader, Stage, finding,
};

use super::{style_of, written};
use crate::check::{self, Piece};
use crate::compile::{ABOUT, Compiled, Options, STAGES, compile as to_code};
use crate::container::file::{self, File, PUSH, What};
use crate::listing::{Labels, Lister, Style};
use crate::regs::{GPR_HALVES, UNIFORM_HALVES};
use crate::report::Statistics;
use crate::verify::Words;

/// Statistics of which more is better.
pub(super) const BETTER: &[&str] = &["threads", "resident SIMD-groups"];

/// Invocations that a checked compilation runs.
const INVOCATIONS: usize = 64;

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
    remarks.extend(chiaro_opt::warn_of_prints(words.source, words.entry, "AGX"));
    let Words { entry, mut compiled, .. } = words;
    located(&mut compiled, sources);
    let made = finished(&compiled, config(&compiled.file), &entry.name, sources)?;
    remarks.extend(made.remarks);
    let container = written(&compiled.file, &options.settings).map_err(|e| vec![*e])?;
    Ok(CompiledShader { remarks, container, ..made })
}

/// What is told of a compiled part, which the rules have found nothing wrong with.
pub(super) fn finished(
    compiled: &Compiled,
    config: check::Config,
    entry: &str,
    sources: &SourceMap,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let code = listed(compiled);
    let found = check::check(&compiled.file.code, &config);
    let remarks = finding::finished(&found, &code, &[])?;
    let report = report(compiled, entry.to_owned(), &code, sources);
    let ir = chiaro_ir::print(&compiled.module);
    Ok(CompiledShader { container: compiled.file.write(), code, header: None, ir, report, remarks })
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

/// The entry point and its words.
fn words<'a>(
    shader: Shader<'a>,
    options: &CompileOptions,
    cx: &mut Cx<'_>,
) -> Result<Words<'a>, Vec<Diagnostic>> {
    options.without_clip()?;
    of_known_stage(shader, options)?;
    let entry = shader.chosen(STAGES, options, ABOUT)?;
    let generation = style_of(&options.settings).map_err(|e| vec![*e])?.generation;
    let says = |wanted: (&str, &str)| {
        options.settings.iter().any(|(key, value)| (key.as_str(), value.as_str()) == wanted)
    };
    let (preamble, software) = (!says(("preamble", "off")), says(("vertex", "software")));
    let wanted = Options { generation, preamble, software };
    let compiled = to_code(&mut shader.module.clone(), &entry.name, wanted, cx)?;
    Ok(Words { source: shader.module, entry, compiled })
}

/// Refuses stages that the machine has no form for, by name.
///
/// # Errors
/// The stage of the entry point that is named, or of the first one where none has a stage that is compiled.
fn of_known_stage(shader: Shader<'_>, options: &CompileOptions) -> Result<(), Vec<Diagnostic>> {
    let entries = &shader.module.entries;
    let named = options.entry.as_deref().and_then(|name| entries.iter().find(|entry| entry.name == name));
    let known = |stage: Stage| STAGES.contains(&stage);
    let first = entries.first().filter(|_| !entries.iter().any(|entry| known(entry.stage)));
    match named.or(first).filter(|entry| !known(entry.stage)) {
        None => Ok(()),
        Some(entry) => {
            let (name, stage) = (&entry.name, entry.stage.name());
            let error =
                Diagnostic::error(None, format!("`{name}` is a {stage} shader, which AGX does not have"));
            let help = "compile the vertex shader with `-m vertex=software`, and do in a kernel what follows";
            Err(vec![error.note(ABOUT).help(help)])
        }
    }
}

/// What the checker is to know of a main part.
pub(super) fn config(file: &File) -> check::Config {
    let (stage, piece) = match file.stage {
        file::Stage::Vertex => (check::Stage::Vertex, Piece::Last),
        file::Stage::SoftwareVertex => (check::Stage::Compute, Piece::Last),
        file::Stage::Fragment => (check::Stage::Fragment, Piece::Middle),
        _ => (check::Stage::Compute, Piece::Program),
    };
    let main = file.parts.first();
    check::Config {
        generation: file.generation,
        stage,
        piece,
        halves: main.map(|part| part.halves),
        sample_shading: main.is_some_and(|part| part.key.contains("\"sample_shading\":1")),
        holds_sources: false,
    }
}

/// Writes source lines into the file.
pub(super) fn located(compiled: &mut Compiled, sources: &SourceMap) {
    let (spans, file) = (&compiled.spans, &mut compiled.file);
    for &(offset, span) in spans {
        let Some(place) = span.map(|span| sources.locate(span)) else { continue };
        let known = file.sources.iter().position(|name| name == place.file);
        let source = known.unwrap_or_else(|| {
            file.sources.push(place.file.to_owned());
            file.sources.len() - 1
        });
        file.spans.push(file::Span { offset, source: source as u32, line: place.start.line });
    }
}

/// Instructions with their texts.
fn listed(compiled: &Compiled) -> Code {
    let file = &compiled.file;
    let lister = Lister::new(Style { generation: file.generation, columns: false, ..Style::default() });
    let labels: Labels = lister.labels(&file.code);
    let span = |offset: u32| compiled.spans.iter().find(|(at, _)| *at == offset).and_then(|(_, span)| *span);
    let line = |(offset, length, text)| Line { offset, length, text, span: span(offset) };
    let lines = lister.lines(&file.code, &labels).into_iter().map(line).collect();
    Code { bytes: file.code.clone(), lines }
}

fn report(compiled: &Compiled, entry: String, code: &Code, sources: &SourceMap) -> Report {
    let file = &compiled.file;
    let main = &file.parts[0];
    let made = Statistics::of(&file.code, file.generation, Some(main.halves));
    let (by_line, elsewhere) = code.by_source_line(sources);
    let resource = |name, used: u32, allowed: u32| Resource { name, used, allowed };
    let longest = u64::from(made.cycles.longest());
    Report {
        target: "agx",
        better: BETTER,
        entry,
        resources: vec![
            resource("halves of general registers", main.halves.into(), GPR_HALVES.into()),
            resource("halves of uniform registers", made.uniforms.into(), UNIFORM_HALVES.into()),
            resource("threads of a threadgroup", made.threads.into(), 1024),
        ],
        counts: made.named(),
        cycles: Some((longest, longest)),
        by_line,
        elsewhere,
        variables: variables(file),
        ..Report::default()
    }
}

/// What uniforms and states hold.
fn variables(file: &File) -> Vec<Bound> {
    let uniforms = file.uniforms.iter().map(|held| {
        let kind = match held.what {
            What::Address if held.set == PUSH => "push constants",
            What::Address => "buffer",
            _ => "parameter",
        };
        let last = held.first + held.halves.saturating_sub(1);
        Bound { kind, name: held.name.clone(), place: format!("halves {} to {last} of uniforms", held.first) }
    });
    let states = file.states.iter().map(|state| {
        let kind = if state.is_sampler { "sampler" } else { "texture" };
        Bound { kind, name: state.name.clone(), place: state.place() }
    });
    uniforms.chain(states).collect()
}
