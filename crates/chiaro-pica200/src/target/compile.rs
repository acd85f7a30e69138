//! Shaders to SHBIN files with their report and header, checked if asked for.

use super::prove;
use crate::compile::geometry::Wish;
use crate::compile::{Compiled, LoopCount, Options, WORDS, compile as to_shbin};
use crate::container::{Dvle, Shbin};
use crate::isa::{PICA200, fetch};
use crate::regs::FLOATS;
use crate::report::paths::{Assumptions, paths};
use crate::verify::verify;
use chiaro_diag::{Diagnostic, SourceMap, Span};
use chiaro_ir::{Module, Stage};
use chiaro_opt::{Cx, endless};
use chiaro_target::proof::verdict;
use chiaro_target::{
    Bound, Code, CompileOptions, CompiledShader, Proof, Report, Resource, Shader, only_entry,
};

/// Operand descriptors, and temporary registers, that there are. spec section 20.
pub(super) const DESCRIPTORS: u32 = 128;
pub(super) const REGISTERS: u32 = 16;

/// What errors about stages say of the machine.
pub(super) const ABOUT: &str = "PICA200 has vertex and geometry units; fragments are not programmable";

/// A vertex shader without a geometry shader behind it.
pub(super) fn vertex(
    shader: Shader<'_>,
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let settings = Choices::of(options)?;
    let entry = only_entry(shader.module, Stage::Vertex, options, ABOUT)?;
    cx.verify |= options.verify;
    let compiled = words(shader, &entry, &settings.options, cx)?;
    let mut remarks = Vec::new();
    if options.verify && options.clip.is_none() {
        remarks = verified(shader.module, &compiled, options)?;
    } else if options.verify {
        // The conversion is no part of the source: what it is applied to is checked.
        let plain = words(shader, &entry, &Options::default(), &mut Cx::default())?;
        remarks = verified(shader.module, &plain, options)?;
    }
    remarks.extend(loops(&compiled, &entry));
    remarks.extend(compiled.loop_counts().iter().map(loop_count));
    let code = code(&compiled.shbin, &compiled.spans, PICA200.cx());
    let report = report(&compiled, entry, &code, &settings.assumptions, sources);
    Ok(CompiledShader {
        container: compiled.bytes,
        code,
        header: Some(header(&report)),
        ir: chiaro_ir::print(&compiled.module),
        report,
        remarks,
    })
}

/// Compiles an entry point to words.
pub(super) fn words(
    shader: Shader<'_>,
    entry: &str,
    options: &Options,
    cx: &mut Cx<'_>,
) -> Result<Compiled, Vec<Diagnostic>> {
    to_shbin(shader.module, shader.interface, entry, options, cx).map_err(|error| vec![*error])
}

/// One vertex shader with what is needed to compare its words with the source.
pub(super) fn prove<'a>(
    shader: Shader<'a>,
    options: &CompileOptions,
    cx: &mut Cx<'_>,
) -> Result<Box<dyn Proof + 'a>, Vec<Diagnostic>> {
    let settings = Choices::of(options)?;
    let name = only_entry(shader.module, Stage::Vertex, options, ABOUT)?;
    let compiled = words(shader, &name, &settings.options, cx)?;
    Ok(Box::new(prove::Words { module: shader.module, compiled }))
}

/// Vertices that a checked compilation runs.
pub(super) const VERTICES: usize = 64;

/// Checks what was compiled; what the checks showed, as a remark.
pub(super) fn verified(
    source: &Module,
    compiled: &Compiled,
    options: &CompileOptions,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    verdict(verify(source, compiled, VERTICES, 1), options)
}

/// Warnings of loops that nothing leaves.
fn loops(compiled: &Compiled, entry: &str) -> Vec<Diagnostic> {
    let legal = compiled.module.entry(entry).map(|entry| compiled.module.function(entry.function));
    legal.and_then(|f| endless(f).ok()).unwrap_or_default()
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

/// What the settings choose.
pub(super) struct Choices {
    /// For the compiler.
    pub(super) options: Options,
    /// For the report.
    pub(super) assumptions: Assumptions,
    /// The mode that a geometry program is to have.
    pub(super) wish: Option<Wish>,
}

impl Choices {
    /// Reads the settings.
    pub(super) fn of(options: &CompileOptions) -> Result<Choices, Vec<Diagnostic>> {
        let compiler = Options { clip: options.clip, ..Options::default() };
        let mut choices = Choices { options: compiler, assumptions: Assumptions::default(), wish: None };
        options.settings.iter().try_for_each(|(key, value)| choices.set(key, value))?;
        Ok(choices)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), Vec<Diagnostic>> {
        let number = |value: &str| -> Result<u32, Vec<Diagnostic>> {
            let wrong =
                |_| vec![Diagnostic::error(None, format!("`{key}` is a whole number, not `{value}`"))];
            value.parse().map_err(wrong)
        };
        match key {
            "cycles-per-word" => self.assumptions.cycles_per_word = number(value)?,
            "loop-rounds" => self.assumptions.loop_rounds = number(value)?,
            "subroutine-saves" => self.options.subroutine_saves = number(value)? as usize,
            "geometry" => self.wish = Some(wish(value)?),
            _ => return Err(vec![super::ABOUT.no_setting(key)]),
        }
        Ok(())
    }
}

/// The mode of a geometry program by its name.
fn wish(value: &str) -> Result<Wish, Vec<Diagnostic>> {
    match value {
        "point" => Ok(Wish::Point),
        "fixed" => Ok(Wish::Fixed),
        _ => Err(vec![
            Diagnostic::error(None, format!("there is no geometry mode `{value}` to ask for")).help(
                "there are point and fixed; variable mode is what the uniform `primitive_vertices` asks for",
            ),
        ]),
    }
}

/// The words of a file with their texts.
pub(super) fn code(shbin: &Shbin, spans: &[Option<Span>], cx: chiaro_isa::Cx<'_>) -> Code {
    let program = &shbin.program;
    let text = |(at, &word): (usize, &u32)| {
        let inst = PICA200.decode_word(&fetch(word, &program.descriptors), 8).ok();
        let text = inst.and_then(|inst| PICA200.text(&inst, &cx));
        (text.unwrap_or_else(|| format!(".word {word:08x}")), spans.get(at).copied().flatten())
    };
    let bytes = program.code.iter().flat_map(|word| word.to_le_bytes()).collect();
    Code::of_fixed(bytes, 4, program.code.iter().enumerate().map(text))
}

fn report(
    compiled: &Compiled,
    entry: String,
    code: &Code,
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
    let (by_line, elsewhere) = code.by_source_line(sources);
    Report {
        target: "pica200",
        entry,
        resources: vec![
            resource("words", code.lines.len(), WORDS as u32),
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

pub(super) fn variables_of(dvle: &Dvle) -> Vec<Bound> {
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
pub(super) fn macros(prefix: &str, variables: &[Bound]) -> String {
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
