//! Compute shaders to code objects.

use chiaro_diag::{Diagnostic, Severity, SourceMap, Span};
use chiaro_ir::Module;
use chiaro_isa::finding::Finding;
use chiaro_opt::Cx;
use chiaro_target::proof::kernel::Checked;
use chiaro_target::proof::verdict;
use chiaro_target::{
    Bound, Code, CompileOptions, CompiledShader, Line, Proof, Report, Resource, Settings, Shader, Stage,
    finding,
};

use crate::abi::convention::Convention;
use crate::abi::interface::Abi;
use crate::abi::{file, shipped};
use crate::check;
use crate::compile::finish::object;
use crate::compile::{
    ABOUT, Callables, Compiled, Options, STAGES, compile_library, compile_with as to_words,
};
use crate::container;
use crate::listing::{Labels, Lister};
use crate::regs::{LDS, SCRATCH, VGPRS};
use crate::report::{Latencies, WAVES};
use crate::verify::{Words, verify};

use super::contracts;
use super::report::limited_by;
use super::{ABI_FILE, CALLABLE, PRINTS, RECURSION};

/// Compiles the compute shader that there is.
pub(super) fn compile(
    shaders: &[Shader<'_>],
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let shader = Shader::with_stage(shaders, Stage::Compute)?;
    cx.verify |= options.verify;
    if is_library(shader.module) {
        return library(shader, options, sources, cx);
    }
    let words = words(shader, options, sources, cx)?;
    let remarks = match options.verify {
        true if words.compiled.imports.is_empty() => verdict(verify(&words, 1), options)?,
        true => vec![not_compared(&words.compiled)],
        false => Vec::new(),
    };
    let Words { entry, compiled, .. } = words;
    finished(compiled, &entry.name, (options, remarks), sources)
}

/// What other parts do is not known before they are linked.
fn not_compared(compiled: &Compiled) -> Diagnostic {
    let names: Vec<String> = compiled.imports.iter().map(|import| format!("`{}`", import.name)).collect();
    let message =
        format!("the words are not compared with the source: other parts have {}", names.join(", "));
    Diagnostic::new(Severity::Note, None, message)
}

/// Whether a module is there for others alone.
fn is_library(module: &Module) -> bool {
    module.entries.is_empty() && chiaro_opt::exported(module).next().is_some()
}

/// Compiles the functions that a module has for others.
fn library(
    shader: Shader<'_>,
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let callables = callables(options, sources)?;
    let compiled = compile_library(&mut shader.module.clone(), settings(options)?, &callables, cx)?;
    finished(compiled, "library", (options, Vec::new()), sources)
}

/// What was compiled, with what is to be known of it.
fn finished(
    compiled: Compiled,
    name: &str,
    (options, mut remarks): (&CompileOptions, Vec<Diagnostic>),
    sources: &SourceMap,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let object = object(&compiled, name);
    let container = container::write(&object).map_err(|e| vec![Diagnostic::error(None, e.to_string())])?;
    let (wanted, breaches) = (contracts::wanted(options)?, breaches(&compiled));
    if options.container_only && wanted.is_none() && breaches.is_empty() {
        let (header, code, ir) = (None, Code::default(), String::new());
        return Ok(CompiledShader { container, code, header, ir, report: Report::default(), remarks });
    }
    let code = code(&compiled);
    if let Some(tells) = wanted {
        let pointers = contracts::Pointers::of(&options.settings)?;
        remarks.extend(contracts::proven(&compiled, &code, (tells, pointers))?);
    }
    remarks.extend(finding::finished(&breaches, &code, &[])?);
    let report = report(&compiled, name.to_owned(), &code, sources);
    let ir = chiaro_ir::print(&compiled.module);
    Ok(CompiledShader { container, code, header: None, ir, report, remarks })
}

/// One shader with what is needed to compare its words with the source.
pub(super) fn prove<'a>(
    shader: Shader<'a>,
    options: &CompileOptions,
    cx: &mut Cx<'_>,
) -> Result<Box<dyn Proof + 'a>, Vec<Diagnostic>> {
    words(shader, options, &SourceMap::new(), cx).map(|words| Box::new(Checked(words)) as Box<dyn Proof>)
}

