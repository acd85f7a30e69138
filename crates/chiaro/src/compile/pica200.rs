//! The PICA200 compiler behind the common door.

mod geometry;

use chiaro_diag::{Diagnostic, SourceMap, Span};
use chiaro_ir::Stage;
use chiaro_opt::Cx;
use chiaro_pica200::abi::{FLOATS, Interface, Leaf};
use chiaro_pica200::compile::legalize::clip::Clip;
use chiaro_pica200::compile::{Compiled, LoopCount, Options, WORDS, compile as to_shbin};
use chiaro_pica200::container::{Dvle, Shbin};
use chiaro_pica200::isa::{PICA200, fetch};
use chiaro_pica200::report::paths::{Assumptions, paths};
use chiaro_pica200::verify::{Failure, verify};

use super::{Bound, CompileOptions, CompiledShader, Line, Report, Resource, by_line, only_vertex_shader};
use crate::LoadedModule;

/// Operand descriptors, and temporary registers, that there are. spec section 20.
const DESCRIPTORS: u32 = 128;
const REGISTERS: u32 = 16;

/// The vertex shader of a program, with its geometry shader if it has one.
pub(super) fn compile_stages(
    modules: &[LoadedModule],
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let of = |stage: Stage| modules.iter().find(|loaded| has(loaded, stage));
    match (of(Stage::Vertex), of(Stage::Geometry)) {
        (Some(vertex), Some(geometry)) if !std::ptr::eq(vertex, geometry) => {
            geometry::both(vertex, geometry, options, sources, cx)
        }
        (Some(loaded), _) | (None, Some(loaded)) => compile(loaded, options, sources, cx),
        (None, None) => match modules.first() {
            Some(loaded) => compile(loaded, options, sources, cx),
            None => Err(vec![Diagnostic::error(None, "there is no shader")]),
        },
    }
}

/// Whether a module has an entry point of a stage.
fn has(loaded: &LoadedModule, stage: Stage) -> bool {
    loaded.module.entries.iter().any(|entry| entry.stage == stage)
}

pub(super) fn compile(
    loaded: &LoadedModule,
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let assumptions = assumptions(options)?;
    if has(loaded, Stage::Geometry) && !has(loaded, Stage::Vertex) {
        return geometry::alone(loaded, options, sources, cx);
    }
    let about = "PICA200 has vertex and geometry units; fragments are not programmable";
    let entry = only_vertex_shader(loaded, options, about)?;
    let interface = interface(&loaded.interface);
    let clip = clip(options);
    let choices = Options { clip, ..Options::default() };
    cx.verify |= options.verify;
    let compiled =
        to_shbin(&loaded.module, &interface, &entry, &choices, cx).map_err(|error| vec![*error])?;
    let mut remarks = Vec::new();
    if options.verify && clip.is_none() {
        remarks = verified(loaded, &compiled)?;
    } else if options.verify {
        // The conversion is no part of the source: what it is applied to is checked.
        let plain = to_shbin(&loaded.module, &interface, &entry, &Options::default(), &mut Cx::default());
        remarks = verified(loaded, &plain.map_err(|error| vec![*error])?)?;
    }
    remarks.extend(compiled.loop_counts().iter().map(loop_count));
    let lines = lines(&compiled);
    let report = report(&compiled, entry, &lines, &assumptions, sources);
    Ok(CompiledShader {
        container: compiled.bytes,
        words: compiled.shbin.program.code,
        header: Some(header(&report)),
        ir: chiaro_ir::print(&compiled.module),
        lines,
        report,
        remarks,
    })
}

fn clip(options: &CompileOptions) -> Option<Clip> {
    options.clip.map(|clip| match clip {
        super::Clip::Gl => Clip::Gl,
        super::Clip::Vulkan => Clip::Vulkan,
    })
}

/// Vertices that a checked compilation runs.
const VERTICES: usize = 64;

/// Checks what was compiled; what the checks showed, as a remark.
fn verified(loaded: &LoadedModule, compiled: &Compiled) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    match verify(&loaded.module, compiled, VERTICES, 1) {
        Ok(_) => Ok(Vec::new()),
        Err(untested @ Failure::Untested { .. }) => Ok(vec![Diagnostic::warning(None, untested.to_string())]),
        Err(failure) => {
            let error = Diagnostic::error(None, format!("the compiled program is wrong: {failure}"));
            Err(vec![error.note("this is a mistake of the compiler; please report the shader")])
        }
    }
}

/// What the application has to know of a loop that counts to a uniform.
fn loop_count(count: &LoopCount) -> Diagnostic {
    let LoopCount { name, uniform, register, more, start, step } = count;
    let rounds = match more {
        0 => uniform.clone(),
        1.. => format!("{uniform} + {more}"),
        _ => format!("{uniform} - {}", more.unsigned_abs()),
    };
    let what = format!("a loop counts to `{uniform}`: set i{register} (`{name}`) as well as `{uniform}`");
    Diagnostic::warning(None, what)
        .note(format!("to ({rounds}, {start}, {step}, 0); whatever it holds where no round is to run"))
        .note("a count is 256 at most")
}

