//! After the last line: targets of jumps and calls, entry points, the container.

use super::Assembler;
use super::Label;
use super::block::{Kind, MOST_WORDS};
use super::interface::Unit;
use super::uniform::{Bank, Uniform};
use crate::asm::report::Outcome;
use crate::container::{self, Dvle, Dvlp, Shbin, Stage};
use crate::regs;
use chiaro_diag::{Advice, Diagnostic, Fix, Span, did_you_mean};

/// Words that the vertex program memory holds, as words are counted here.
pub(super) const VERTEX_WORDS: u32 = regs::VERTEX_WORDS as u32;
/// Words that a geometry program is assumed to have.
pub(super) const GEOMETRY_WORDS: u32 = regs::GEOMETRY_WORDS as u32;

/// The version that picasso gives executables.
const DVLE_VERSION: u16 = 0x1002;
/// DST and NUM of a call.
const TARGET: u32 = 0x3f_ffff;

/// A word whose target is a name.
#[derive(Clone, Copy)]
pub(super) struct Reference<'a> {
    pub(super) word: u32,
    pub(super) name: &'a str,
    pub(super) span: Span,
}

impl<'a> Assembler<'a> {
    /// Ends a file: its blocks, its jumps, its size.
    pub(super) fn finish_file(&mut self) {
        let end = self.file.place.end();
        self.file.blocks.retain(|block| !block.is_broken());
        if let Some(block) = self.file.blocks.last() {
            let count = self.file.blocks.len();
            let noun = if count == 1 { "block is" } else { "blocks are" };
            let error = Diagnostic::error(end, format!("{count} {noun} not closed at the end of the file"))
                .related(block.opened, "the innermost one")
                .advise(Advice::words("write `.end`").fix(Fix::behind(end, "\n.end\n")));
            self.report.add(error);
        }
        self.unclosed.extend(self.file.blocks.iter().filter_map(|block| match block.kind {
            Kind::Procedure(name) => Some(name),
            _ => None,
        }));
        for jump in std::mem::take(&mut self.file.jumps) {
            match self.file.labels.get(jump.name) {
                Some((target, _)) => {
                    let word = &mut self.code.words[jump.word as usize];
                    *word = *word & !(0xfff << 10) | target << 10;
                }
                None => {
                    let error = self.report.unread().unwrap_or_else(|| self.undefined_label(jump, end));
                    self.report.add(error);
                }
            }
        }
        self.check_size();
        self.keep_labels();
    }

    fn keep_labels(&mut self) {
        let labels = self.file.labels.drain();
        let first = self.labels.len();
        self.labels.extend(labels.map(|(name, (address, span))| Label {
            name: name.to_owned(),
            address,
            span,
        }));
        self.labels[first..].sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    }

    /// A missing name is known at the end of the file: the error stands there, as
    /// picasso's does, and marks the use.
    fn undefined(message: String, used: Span, end: Span) -> Diagnostic {
        Diagnostic::error(end, message).related(used, "used here")
    }

    fn undefined_label(&self, jump: Reference<'a>, end: Span) -> Diagnostic {
        let name = jump.name;
        let error = Self::undefined(format!("label `{name}` is not defined in this file"), jump.span, end);
        if self.procedures.contains_key(name) {
            return error.help("there is a procedure of this name: jumps take labels, calls take procedures");
        }
        match did_you_mean(name, self.file.labels.keys().copied()) {
            Some(near) => error.meant(near),
            None => error.help("labels are written `name:` and belong to their file"),
        }
    }

    /// The code of a file must fit the memory of its unit. picasso looks before each
    /// instruction whether 513 words are there already, so it lets one pass.
    fn check_size(&mut self) {
        let words = self.code.len();
        let Some(unit) = self.file.unit.map(|unit| &self.units[unit]) else { return };
        let (most, memory) = match unit.geometry {
            false => (VERTEX_WORDS, "vertex program memory"),
            true => (GEOMETRY_WORDS, "geometry program memory"),
        };
        let first = self.code.span_of(if self.strict() { most } else { most + 1 });
        if words <= most || !self.strict() && unit.geometry {
            return;
        }
        let Some(at) = unit.overflow.or(first.filter(|_| self.strict())) else { return };
        let mut error = Diagnostic::error(at, "the program does not fit its memory")
            .label(format!("{words} words by the end of this file, {most} allowed in {memory}"));
        if let Some(first) = first.filter(|&first| self.strict() && first != at) {
            error = error.related(first, "the first word too many; picasso lets one more pass");
        }
        self.report.add(error);
    }

