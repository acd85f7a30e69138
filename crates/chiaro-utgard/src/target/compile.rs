//! Vertex shaders to MBS1 files with their report, checked if asked for.

use crate::check::{self, check_file};
use crate::compile::{Compiled, Options, compile as to_words};
use crate::isa::word::{BYTES, Word};
use crate::regs::{self, INSTRUCTIONS, letter};
use crate::report::Timing;
use crate::verify::Words;
use crate::{abi, explain};
use chiaro_diag::{Diagnostic, SourceMap, Span};
use chiaro_ir::{Module, Stage};
use chiaro_opt::{Cx, endless};
use chiaro_target::proof::verdict;
use chiaro_target::{
    BlockReport, Bound, Code, CompileOptions, CompiledShader, Proof, Report, Resource, Shader, finding,
};

/// vec4 of uniform memory, and of attributes or outputs.
const UNIFORMS: u32 = regs::UNIFORMS as u32;
const BANK: u32 = regs::BANK as u32;

/// Compiles the vertex shader.
pub(super) fn compile(
    shaders: &[Shader<'_>],
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let shader = Shader::with_stage(shaders, Stage::Vertex)?;
    cx.verify |= options.verify;
    let (words, module, assumptions) = words(shader, options, cx)?;
    let compiled = &words.compiled;
    let mut remarks = match options.verify {
        true => verdict(Proof::verify(&words, VERTICES, 1), options)?,
        false => Vec::new(),
    };
    let legal = module.entry(&words.entry.name).map(|entry| module.function(entry.function));
    remarks.extend(legal.and_then(|f| endless(f).ok()).unwrap_or_default());
    remarks.extend(derived(compiled));
    let code = code(&compiled.words, &compiled.spans);
    let file = compiled.file();
    remarks.extend(finding::finished(&check_file(&file, &check::Options::default()), &code, &[])?);
    let report = report(compiled, words.entry.name.clone(), &code, &assumptions, sources);
    let container = file.write();
    Ok(CompiledShader { container, code, header: None, ir: chiaro_ir::print(&module), report, remarks })
}

/// One vertex shader with what is needed to compare its words with the source.
pub(super) fn prove<'a>(
    shader: Shader<'a>,
    options: &CompileOptions,
    cx: &mut Cx<'_>,
) -> Result<Box<dyn Proof + 'a>, Vec<Diagnostic>> {
    words(shader, options, cx).map(|(words, ..)| Box::new(words) as Box<dyn Proof>)
}

/// The words, the IR that they compute, and what the report is to assume.
fn words<'a>(
    shader: Shader<'a>,
    options: &CompileOptions,
    cx: &mut Cx<'_>,
) -> Result<(Words<'a>, Module, Timing), Vec<Diagnostic>> {
    let (choices, assumptions) = choices(options)?;
    let entry = shader.chosen(&[Stage::Vertex], options, "Utgard GP is a vertex processor")?;
    options.without_clip()?;
    let mut module = shader.module.clone();
    let compiled =
        to_words(&mut module, shader.interface, &entry.name, &choices, cx).map_err(|error| vec![*error])?;
    Ok((Words { source: shader.module, entry, compiled, choices }, module, assumptions))
}

/// What the host has to compute.
fn derived(compiled: &Compiled) -> Option<Diagnostic> {
    let count = compiled.derived.len();
    let listed = |remark: Diagnostic, (i, d): (usize, &crate::compile::Derived)| {
        let component = letter(d.component);
        remark.note(format!("?chiaro_derived_{i:03} in t[{}].{component}: {d}", d.row))
    };
    let message = format!("the program only fits if the host computes {count} uniforms");
    let remark = || Diagnostic::warning(None, message);
    (count > 0).then(|| compiled.derived.iter().enumerate().fold(remark(), listed))
}

/// Vertices that a checked compilation runs.
const VERTICES: usize = 64;

