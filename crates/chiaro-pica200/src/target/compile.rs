//! Shaders to SHBIN files with their report and header, checked if asked for.

use std::collections::HashSet;
use std::fmt::Write;

use super::prove;
use crate::check::{UNIFORM_CONSTANT, check};
use crate::compile::geometry::Wish;
use crate::compile::{Compiled, Defaults, LoopCount, Options, Statistics, WORDS, compile as to_shbin};
use crate::container::outmap::PROPERTIES;
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
    BlockReport, Bound, Code, CompileOptions, CompiledShader, Interface, Proof, Report, Resource, Shader,
    finding, only_entry,
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
    let settings = Choices::of(options, shader.interface)?;
    let entry = only_entry(shader.module, Stage::Vertex, options, ABOUT)?;
    cx.verify |= options.verify;
    let compiled = words(shader, &entry, &settings.options, cx)?;
    let mut remarks = compiled.remarks.clone();
    if options.verify && options.clip.is_none() {
        remarks.extend(verified(shader.module, &compiled, options)?);
    } else if options.verify {
        // The conversion is no part of the source: what it is applied to is checked.
        let plain = Options { clip: None, ..settings.options.clone() };
        let plain = words(shader, &entry, &plain, &mut Cx::default())?;
        remarks.extend(verified(shader.module, &plain, options)?);
    }
    remarks.extend(loops(&compiled, &entry));
    remarks.extend(compiled.loop_counts().iter().map(loop_count));
    let code = code(&compiled.shbin, &compiled.spans, PICA200.cx());
    remarks.extend(checked(&compiled.shbin, &code)?);
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

/// What the rules of the checker say of the finished file.
pub(super) fn checked(shbin: &Shbin, code: &Code) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    // The compiler itself warns of constants in uniforms, by the uniform's line; attributes that have
    // the name of a uniform stand where they hide nothing.
    finding::finished(&check(shbin), code, &[UNIFORM_CONSTANT.id])
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
    let settings = Choices::of(options, shader.interface)?;
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
    /// Reads the settings: those of the source, then those of the user, which count more.
    pub(super) fn of(options: &CompileOptions, interface: &Interface) -> Result<Choices, Vec<Diagnostic>> {
        let mut compiler = Options { clip: options.clip, ..Options::default() };
        compiler.effort = options.effort.unwrap_or(compiler.effort);
        let mut choices = Choices { options: compiler, assumptions: Assumptions::default(), wish: None };
        // A source may be meant for other targets, too, whose settings are not looked at.
        let is_ours =
            |key: &str| key.starts_with("output.") || super::ABOUT.settings.iter().any(|s| s.name == key);
        let own = interface.settings.iter().filter(|(key, _)| is_ours(key));
        own.chain(&options.settings).try_for_each(|(key, value)| choices.set(key, value))?;
        Ok(choices)
    }

    /// What an output is to be for.
    fn output(&mut self, name: &str, value: &str) -> Result<(), Vec<Diagnostic>> {
        let property = PROPERTIES.iter().find(|p| p.name == value);
        if property.is_none() && value != "none" {
            let names: Vec<&str> = PROPERTIES.iter().map(|p| p.name).collect();
            let error = Diagnostic::error(None, format!("an output cannot be `{value}`"));
            return Err(vec![error.help(format!("it can be one of {} or none", names.join(", ")))]);
        }
        let outputs = &mut self.options.wishes.outputs;
        outputs.retain(|(known, _)| known != name);
        outputs.push((name.to_owned(), property.map(|p| p.kind)));
        Ok(())
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
            "defaults" => self.options.defaults = defaults(value)?,
            _ if key.starts_with("output.") => self.output(&key["output.".len()..], value)?,
            _ => return Err(vec![super::ABOUT.no_setting(key)]),
        }
        Ok(())
    }
}