/// The entry point and its words.
fn words<'a>(
    shader: Shader<'a>,
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<Words<'a>, Vec<Diagnostic>> {
    if options.clip.is_some() {
        let error = Diagnostic::error(None, "compute shaders have no clip coordinates");
        return Err(vec![error.help("leave out `--clip`")]);
    }
    let choices = settings(options)?;
    let entry = shader.chosen(STAGES, options, ABOUT)?;
    let compiled =
        to_words(&mut shader.module.clone(), &entry.name, choices, &callables(options, sources)?, cx)?;
    Ok(Words { source: shader.module, entry, compiled })
}

/// What the settings choose.
fn settings(options: &CompileOptions) -> Result<Options, Vec<Diagnostic>> {
    let wave = super::wave_of(&options.settings).map_err(|error| vec![*error])?;
    let mut choices = Options { wave: wave.unwrap_or(32), ..Options::default() };
    choices.effort = options.effort.unwrap_or(1).min(3) as u8;
    for (key, value) in &options.settings {
        match (key.as_str(), value.as_str()) {
            ("abi", "vulkan") => choices.abi = Abi::Vulkan,
            ("abi", "hsa") => choices.abi = Abi::Hsa,
            (PRINTS, "on") => choices.prints = true,
            (PRINTS, "off") => choices.prints = false,
            (PRINTS, _) => {
                return Err(vec![Diagnostic::error(None, format!("`{PRINTS}` is on or off"))]);
            }
            ("abi", _) => {
                let error = Diagnostic::error(None, format!("there is no ABI `{value}`"));
                return Err(vec![error.help("there are vulkan and hsa")]);
            }
            _ => {}
        }
    }
    Ok(choices)
}

/// Functions that stay functions: `callable=NAME`, or `callable=NAME,CONVENTION`; the convention of all of them may also be
/// a file: `abi-file=`.
fn callables(options: &CompileOptions, sources: &SourceMap) -> Result<Callables, Vec<Diagnostic>> {
    let (recursion, together) = recursion(&options.settings)?;
    let mut found = Callables { recursion, together, ..Callables::default() };
    let own = options.settings.iter().rfind(|(key, _)| key == ABI_FILE);
    found.convention = own.map(|(_, text)| read_convention(text, sources)).transpose()?;
    for (_, value) in options.settings.iter().filter(|(key, _)| key == CALLABLE) {
        let (name, convention) = match value.split_once(',') {
            Some((name, convention)) => (name, Some(shipped_named(convention)?)),
            None => (&value[..], found.convention.clone().filter(|_| own.is_some())),
        };
        if (!found.names.is_empty() || own.is_some()) && found.convention != convention {
            let message = "functions of one program have one convention, or none of them has".to_owned();
            let help = "name the same one behind each `callable`, or give a file alone";
            return Err(vec![Diagnostic::error(None, message).help(help)]);
        }
        found.names.push(name.to_owned());
        found.convention = convention;
    }
    Ok(found)
}

/// A convention that comes along.
fn shipped_named(name: &str) -> Result<Convention, Vec<Diagnostic>> {
    shipped::convention(name).ok_or_else(|| {
        let names: Vec<&str> = shipped::FILES.iter().map(|(name, _)| *name).collect();
        let error = Diagnostic::error(None, format!("there is no convention `{name}`"));
        vec![
            error.help(format!(
                "there are {}; one of your own is a file: `-m abi-file=FILE`",
                names.join(", ")
            )),
        ]
    })
}

/// The convention of a text, which stands among the sources where it was read from a file.
pub(super) fn read_convention(text: &str, sources: &SourceMap) -> Result<Convention, Vec<Diagnostic>> {
    let id = sources.ids().find(|id| sources.text(*id) == text);
    let id = id.unwrap_or_else(|| SourceMap::new().add("the convention", text));
    file::read(text, id).map(|read| read.convention)
}

/// Functions, and how many of them may be open at once in all.
type Together = (Vec<String>, u32);

