//! The compiler for Utgard GP behind the common door.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::Cx;
use chiaro_utgard::compile::{Compiled, MOST_INSTRUCTIONS, Options, compile as to_words};
use chiaro_utgard::report::Timing;
use chiaro_utgard::verify::verify;
use chiaro_utgard::{abi, explain};

use super::{
    BlockReport, Bound, CompileOptions, CompiledShader, Line, Report, Resource, by_line, only_vertex_shader,
};
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
    let (choices, assumptions) = choices(options)?;
    let entry = only_vertex_shader(loaded, options, "Utgard GP is a vertex processor")?;
    if options.clip.is_some() {
        let error = Diagnostic::error(None, "the depth range is part of this target's viewport");
        return Err(vec![error.help("leave out `--clip` and set the scale and offset of z")]);
    }
    cx.verify |= options.verify;
    let mut module = loaded.module.clone();
    let compiled = to_words(&mut module, &entry, &choices, cx).map_err(|error| vec![*error])?;
    let mut remarks =
        if options.verify { verified(loaded, &entry, &compiled, &choices)? } else { Vec::new() };
    remarks.extend(derived(&compiled));
    let lines = lines(&compiled);
    let report = report(&compiled, entry, &lines, &assumptions, sources);
    Ok(CompiledShader {
        container: compiled.file().write(),
        words: compiled.words.iter().flat_map(|word| word.words()).collect(),
        header: None,
        ir: chiaro_ir::print(&module),
        lines,
        report,
        remarks,
    })
}

/// What the host has to compute.
fn derived(compiled: &Compiled) -> Option<Diagnostic> {
    let count = compiled.derived.len();
    let told = |remark: Diagnostic, (i, d): (usize, &chiaro_utgard::compile::Derived)| {
        let component = ['x', 'y', 'z', 'w'][usize::from(d.component & 3)];
        remark.note(format!("?chiaro_derived_{i:03} in t[{}].{component}: {d}", d.row))
    };
    let message = format!("the program only fits if the host computes {count} uniforms");
    let remark = || Diagnostic::warning(None, message);
    (count > 0).then(|| compiled.derived.iter().enumerate().fold(remark(), told))
}

/// Vertices that a checked compilation runs.
const VERTICES: usize = 64;

/// Checks what was compiled; what the checks showed, as a remark.
fn verified(
    loaded: &LoadedModule,
    entry: &str,
    compiled: &Compiled,
    choices: &Options,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    match verify(&loaded.module, entry, compiled, choices, VERTICES, 1) {
        Ok(compared) if compared.proves() => Ok(Vec::new()),
        Ok(compared) => {
            let message = format!("{} of {VERTICES} vertices prove nothing", compared.inconclusive);
            Ok(vec![Diagnostic::warning(None, message).note(
                "their results depend on how numbers are rounded, lie outside of an array, or are not finite",
            )])
        }
        Err(failure) => {
            let error = Diagnostic::error(None, format!("the compiled program is wrong: {failure}"));
            Err(vec![error.note("this is a mistake of the compiler; please report the shader")])
        }
    }
}

/// All settings, for the message about one that is none.
const SETTINGS: &str =
    "there are reciprocal-limit, least-point-size, most-point-size, taken-branch and loop-rounds";

/// The choices and assumptions that the settings name.
fn choices(options: &CompileOptions) -> Result<(Options, Timing), Vec<Diagnostic>> {
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
                let error = Diagnostic::error(None, format!("there is no setting `{key}`"));
                return Err(vec![error.help(SETTINGS)]);
            }
        }
    }
    Ok((choices, assumptions))
}

fn lines(compiled: &Compiled) -> Vec<Line> {
    let line = |(at, word): (usize, &chiaro_utgard::isa::word::Word)| Line {
        words: word.words().to_vec(),
        text: explain::text(*word),
        span: compiled.spans.get(at).copied().flatten(),
    };
    compiled.words.iter().enumerate().map(line).collect()
}

fn report(
    compiled: &Compiled,
    entry: String,
    lines: &[Line],
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
    let block = |q: &chiaro_utgard::compile::schedule::Quality| BlockReport {
        length: q.length,
        bound: q.bound,
        limit: q.limit.name(),
        optimal: q.optimal,
    };
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
        cycles: Some((paths.shortest, paths.longest)),
        assumptions: named,
        by_line,
        elsewhere,
        ports: ports.collect(),
        blocks: compiled.blocks.iter().map(block).collect(),
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
    let removed = abi.removed.iter().map(|removed| Bound {
        kind: if removed.is_attribute { "input" } else { "uniform" },
        name: removed.name.clone(),
        place: "removed: nothing reads it".to_owned(),
    });
    banks.into_iter().flat_map(bound).chain(removed).collect()
}
