//! The walk over the lines, and the container at its end.

use super::alias::{Names, declare};
use super::descriptor::{Descriptors, MAD_ENTRIES};
use super::include::Program;
use super::lex::{Cursor, Line};
use super::parse::{label, statement};
use super::statement::{Kind, Setemit, Statement, counted_by_tool, mnemonic};
use super::{Assembler, Once, Word};
use super::{Assembly, Label, Mode, Options};
use crate::asm::report::{Outcome, Report};
use crate::container::{self, Dvle, Dvlp, Layout, Shbin, Stage};
use crate::isa::{Op, PICA200, halves};
use crate::regs::{GEOMETRY_WORDS, VERTEX_WORDS};
use chiaro_diag::{Diagnostic, Span};
use chiaro_isa::{Cx, EncodeError, Inst, Value};
use std::collections::HashMap;

/// Entries of the descriptor table in the hardware, and what nihstro fills of it.
const DESCRIPTORS: usize = 128;
const DESCRIPTORS_OF_TOOL: usize = 127;

/// Rules that nihstro does not know.
const NOT_CHECKED_BY_TOOL: &[&str] = &["one-input", "one-input-cmp"];

impl<'a> Assembler<'a> {
    pub(super) fn new(program: &'a Program, options: Options<'a>) -> Assembler<'a> {
        let tool = options.mode == Mode::Nihstro;
        let stage = if options.geometry { Stage::Geometry } else { Stage::Vertex };
        let mut report = Report::default();
        program.errors.iter().for_each(|error| report.add(error.clone()));
        Assembler {
            program,
            options,
            tool,
            names: Names::new(tool),
            report,
            places: HashMap::new(),
            labels: Vec::new(),
            blocks: Vec::new(),
            code: Vec::new(),
            descriptors: Descriptors::default(),
            dvle: Dvle { version: 0, stage, ..Dvle::default() },
            reported: 0,
            written: [None; 16],
            last: program.end,
        }
    }

    /// Places the labels by counting the lines that make words; false if that is the end.
    pub(super) fn labels(&mut self) -> bool {
        let mut address = 0;
        for line in self.program.lines() {
            match label(line) {
                Some(name) => {
                    if let Err(earlier) = self.names.enter_label(name) {
                        let error =
                            Diagnostic::error(name.span, format!("the label `{}` is given twice", name.text));
                        self.tell(error.related(earlier, "given here first"), line);
                        continue;
                    }
                    self.places.insert(name.text, address);
                    self.labels.push(Label { name: name.text.to_owned(), address, span: name.span });
                    let name = self.dvle.add_symbol(name.text);
                    self.dvle.labels.push(container::Label {
                        id: 0,
                        unknown: 0,
                        offset: address,
                        size: 0,
                        name,
                    });
                }
                None => address += self.words_of(line),
            }
        }
        !(self.tool && self.report.failed())
    }

    fn words_of(&self, line: Line<'_>) -> u32 {
        if self.tool {
            let body = line.body();
            let text = body.trim_start_matches([' ', '\t']);
            let start = body.len() - text.len();
            return counted_by_tool(text, |at| line.space_at(start + at));
        }
        first_word(line).and_then(|word| mnemonic(word, false)).map_or(0, Kind::words)
    }

    /// Reads all lines.
    pub(super) fn statements(&mut self) {
        for line in self.program.lines() {
            let Some((span, parsed)) = statement(line, self.tool) else {
                self.last = if line.ended { self.program.end } else { self.last };
                continue;
            };
            self.last = span;
            let first = self.report.len();
            match parsed {
                Ok(statement) => {
                    let outcome = self.statement(statement, span);
                    if self.report.take(outcome).is_none() {
                        self.open_broken(line, span);
                    }
                }
                Err(mistake) if self.tool && !mistake.fatal => return self.stop(span, line),
                Err(mistake) => {
                    self.report.add(*mistake.error);
                    self.open_broken(line, span);
                }
            }
            self.explain_inclusion(first, line);
            if !line.ended && !self.tool {
                self.remark(Once::Space, span, "nihstro does not know a last line without its end");
            }
        }
    }

    /// Opens the block of a statement with a mistake.
    fn open_broken(&mut self, line: Line<'_>, span: Span) {
        if let Some(Kind::Flow(kind)) = first_word(line).and_then(|word| mnemonic(word, self.tool)) {
            self.open(kind, usize::MAX, span);
        }
    }

    /// What nihstro does with a line that it does not know.
    fn stop(&mut self, span: Span, line: Line<'_>) {
        let message = "nihstro does not know this statement and ends the program in front of it";
        self.tell(Diagnostic::warning(span, message), line);
    }

    fn tell(&mut self, diagnostic: Diagnostic, line: Line<'_>) {
        let first = self.report.len();
        self.report.add(diagnostic);
        self.explain_inclusion(first, line);
    }

    /// Adds to messages how their line came into the program.
    fn explain_inclusion(&mut self, first: usize, line: Line<'_>) {
        if line.inclusion.is_none() || self.report.len() == first {
            return;
        }
        for diagnostic in self.report.since(first) {
            let spans = self.program.inclusions(line.inclusion);
            diagnostic.related.extend(spans.map(|span| (span, "included here".to_owned())));
        }
    }

    /// A note that is given once, outside of nihstro's mode.
    pub(super) fn remark(&mut self, what: Once, span: Span, message: &str) {
        self.once(what, Diagnostic::remark(span, message));
    }

    fn once(&mut self, what: Once, diagnostic: Diagnostic) {
        let bit = 1 << what as u32;
        if !self.tool && self.reported & bit == 0 {
            self.report.add(diagnostic);
        }
        self.reported |= bit;
    }

    fn statement(&mut self, statement: Statement<'a>, span: Span) -> Outcome {
        match statement {
            Statement::Label => Ok(()),
            Statement::Plain(op) => self.plain(op, span),
            Statement::Else => self.open_else(span),
            Statement::Endif => self.close_if(span),
            Statement::Endloop => self.close_loop(span),
            Statement::Arithmetic(op, operands) => self.arithmetic(op, &operands, span),
            Statement::Compare(compare) => self.compare(&compare, span),
            Statement::Flow(flow) => self.flow(&flow, span),
            Statement::Setemit(setemit) => self.setemit(&setemit, span),
            Statement::Alias(alias) => declare(&alias, &mut self.names, &mut self.dvle, &mut self.report),
            Statement::Version => {
                self.remark(Once::Version, span, "nihstro refuses `.version`, although it is documented");
                Ok(())
            }
        }
    }

    fn plain(&mut self, op: Op, span: Span) -> Outcome {
        if op == Op::Emit {
            self.check_stage(span);
        }
        self.push(op, &[], span)
    }

    fn setemit(&mut self, setemit: &Setemit, span: Span) -> Outcome {
        self.check_stage(span);
        let vertex = if self.tool { setemit.vertex & 3 } else { setemit.vertex };
        if vertex > 2 && !self.tool {
            let error = Diagnostic::error(setemit.vertex_span, "a vertex slot is 0, 1 or 2");
            return Err(Box::new(error.note("nihstro keeps the two lowest bits of the number")));
        }
        let flags = i64::from(setemit.primitive) << 1 | i64::from(setemit.inverted);
        let operands = [("vertex", Value::Int(vertex.into())), ("flags", Value::Int(flags))];
        self.push(Op::Setemit, &operands, span)
    }

    fn check_stage(&mut self, span: Span) {
        if !self.options.geometry {
            let message = "vertex programs emit no vertices themselves";
            let help = "assemble the source as a geometry program";
            self.once(Once::Stage, Diagnostic::warning(span, message).help(help));
        }
    }

    /// The address of the next word.
    pub(super) fn here(&self) -> u32 {
        self.code.len() as u32
    }

    /// What encoding knows.
    pub(super) fn cx(&self) -> Cx<'static> {
        Cx { waived: if self.tool { NOT_CHECKED_BY_TOOL } else { &[] }, ..PICA200.cx() }
    }

    /// Appends an instruction without a descriptor.
    pub(super) fn push(&mut self, op: Op, operands: &[(&str, Value)], span: Span) -> Outcome {
        let inst = PICA200.encode_op(op as u16, operands, &self.cx()).map_err(|e| misfit(span, e))?;
        self.code.push(Word { inst, descriptor: None, span });
        Ok(())
    }

    /// Appends an instruction with its descriptor.
    pub(super) fn push_described(&mut self, inst: Inst, descriptor: u32, span: Span) -> Outcome {
        let descriptor = Some(self.descriptors.place(descriptor));
        self.code.push(Word { inst, descriptor, span });
        let most = if self.tool { DESCRIPTORS_OF_TOOL } else { DESCRIPTORS };
        if self.descriptors.len() <= most || self.reported >> Once::Descriptors as u32 & 1 == 1 {
            return Ok(());
        }
        self.reported |= 1 << Once::Descriptors as u32;
        Err(Box::new(
            Diagnostic::error(
                span,
                format!("this instruction needs a descriptor more than the {most} there are"),
            )
            .help("let more instructions use the same swizzles, masks and signs"),
        ))
    }

    /// Overwrites an operand of an instruction that stands already.
    pub(super) fn patch(&mut self, word: usize, name: &str, value: u32) -> Outcome {
        let cx = self.cx();
        let Some(word) = self.code.get_mut(word) else { return Ok(()) };
        let patched = PICA200.put(&mut word.inst, name, Value::Int(value.into()), &cx);
        patched.map_err(|e| misfit(word.span, e))
    }

    /// The result, or all that is wrong.
    pub(super) fn finish(mut self) -> Result<Assembly, Vec<Diagnostic>> {
        if !(self.tool && self.report.failed()) {
            self.check_blocks();
            self.check_size();
            self.check_outputs();
            let outcome = self.enter();
            self.report.take(outcome);
            let outcome = self.place_descriptors();
            self.report.take(outcome);
        }
        let failed = self.report.failed();
        let mut messages = self.report.finish();
        if failed {
            chiaro_diag::sort(&mut messages);
            return Err(messages);
        }
        let code = self.code.iter().map(|word| halves(word.inst.word).0).collect();
        let descriptors = self.descriptors.table();
        let program = Dvlp { code, descriptors, ..Dvlp::default() };
        Ok(Assembly {
            shbin: Shbin { program, executables: vec![self.dvle], layout: Layout::nihstro() },
            warnings: messages,
            spans: self.code.iter().map(|word| word.span).collect(),
            labels: self.labels,
        })
    }

    fn check_blocks(&mut self) {
        for block in std::mem::take(&mut self.blocks) {
            let message = format!("this `{}` is not closed by `{}`", block.kind.word(), block.kind.end());
            let error = match self.tool {
                true => Diagnostic::error(self.last, message).related(block.span, "opened here"),
                false => Diagnostic::error(block.span, message),
            };
            self.report.add(error);
        }
    }

    fn check_size(&mut self) {
        let most = if self.options.geometry { GEOMETRY_WORDS } else { VERTEX_WORDS };
        if let Some(word) = self.code.get(most).filter(|_| !self.tool) {
            let message = format!("the program has {} words, {most} are allowed", self.code.len());
            let error = Diagnostic::error(word.span, message).label("the first word too many");
            self.report.add(error.note("nihstro does not count"));
        }
    }

    /// Warns of outputs that are written, but lead nowhere.
    fn check_outputs(&mut self) {
        for (register, span) in self.written.into_iter().enumerate().filter(|_| !self.tool) {
            let named = self.dvle.outputs.iter().any(|output| usize::from(output.register) == register);
            if let Some(span) = span.filter(|_| !named) {
                let message = format!("o{register} is written, but is for nothing");
                let help = format!("say what it is for: `.alias name o{register} as position`, for example");
                self.report.add(Diagnostic::warning(span, message).help(help));
            }
        }
    }

    /// Fills the entry field. nihstro writes the offset of the label's name there.
    fn enter(&mut self) -> Outcome {
        let entry = self.options.entry;
        let Some(n) = self.labels.iter().position(|label| label.name == entry) else {
            let error = Diagnostic::error(
                self.last,
                format!("there is no label `{entry}`, where the program starts"),
            );
            return Err(Box::new(error.help("add the label or name another one to start at")));
        };
        let (word, name) = (self.labels[n].address, self.dvle.labels[n].name);
        self.dvle.entry = if self.tool { name } else { word };
        if word != name && !self.tool {
            let message = format!("nihstro would let the program start at word {name} instead of {word}");
            let note = "it writes the byte offset of the label's name; the first label is safe";
            self.report.add(Diagnostic::remark(self.labels[n].span, message).note(note));
        }
        Ok(())
    }

    /// Fills in the descriptor indices. MAD reaches the first 32 entries only, so they
    /// are put there if need be; nihstro cuts the index instead.
    fn place_descriptors(&mut self) -> Outcome {
        let is_mad = |word: &Word| PICA200.form(&word.inst).op == Op::Mad as u16;
        let mut of_mads: Vec<usize> =
            self.code.iter().filter(|w| is_mad(w)).filter_map(|w| w.descriptor).collect();
        of_mads.sort_unstable();
        of_mads.dedup();
        if !self.tool && of_mads.len() > MAD_ENTRIES {
            let late = self.code.iter().find(|w| is_mad(w) && w.descriptor == Some(of_mads[MAD_ENTRIES]));
            let message = format!("`mad` uses {} descriptors, {MAD_ENTRIES} are in its reach", of_mads.len());
            return Err(Box::new(Diagnostic::error(late.map(|word| word.span), message)));
        }
        let beyond = of_mads.last().is_some_and(|&last| last >= MAD_ENTRIES);
        let places = (beyond && !self.tool).then(|| self.descriptors.put_first(&of_mads));
        let cx = self.cx();
        for word in &mut self.code {
            let Some(old) = word.descriptor else { continue };
            let new = places.as_ref().map_or(old, |places| places[old]);
            let index = if is_mad(word) { new % MAD_ENTRIES } else { new };
            let put = PICA200.put(&mut word.inst, "desc", Value::Int(index as i64), &cx);
            // Only too large a table, which was reported before, does not fit.
            if put.is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// The word that says what a line is, unless it is a directive.
fn first_word(line: Line<'_>) -> Option<&str> {
    Cursor::new(line).name().map(|name| name.text)
}

/// Why operands are no instruction, as far as no check before has reported it.
pub(super) fn misfit(span: Span, error: EncodeError) -> Box<Diagnostic> {
    Box::new(match error {
        EncodeError::Rule(breach) => {
            Diagnostic::error(span, breach.message).note("nihstro does not check this")
        }
        other => Diagnostic::error(span, other.to_string()),
    })
}