/// The choices and assumptions that the settings name.
pub(super) fn choices(options: &CompileOptions) -> Result<(Options, Timing), Vec<Diagnostic>> {
    let (mut choices, mut assumptions) = (Options::default(), Timing::default());
    if let Some(effort) = options.effort {
        choices.effort = effort;
    }
    for (key, value) in &options.settings {
        let wrong = || vec![Diagnostic::error(None, format!("`{key}` does not take `{value}`"))];
        let number = || value.parse::<f32>().ok().filter(|x| x.is_finite()).ok_or_else(wrong);
        match key.as_str() {
            "reciprocal-limit" => choices.reciprocal_limit = number()?,
            "least-point-size" => choices.point_size.0 = number()?,
            "most-point-size" => choices.point_size.1 = number()?,
            "taken-branch" => assumptions.taken_branch = value.parse().map_err(|_| wrong())?,
            "loop-rounds" => assumptions.loop_rounds = value.parse().map_err(|_| wrong())?,
            _ => {
                return Err(vec![super::ABOUT.no_setting(key)]);
            }
        }
    }
    Ok((choices, assumptions))
}

/// Words with their texts.
pub(super) fn code(words: &[Word], spans: &[Option<Span>]) -> Code {
    let bytes = words.iter().flat_map(|word| word.to_bytes()).collect();
    let text = |(at, word): (usize, &Word)| (explain::text(*word), spans.get(at).copied().flatten());
    Code::of_fixed(bytes, BYTES as u32, words.iter().enumerate().map(text))
}

fn report(
    compiled: &Compiled,
    entry: String,
    code: &Code,
    assumptions: &Timing,
    sources: &SourceMap,
) -> Report {
    let paths = compiled.paths(assumptions);
    let mut named = Vec::new();
    if paths.branches {
        named.push(("taken-branch", assumptions.taken_branch));
    }
    if paths.loops {
        named.push(("loop-rounds", assumptions.loop_rounds));
    }
    let ports = compiled.pressure();
    let ports = ports.iter().map(|p| Resource { name: p.name, used: p.used, allowed: p.available });
    let block = |q: &crate::compile::schedule::Quality| BlockReport {
        length: q.length,
        bound: q.bound,
        limit: q.limit.name(),
        optimal: q.optimal,
    };
    let resource = |name, used: u32, allowed| Resource { name, used, allowed };
    let used = |all: &[abi::Placed]| all.iter().map(|p| u32::from(p.index + p.count)).max().unwrap_or(0);
    let uniforms = u32::from(compiled.abi.behind_viewport());
    let constants = compiled.constants.len() as u32;
    let (by_line, elsewhere) = code.by_source_line(sources);
    Report {
        target: "utgard-gp",
        entry,
        resources: vec![
            resource("instructions", code.lines.len() as u32, INSTRUCTIONS as u32),
            resource("vec4 of uniforms", uniforms, UNIFORMS),
            resource("vec4 of constants", constants, UNIFORMS - uniforms.min(UNIFORMS)),
            resource("attributes", used(&compiled.abi.attributes), BANK),
            resource("outputs", used(&compiled.abi.outputs), BANK),
        ],
        cycles: Some((paths.shortest, paths.longest)),
        assumptions: named,
        by_line,
        elsewhere,
        ports: ports.collect(),
        blocks: compiled.blocks.iter().map(block).collect(),
        variables: variables(compiled),
        ..Report::default()
    }
}

fn variables(compiled: &Compiled) -> Vec<Bound> {
    let abi = &compiled.abi;
    let banks = [
        ("input", &abi.attributes, "a", ""),
        ("uniform", &abi.uniforms, "t[", "]"),
        ("output", &abi.outputs, "v", ""),
    ];
    let bound = |(kind, all, open, close): (&'static str, &Vec<abi::Placed>, &str, &str)| {
        let place = |leaf: &abi::PlacedLeaf| {
            let last = leaf.index + leaf.entries.saturating_sub(1);
            let from = usize::from(leaf.component & 3);
            let components = &"xyzw"[from..(from + usize::from(leaf.components)).min(4)];
            let first = format!("{open}{}{close}", leaf.index);
            match last == leaf.index {
                true => format!("{first}.{components}"),
                false => format!("{first}..{open}{last}{close}.{components}"),
            }
        };
        let one = |leaf: &abi::PlacedLeaf| Bound { kind, name: leaf.name.clone(), place: place(leaf) };
        all.iter().flat_map(|placed| &placed.leaves).map(one).collect::<Vec<_>>()
    };
    let removed = abi.removed.iter().map(|removed| Bound {
        kind: if removed.is_attribute { "input" } else { "uniform" },
        name: removed.name.clone(),
        place: "removed: nothing reads it".to_owned(),
    });
    banks.into_iter().flat_map(bound).chain(removed).collect()
}