    /// Ends the run: calls and entry points.
    pub(super) fn link(&mut self) {
        let end = self.file.place.end();
        for call in std::mem::take(&mut self.calls) {
            let outcome = self.link_call(call, end);
            self.report.take(outcome);
        }
        if !self.units.iter().any(|unit| unit.listed) && !self.report.failed() {
            let error = Diagnostic::error(end, "no file gives an executable");
            self.report
                .add(error.help("every file is empty or says `.nodvle`; one at least must have a program"));
        }
        for unit in self.units.iter().filter(|unit| unit.listed) {
            // A procedure that was not closed was reported already.
            if self.procedures.contains_key(unit.entry_name()) || self.unclosed.contains(unit.entry_name()) {
                continue;
            }
            let name = unit.entry_name();
            let mut error =
                Diagnostic::error(unit.top, format!("there is no procedure `{name}` to start at"));
            if let Some((_, span)) = unit.entry {
                error = error.related(span, "named here");
            }
            error = match did_you_mean(name, self.procedures.keys().copied()) {
                Some(near) => error.meant(near),
                None => error.help(format!("write `.proc {name}`, or name another with `.entry`")),
            };
            self.report.add(error);
        }
    }

    fn link_call(&mut self, call: Reference<'a>, end: Span) -> Outcome {
        let name = call.name;
        let Some(procedure) = self.procedures.get(name).copied() else {
            if self.unclosed.contains(name) {
                return Ok(());
            }
            if let Some(unread) = self.report.unread() {
                return Err(unread.into());
            }
            let error = Self::undefined(format!("procedure `{name}` is not defined"), call.span, end);
            return Err(match did_you_mean(name, self.procedures.keys().copied()) {
                Some(near) => error.meant(near).into(),
                None => error.help(format!("write `.proc {name}` in one of the files")).into(),
            });
        };
        // A size above 10 bits runs into the target next to it. [picasso]
        let word = &mut self.code.words[call.word as usize];
        *word = *word & !TARGET | procedure.size | procedure.start << 10;
        if procedure.size <= MOST_WORDS || !self.strict() {
            return Ok(());
        }
        let size = procedure.size;
        Err(Diagnostic::error(
            call.span,
            format!("a procedure that is called has at most {MOST_WORDS} words, `{name}` has {size}"),
        )
        .related(procedure.span, "the procedure")
        .note(format!("picasso would write a count that the hardware reads as {}", size & 0xff))
        .help("split it into procedures that call each other")
        .into())
    }

    /// The finished container.
    pub(super) fn container(&mut self) -> Shbin {
        let units = std::mem::take(&mut self.units);
        let listed = units.into_iter().filter(|unit| unit.listed);
        let executables = listed.map(|unit| self.executable(unit)).collect();
        let program = Dvlp {
            version: 0,
            code: std::mem::take(&mut self.code.words),
            descriptors: self.descriptors.table(),
            file_names: Vec::new(),
        };
        Shbin::new(program, executables)
    }

    fn executable(&self, unit: Unit<'a>) -> Dvle {
        let (start, size) = self.procedures.get(unit.entry_name()).map_or((0, 0), |p| (p.start, p.size));
        let (uniforms, symbols) = uniform_table(unit.uniforms, unit.keeps_order);
        Dvle {
            version: DVLE_VERSION,
            stage: if unit.geometry { Stage::Geometry } else { Stage::Vertex },
            merge: u8::from(unit.merge),
            entry: start,
            end: start + size,
            inputs: unit.inputs,
            outputs_used: unit.output_mask,
            geometry: unit.modes,
            constants: unit.constants,
            labels: Vec::new(),
            outputs: unit.outputs,
            uniforms,
            symbols,
        }
    }
}

impl Unit<'_> {
    fn entry_name(&self) -> &str {
        self.entry.map_or("main", |(name, _)| name)
    }
}

/// The uniform table by register, unless the file keeps its order, and the names in the same order
/// (`$` becomes `.`).
fn uniform_table(mut uniforms: Vec<Uniform>, keeps_order: bool) -> (Vec<container::Uniform>, Vec<u8>) {
    if !keeps_order {
        uniforms.sort_by_key(|uniform| table_number(uniform));
    }
    let mut symbols = Vec::new();
    let mut table = Vec::with_capacity(uniforms.len());
    for uniform in uniforms {
        let name = symbols.len() as u32;
        symbols.extend(uniform.name.bytes().map(|b| if b == b'$' { b'.' } else { b }));
        symbols.push(0);
        let first = table_number(&uniform);
        table.push(container::Uniform { name, first, last: first + uniform.size - 1 });
    }
    (table, symbols)
}

/// The register number in uniform tables (spec section 18.8).
fn table_number(uniform: &Uniform) -> u16 {
    uniform.first
        + match uniform.bank {
            None => 0,
            Some(Bank::Float) => 0x10,
            Some(Bank::Int) => 0x70,
            Some(Bank::Bool) => 0x78,
        }
}