/// Who gives uniforms their values, by its name.
fn defaults(value: &str) -> Result<Defaults, Vec<Diagnostic>> {
    match value {
        "loader" => Ok(Defaults::Loader),
        "host" => Ok(Defaults::Host),
        _ => Err(vec![
            Diagnostic::error(None, format!("`{value}` cannot give uniforms their values"))
                .help("`defaults` is loader or host"),
        ]),
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
        counts: given_up(s.left_out),
        cycles: found.map(|paths| (paths.shortest, paths.longest)),
        assumptions: named,
        by_line,
        elsewhere,
        blocks: block(s).into_iter().collect(),
        variables: compiled.shbin.executables.first().map_or_else(Vec::new, |dvle| variables(compiled, dvle)),
        ..Report::default()
    }
}

/// What was given up for the program to fit, where anything was: it may be longer than it could be.
pub(super) fn given_up(left_out: u32) -> Vec<(&'static str, u32)> {
    if left_out == 0 { Vec::new() } else { vec![("steps left out to fit", left_out)] }
}

/// The program as one block, END not counted; nothing for one whose subroutines do with less than the bound.
fn block(s: &Statistics) -> Option<BlockReport> {
    let (length, bound) = (s.words as u32, s.least as u32);
    let optimal = s.is_proven();
    (bound <= length).then_some(BlockReport { length, bound, limit: "operations", optimal })
}

/// Everything with a name: what the uniform table lists, outputs, uniforms that nothing reads.
pub(super) fn variables(compiled: &Compiled, dvle: &Dvle) -> Vec<Bound> {
    let mut variables = Vec::new();
    for (name, uniform) in dvle.named_uniforms() {
        let Some((first, last)) = uniform.registers() else { continue };
        let kind = if first.letter() == 'v' { "input" } else { "uniform" };
        let place = if first == last { first.to_string() } else { format!("{first}..{last}") };
        variables.push(Bound { kind, name: name.to_owned(), place });
    }
    for output in &dvle.outputs {
        let property = output.property().map_or("unknown", |property| property.name);
        let components = "xyzw".chars().enumerate().filter(|(i, _)| output.mask >> i & 1 == 1);
        let components: String = components.map(|(_, c)| c).collect();
        let place = format!("o{}.{components} {property}", output.register);
        let name = compiled.output_name(output.register).to_owned();
        variables.push(Bound { kind: "output", name, place });
    }
    for (kind, names) in [("uniform", compiled.unread()), ("input", compiled.unread_inputs())] {
        let removed =
            |name: &String| Bound { kind, name: name.clone(), place: "removed: nothing reads it".to_owned() };
        variables.extend(names.iter().map(removed));
    }
    variables
}

/// Registers of uniforms as C macros, in picasso's manner.
fn header(report: &Report) -> String {
    format!("// Generated by chiaro\n#pragma once\n{}", macros("VSH", &report.variables))
}

/// The macros of one program. Two names that C spells alike have one macro, that of the first.
pub(super) fn macros(prefix: &str, variables: &[Bound]) -> String {
    let mut text = String::new();
    let mut known = HashSet::new();
    let is_placed = |v: &&Bound| v.kind == "uniform" && !v.place.contains(' ');
    for variable in variables.iter().filter(is_placed) {
        let name = in_c(&variable.name);
        if !known.insert(name.clone()) {
            let _ = writeln!(text, "// {}: {} (C spells another name alike)", variable.name, variable.place);
            continue;
        }
        let mut ends = variable.place.split("..").map(|r| r[1..].parse::<u32>().unwrap_or(0));
        let (first, bank) = (ends.next().unwrap_or(0), &variable.place[..1]);
        let count = ends.next().map_or(1, |last| last + 1 - first);
        let value = match bank {
            "c" => format!("FVEC_{name} 0x{first:02X}"),
            "i" => format!("IVEC_{name} 0x{first:02X}"),
            _ => format!("FLAG_{name} BIT({first})"),
        };
        let _ = writeln!(text, "#define {prefix}_{value}");
        if bank == "c" || count > 1 {
            let _ = writeln!(text, "#define {prefix}_ULEN_{name} {count}");
        }
    }
    text
}

/// A name as a part of an identifier of C: `bones[3].rows` is `bones_3__rows`.
fn in_c(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