/// How often a function may be open at once: `recursion=N`, or several together: `recursion=N,NAME,NAME`.
pub(super) fn recursion(settings: &Settings) -> Result<(Option<u32>, Vec<Together>), Vec<Diagnostic>> {
    let (mut each, mut together) = (None, Vec::new());
    for (_, value) in settings.iter().filter(|(key, _)| key == RECURSION) {
        let (number, names) = value.split_once(',').unwrap_or((value, ""));
        let Ok(bound @ 1..=SCRATCH) = number.parse() else {
            let message = format!("`{RECURSION}={value}`: a number from 1 to {SCRATCH} is expected");
            return Err(vec![
                Diagnostic::error(None, message).help("it says how often one function may be open at once"),
            ]);
        };
        match names {
            "" => each = Some(bound),
            _ => together.push((names.split(',').map(str::to_owned).collect(), bound)),
        }
    }
    Ok((each, together))
}

/// What the rules over words say of the program.
fn breaches(compiled: &Compiled) -> Vec<Finding> {
    let config = check::Config { wave: compiled.options.wave, group: Some(compiled.interface.threads()) };
    let found = check::check_functions(&compiled.code, &compiled.entries(), config);
    found.into_iter().map(|found| found.finding).collect()
}

/// Instructions with their texts.
fn code(compiled: &Compiled) -> Code {
    let span = |offset: u32| compiled.spans.iter().find(|(at, _)| *at == offset).and_then(|(_, span)| *span);
    listed(&compiled.code, compiled.options.wave, span)
}

/// Words with their texts, and with the source texts that are known.
pub(super) fn listed(code: &[u8], wave: u8, span: impl Fn(u32) -> Option<Span>) -> Code {
    let lister = Lister::new(wave, 0);
    let read = lister.read(code);
    let lines = read.lines(&read.labels(Labels::new())).into_iter();
    let lines =
        lines.map(|(offset, length, text)| Line { offset, length, text, span: span(offset) }).collect();
    Code { bytes: code.to_vec(), lines }
}

fn report(compiled: &Compiled, entry: String, code: &Code, sources: &SourceMap) -> Report {
    let interface = &compiled.interface;
    let statistics = compiled.statistics();
    let (by_line, elsewhere) = code.by_source_line(sources);
    let resource = |name, used: u32, allowed: u32| Resource { name, used, allowed };
    let resources = vec![
        resource("vector registers", compiled.vectors.into(), VGPRS.into()),
        resource("bytes of LDS", interface.lds, LDS),
        resource(limited_by(statistics.occupancy.limit), statistics.occupancy.waves, WAVES),
        resource("bytes of scratch for a lane", interface.scratch, SCRATCH),
        resource("registers stored", compiled.spilled, compiled.spilled),
    ];
    let cost = |offset: u32| {
        let found = statistics.spent.binary_search_by_key(&offset, |(at, _)| *at);
        found.map_or(0.0, |n| statistics.spent[n].1)
    };
    let line_cycles = code.sums_by_source_line(sources, cost);
    let variables = variables(compiled);
    Report {
        entry,
        resources,
        by_line,
        line_cycles,
        elsewhere,
        variables,
        ..super::report::of(&statistics, &Latencies::default())
    }
}

fn variables(compiled: &Compiled) -> Vec<Bound> {
    let interface = &compiled.interface;
    let bound = |kind: &'static str, name: String, place: String| Bound { kind, name, place };
    let registers = interface.registers().map(|(argument, at)| {
        let last = at + argument.size() - 1;
        let place = if last == at { format!("s{at}") } else { format!("s[{at}:{last}]") };
        bound("input", argument.name(), place)
    });
    let resources = interface.resources.iter().map(|b| {
        let place = match interface.abi {
            Abi::Hsa => format!("argument at byte {}", b.offset),
            Abi::Vulkan if b.binding.0 == u32::MAX => "push constants".to_owned(),
            Abi::Vulkan => format!("set {}, binding {}, at byte {}", b.binding.0, b.binding.1, b.offset),
        };
        bound("uniform", b.name.clone(), place)
    });
    let chains = compiled.chains.iter().filter(|chain| chain.bytes() > 0);
    let stacks = chains
        .map(|chain| bound("stack", chain.to_string(), format!("{} of {SCRATCH} bytes", chain.bytes())));
    registers.chain(resources).chain(stacks).collect()
}
