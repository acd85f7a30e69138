//! Procedures and blocks: `.proc`, `for`, `ifc`, `ifu`, `.else`, `.end`.
//!
//! The hardware does not survive every end of a block (spec section 13), so a NOP
//! is put in front of an end that follows another end, a jump or a call, or nothing.
//! Rules of spec sections 20.5, 20.8. [picasso]

use super::Assembler;
use super::source::Args;
use crate::asm::report::Outcome;
use chiaro_diag::{Advice, Diagnostic, Fix, Span};
use std::collections::HashMap;

/// Blocks that may be open at once. [picasso]
const DEEPEST: usize = 32;
/// The largest NUM field: words of an else part, or of a procedure that is called.
pub(super) const MOST_WORDS: u32 = 255;

const NOP: u32 = 0x21 << 26;
const DST: u32 = 0xfff << 10;

/// What a block is.
pub(super) enum Kind<'a> {
    /// `.proc`, with its name.
    Procedure(&'a str),
    /// `for`.
    Loop,
    /// `ifc` or `ifu`; where the else part starts once there is one.
    If { otherwise: Option<(u32, Span)> },
    /// `.constfa name[]`.
    Array(Array<'a>),
}

/// A block that is open.
pub(super) struct Block<'a> {
    pub(super) kind: Kind<'a>,
    /// Its first word; for `for` and `if` the instruction itself.
    pub(super) start: u32,
    pub(super) opened: Span,
}

/// An array of constants between its `.constfa` and its `.end`.
pub(super) struct Array<'a> {
    pub(super) name: &'a str,
    pub(super) declared: Option<u32>,
    pub(super) elements: Vec<[u32; 4]>,
    /// Its first line was wrong; nothing more is said about it.
    pub(super) broken: bool,
}

/// A procedure that is complete.
#[derive(Clone, Copy)]
pub(super) struct Procedure {
    pub(super) start: u32,
    pub(super) size: u32,
    pub(super) span: Span,
}

/// Procedures by name.
pub(super) type Procedures<'a> = HashMap<&'a str, Procedure>;

impl Block<'_> {
    /// Whether it is an array whose beginning was reported.
    pub(super) fn is_broken(&self) -> bool {
        matches!(&self.kind, Kind::Array(array) if array.broken)
    }
}

impl<'a> Assembler<'a> {
    /// `.proc name`.
    pub(super) fn procedure(&mut self, args: &mut Args<'a>) -> Outcome {
        let name = self.argument(args)?;
        self.no_more(args)?;
        self.drop_broken_array();
        let span = self.span(name);
        if self.strict() {
            self.warn_of_odd_procedure(name);
        }
        self.open(Kind::Procedure(name), self.code.len(), span);
        match self.procedures.get(name) {
            None => Ok(()),
            Some(earlier) => Err(Diagnostic::error(span, format!("there are two procedures `{name}`"))
                .related(earlier.span, "the first one")
                .note("procedure names are shared by all files")
                .help("rename one of them")
                .into()),
        }
    }

    fn warn_of_odd_procedure(&mut self, name: &'a str) {
        if self.check_identifier(name, "procedure").is_err() {
            let note = "picasso accepts the name, but neither `call` nor `.entry` can use it";
            self.warn(name, format!("`{name}` is not an identifier"), note);
        }
        if let Some(outer) = self.file.blocks.last() {
            let text = "this procedure starts inside another block, which runs through it";
            let warning =
                Diagnostic::warning(self.span(name), text).related(outer.opened, "the block that is open");
            self.report.add(warning.help("close the block with `.end` first"));
        }
    }

    /// Opens a block; one too many is reported once and kept, so that ends still match.
    pub(super) fn open(&mut self, kind: Kind<'a>, start: u32, opened: Span) {
        if self.file.blocks.len() == DEEPEST {
            let message = format!("at most {DEEPEST} blocks may be open, this is one more");
            self.report.add(Diagnostic::error(self.line_span(), message));
        }
        self.file.blocks.push(Block { kind, start, opened });
    }

