//! The compiler for Utgard GP behind the common door.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::Cx;
use chiaro_utgard::compile::{Compiled, MOST_INSTRUCTIONS, Options, compile as to_words};
use chiaro_utgard::{abi, explain};

use super::{Bound, CompileOptions, CompiledShader, Line, Report, Resource, by_line, only_vertex_shader};
use crate::LoadedModule;

/// vec4 of uniform memory, and attributes or outputs. spec section 17.
const UNIFORMS: u32 = 304;
const BANK: u32 = 16;

pub(super) fn compile(
    loaded: &LoadedModule,
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let choices = choices(options)?;
    let entry = only_vertex_shader(loaded, options, "Utgard GP is a vertex processor")?;
    if options.clip.is_some() {
        let error = Diagnostic::error(None, "the depth range is part of this target's viewport");
        return Err(vec![error.help("leave out `--clip` and set the scale and offset of z")]);
    }
    cx.verify |= options.verify;
    let mut module = loaded.module.clone();
    let compiled = to_words(&mut module, &entry, &choices, cx).map_err(|error| vec![*error])?;
    if options.verify {
        verified(&compiled)?;
    }
    let lines = lines(&compiled);
    let report = report(&compiled, entry, &lines, sources);
    Ok(CompiledShader {
        container: compiled.file().write(),
        words: compiled.words.iter().flat_map(|word| word.words()).collect(),
        header: None,
        ir: chiaro_ir::print(&module),
        lines,
        report,
        remarks: Vec::new(),
    })
}

/// The rules of the hardware over the words.
fn verified(compiled: &Compiled) -> Result<(), Vec<Diagnostic>> {
    let found = chiaro_utgard::check::check(&compiled.words, &chiaro_utgard::check::Options::default());
    let told = |finding: &chiaro_utgard::check::Finding| {
        let message =
            format!("instruction {} breaks `{}`: {}", finding.instruction, finding.rule.id, finding.detail);
        Diagnostic::error(None, message).note("this is a mistake of the compiler; please report the shader")
    };
    if found.is_empty() { Ok(()) } else { Err(found.iter().map(told).collect()) }
}

/// The choices that the settings name.
fn choices(options: &CompileOptions) -> Result<Options, Vec<Diagnostic>> {
    let mut choices = Options::default();
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
            _ => {
                let error = Diagnostic::error(None, format!("there is no setting `{key}`"));
                return Err(vec![
                    error.help("there are reciprocal-limit, least-point-size and most-point-size"),
                ]);
            }
        }
    }
    Ok(choices)
}

fn lines(compiled: &Compiled) -> Vec<Line> {
    let line = |&word| Line {
        words: chiaro_utgard::word::Word::words(word).to_vec(),
        text: explain::text(word),
        span: None,
    };
    compiled.words.iter().map(line).collect()
}

fn report(compiled: &Compiled, entry: String, lines: &[Line], sources: &SourceMap) -> Report {
    let resource = |name, used: u32, allowed| Resource { name, used, allowed };
    let used = |all: &[abi::Placed]| all.iter().map(|p| u32::from(p.index + p.count)).max().unwrap_or(0);
    let uniforms = u32::from(compiled.abi.uniform_vec4) + 2;
    let constants = compiled.constants.len() as u32;
    let (by_line, elsewhere) = by_line(lines, sources);
    Report {
        target: "utgard-gp",
        entry,
        resources: vec![
            resource("instructions", lines.len() as u32, MOST_INSTRUCTIONS as u32),
            resource("vec4 of uniforms", uniforms, UNIFORMS),
            resource("vec4 of constants", constants, UNIFORMS - uniforms.min(UNIFORMS)),
            resource("attributes", used(&compiled.abi.attributes), BANK),
            resource("outputs", used(&compiled.abi.outputs), BANK),
        ],
        cycles: None,
        assumptions: Vec::new(),
        by_line,
        elsewhere,
        variables: variables(compiled),
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
        let place = |leaf: &abi::Leaf| {
            let last = leaf.index + leaf.entries.saturating_sub(1);
            let components = &"xyzw"[..usize::from(leaf.components).min(4)];
            let first = format!("{open}{}{close}", leaf.index);
            match last == leaf.index {
                true => format!("{first}.{components}"),
                false => format!("{first}..{open}{last}{close}.{components}"),
            }
        };
        let one = |leaf: &abi::Leaf| Bound { kind, name: leaf.name.clone(), place: place(leaf) };
        all.iter().flat_map(|placed| &placed.leaves).map(one).collect::<Vec<_>>()
    };
    banks.into_iter().flat_map(bound).collect()
}