/// The assumptions that the settings name.
fn assumptions(options: &CompileOptions) -> Result<Assumptions, Vec<Diagnostic>> {
    let mut assumptions = Assumptions::default();
    for (key, value) in &options.settings {
        let place = match key.as_str() {
            "cycles-per-word" => &mut assumptions.cycles_per_word,
            "loop-rounds" => &mut assumptions.loop_rounds,
            "geometry" => continue,
            _ => {
                let message = format!("there is no setting `{key}`");
                return Err(vec![
                    Diagnostic::error(None, message)
                        .help("there are cycles-per-word, loop-rounds and geometry"),
                ]);
            }
        };
        *place = value.parse().map_err(|_| {
            vec![Diagnostic::error(None, format!("`{key}` is a whole number, not `{value}`"))]
        })?;
    }
    Ok(assumptions)
}

/// The interface of a module as the PICA200 compiler wants it.
#[must_use]
pub fn interface(interface: &chiaro_spirv::Interface) -> Interface {
    let leaf = |leaf: &chiaro_spirv::Leaf| Leaf {
        name: leaf.name.clone(),
        global: Some(leaf.global),
        path: leaf.path.clone(),
        columns: leaf.columns,
    };
    Interface { leaves: interface.leaves.iter().map(leaf).collect() }
}

fn lines(compiled: &Compiled) -> Vec<Line> {
    lines_of(&compiled.shbin, &compiled.spans)
}

fn lines_of(shbin: &Shbin, spans: &[Option<Span>]) -> Vec<Line> {
    let program = &shbin.program;
    let line = |(at, &word): (usize, &u32)| {
        let inst = PICA200.decode_word(&fetch(word, &program.descriptors), 8).ok();
        let text = inst.and_then(|inst| PICA200.text(&inst, &PICA200.cx()));
        Line {
            words: vec![word],
            text: text.unwrap_or_else(|| format!(".word {word:08x}")),
            span: spans.get(at).copied().flatten(),
        }
    };
    program.code.iter().enumerate().map(line).collect()
}

fn report(
    compiled: &Compiled,
    entry: String,
    lines: &[Line],
    assumptions: &Assumptions,
    sources: &SourceMap,
) -> Report {
    let s = &compiled.statistics;
    let resource = |name, used: usize, allowed| Resource { name, used: used as u32, allowed };
    let found = paths(&compiled.shbin, 0, assumptions);
    let mut named = vec![("cycles-per-word", assumptions.cycles_per_word)];
    if found.is_some_and(|paths| paths.assumed_rounds) {
        named.push(("loop-rounds", assumptions.loop_rounds));
    }
    let (by_line, elsewhere) = by_line(lines, sources);
    Report {
        target: "pica200",
        entry,
        resources: vec![
            resource("words", lines.len(), WORDS as u32),
            resource("operand descriptors", s.descriptors, DESCRIPTORS),
            resource("temporary registers", s.registers, REGISTERS),
            resource("c registers for uniforms", s.uniforms, u32::from(FLOATS)),
            resource("c registers for constants", s.constants, u32::from(FLOATS)),
        ],
        cycles: found.map(|paths| (paths.shortest, paths.longest)),
        assumptions: named,
        by_line,
        elsewhere,
        ports: Vec::new(),
        blocks: Vec::new(),
        variables: variables(compiled),
    }
}

fn variables(compiled: &Compiled) -> Vec<Bound> {
    compiled.shbin.executables.first().map_or_else(Vec::new, variables_of)
}

fn variables_of(dvle: &Dvle) -> Vec<Bound> {
    let mut variables = Vec::new();
    for (name, uniform) in dvle.named_uniforms() {
        let Some((first, last)) = uniform.registers() else { continue };
        let kind = if first.letter() == 'v' { "input" } else { "uniform" };
        let place = if first == last { first.to_string() } else { format!("{first}..{last}") };
        variables.push(Bound { kind, name: name.to_owned(), place });
    }
    for output in &dvle.outputs {
        let name = output.property().map_or("unknown", |property| property.name);
        let components = "xyzw".chars().enumerate().filter(|(i, _)| output.mask >> i & 1 == 1);
        let components: String = components.map(|(_, c)| c).collect();
        let place = format!("o{}.{components}", output.register);
        variables.push(Bound { kind: "output", name: name.to_owned(), place });
    }
    variables
}

/// Registers of uniforms as C macros, in picasso's manner.
fn header(report: &Report) -> String {
    format!("// Generated by chiaro\n#pragma once\n{}", macros("VSH", &report.variables))
}

/// The macros of one program.
fn macros(prefix: &str, variables: &[Bound]) -> String {
    let mut text = String::new();
    for variable in variables.iter().filter(|v| v.kind == "uniform") {
        let name: String =
            variable.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let mut ends = variable.place.split("..").map(|r| r[1..].parse::<u32>().unwrap_or(0));
        let (first, bank) = (ends.next().unwrap_or(0), &variable.place[..1]);
        let count = ends.next().map_or(1, |last| last + 1 - first);
        let define = match bank {
            "c" => {
                format!("#define {prefix}_FVEC_{name} 0x{first:02X}\n#define {prefix}_ULEN_{name} {count}\n")
            }
            "i" => format!("#define {prefix}_IVEC_{name} 0x{first:02X}\n"),
            _ => format!("#define {prefix}_FLAG_{name} BIT({first})\n"),
        };
        text.push_str(&define);
    }
    text
}