    /// `.else`.
    pub(super) fn otherwise(&mut self, args: &mut Args<'a>) -> Outcome {
        self.no_more(args)?;
        let here = self.line_span();
        let Some(Block { kind: Kind::If { otherwise }, start, .. }) = self.file.blocks.last() else {
            let mut error = Diagnostic::error(here, "this `.else` has no `ifc` or `ifu`");
            if let Some(block) = self.file.blocks.last() {
                error = error.related(block.opened, "the block that is open");
            }
            return Err(error.into());
        };
        if let Some((_, first)) = otherwise {
            return Err(Diagnostic::error(here, "this `if` has an `.else` already")
                .related(*first, "the first one")
                .into());
        }
        let start = *start;
        self.pad(start, 2, false);
        let at = self.code.len();
        self.code.words[start as usize] = self.code.words[start as usize] & !DST | at << 10;
        if let Some(Block { kind: Kind::If { otherwise }, .. }) = self.file.blocks.last_mut() {
            *otherwise = Some((at, here));
        }
        Ok(())
    }

    /// `.end`.
    pub(super) fn end(&mut self, args: &mut Args<'a>) -> Outcome {
        self.no_more(args)?;
        let Some(block) = self.file.blocks.pop() else {
            return Err(Diagnostic::error(self.line_span(), "there is no open block to end").into());
        };
        match block.kind {
            Kind::Array(array) => self.end_array(array),
            Kind::Procedure(name) => self.end_procedure(name, block.start, block.opened),
            Kind::Loop => {
                self.pad(block.start, 2, true);
                let last = self.code.len() - 1;
                self.set_target(block.start, last);
                Ok(())
            }
            Kind::If { otherwise } => self.end_if(block.start, otherwise),
        }
    }

    fn end_procedure(&mut self, name: &'a str, start: u32, opened: Span) -> Outcome {
        if self.code.len() == 0 {
            self.code.push(NOP, opened);
            self.procedures.insert(name, Procedure { start, size: 1, span: opened });
            return Err(Diagnostic::error(opened, format!("procedure `{name}` is empty"))
                .note("picasso crashes when the first procedure of a program is empty")
                .advise(Advice::words("write at least a `nop`").fix(Fix::behind(opened, "\n    nop")))
                .into());
        }
        self.pad(start, 1, false);
        let size = self.code.len() - start;
        self.procedures.entry(name).or_insert(Procedure { start, size, span: opened });
        Ok(())
    }

    fn end_if(&mut self, start: u32, otherwise: Option<(u32, Span)>) -> Outcome {
        self.pad(start, 2, false);
        let end = self.code.len();
        let Some((at, span)) = otherwise else {
            self.set_target(start, end);
            return Ok(());
        };
        let size = end - at;
        // A NUM above 10 bits runs into the target next to it. [picasso]
        let word = &mut self.code.words[start as usize];
        *word = *word & !0x3ff | size;
        self.after_block = true;
        if size > MOST_WORDS && self.strict() {
            return Err(Diagnostic::error(
                span,
                format!("an else part has at most {MOST_WORDS} words, this one has {size}"),
            )
            .note(format!("picasso would write a count that the hardware reads as {}", size & 0xff))
            .help("move a part of it into a procedure")
            .into());
        }
        Ok(())
    }

    fn set_target(&mut self, at: u32, target: u32) {
        let word = &mut self.code.words[at as usize];
        *word = *word & !DST | target << 10;
        self.after_block = true;
    }

    /// Puts a NOP in front of the end of a block that needs one. `start` is where the
    /// block starts, `least` the words that it has when it is not empty.
    fn pad(&mut self, start: u32, least: u32, ends_loop: bool) {
        let needed = std::mem::take(&mut self.after_block)
            || self.code.words.last().is_some_and(|word| unfit_before_end(word >> 26, ends_loop))
            || self.code.len() - start < least;
        if !needed {
            return;
        }
        let span = self.line_span();
        if self.padding {
            self.code.push(NOP, span);
        } else if !self.quiet {
            let warning = Diagnostic::warning(span, "a padding NOP is needed in front of this");
            let advice = Advice::words("write a `nop`").fix(Fix::before(span, "nop\n"));
            self.report.add(warning.note("none is inserted, as asked").advise(advice));
        }
    }
}

/// Whether a block must not end right behind such an instruction: jumps and calls,
/// and breaks out of the loop that ends.
fn unfit_before_end(opcode: u32, ends_loop: bool) -> bool {
    match opcode {
        0x24 | 0x25 | 0x26 | 0x2c | 0x2d => true,
        0x20 | 0x23 => ends_loop,
        _ => false,
    }
}
