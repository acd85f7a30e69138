//! Flow control: conditions, blocks, calls and jumps.

use super::Assembler;
use super::lex::Name;
use super::register::place;
use super::statement::{Condition, Flow, FlowKind, Join, Swizzle, Test};
use crate::asm::report::Outcome;
use crate::isa::Op;
use crate::regs::bank;
use chiaro_diag::{Diagnostic, Span, did_you_mean};
use chiaro_isa::{Reg, Value};

/// Words that the 8-bit count of an instruction holds.
const LONGEST: u32 = 255;
/// What is left of a place in its 12 bits.
const PLACE: u32 = 0xfff;

/// A block that is open.
pub(super) struct Block {
    pub(super) kind: BlockKind,
    /// The instruction that opened it.
    word: usize,
    /// Where its else part starts.
    alternative: Option<u32>,
    pub(super) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockKind {
    If,
    Loop,
}

impl BlockKind {
    /// The word that opens it.
    pub(super) fn word(self) -> &'static str {
        match self {
            BlockKind::If => "if",
            BlockKind::Loop => "loop",
        }
    }

    /// The word that closes it.
    pub(super) fn end(self) -> &'static str {
        match self {
            BlockKind::If => "endif",
            BlockKind::Loop => "endloop",
        }
    }
}

/// What an instruction tests.
#[derive(Clone, Copy)]
enum Tested {
    /// CONDOP in bits 0-1, REFY and REFX in bits 2 and 3.
    Flags(u8),
    Bool(u16),
    Int(u16),
}

fn fail<T>(span: Span, message: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Diagnostic::error(span, message)))
}

impl Assembler<'_> {
    pub(super) fn flow(&mut self, flow: &Flow<'_>, span: Span) -> Outcome {
        let tested = match &flow.condition {
            Some(condition) => Some(self.condition(condition)?),
            None => None,
        };
        let condition_span = flow.condition.as_ref().map_or(span, |condition| condition.span);
        let (op, mut operands) = operation(flow.kind, tested, condition_span)?;
        let (target, count) = self.destination(flow, span)?;
        match flow.kind {
            FlowKind::Jump => operands.push(("target", target)),
            FlowKind::Call => operands.extend([("target", target), ("count", count)]),
            FlowKind::If | FlowKind::Loop | FlowKind::Break | FlowKind::Uncoded => {}
        }
        let word = self.here() as usize;
        self.push(op, &operands, span)?;
        self.open(flow.kind, word, span);
        Ok(())
    }

    /// Opens a block if the statement does. An instruction with a mistake opens one, too,
    /// with a word that does not exist, so that the mistake does not cause others.
    pub(super) fn open(&mut self, kind: FlowKind, word: usize, span: Span) {
        let kind = match kind {
            FlowKind::If => BlockKind::If,
            FlowKind::Loop => BlockKind::Loop,
            _ => return,
        };
        self.blocks.push(Block { kind, word, alternative: None, span });
    }

    /// Where a jump or call goes, and how far a call.
    fn destination(&self, flow: &Flow<'_>, span: Span) -> Outcome<(Value, Value)> {
        let value = |n: u32| Value::Int(n.into());
        let Some(target) = flow.target else { return Ok((value(0), value(0))) };
        let Some(until) = flow.until else {
            if flow.kind == FlowKind::Call {
                let error = Diagnostic::error(span, "a call says where it ends");
                return Err(Box::new(error.help("add `until` and the label behind its last word")));
            }
            return Ok((value(self.label(target)? & PLACE), value(0)));
        };
        if flow.kind == FlowKind::Jump {
            return fail(until.span, "a jump does not come back; use `call`");
        }
        let (start, end) = (self.label(target)?, self.label(until)?);
        if end <= start {
            let message = format!("`{}` is not behind `{}`", until.text, target.text);
            return fail(until.span, message);
        }
        let count = self.count_words(end - start, "the call runs", span)?;
        Ok((value(start & PLACE), value(count)))
    }

    /// A number of words in the 8 bits that there are for it.
    fn count_words(&self, count: u32, what: &str, span: Span) -> Outcome<u32> {
        if count <= LONGEST || self.tool {
            return Ok(count & LONGEST);
        }
        let error = Diagnostic::error(span, format!("{what} {count} words, {LONGEST} are possible"));
        Err(Box::new(error.note(format!("nihstro would write {}", count & LONGEST))))
    }

    fn label(&self, name: Name<'_>) -> Outcome<u32> {
        if let Some(&address) = self.places.get(name.text) {
            return Ok(address);
        }
        let mut known: Vec<&str> = self.places.keys().copied().collect();
        known.sort_unstable();
        let error = Diagnostic::error(name.span, format!("there is no label `{}`", name.text));
        Err(Box::new(match did_you_mean(name.text, known) {
            Some(near) => error.meant(near),
            None => error,
        }))
    }

    fn condition(&self, condition: &Condition<'_>) -> Outcome<Tested> {
        let first = &condition.first;
        let meant = self.names.look_up(first.name)?;
        let (file, index) = place(meant.number).unwrap_or((bank::TEMP, 0));
        let index = index as u16;
        match file {
            bank::FLAG => Ok(Tested::Flags(self.flags(condition, meant.swizzle)?)),
            bank::BOOL | bank::INT => {
                if let Some((_, second)) = &condition.second {
                    return fail(second.span, "only the flags cc.x and cc.y can be combined");
                }
                if first.inverted {
                    let error = Diagnostic::error(first.span, "a uniform cannot be inverted here");
                    return Err(Box::new(error.help("test it with `if` and use the `else` part")));
                }
                if first.swizzle.is_some() && !self.tool {
                    let error = Diagnostic::error(first.span, "this register has no components here");
                    return Err(Box::new(error.note("nihstro ignores the swizzle")));
                }
                Ok(if file == bank::BOOL { Tested::Bool(index) } else { Tested::Int(index) })
            }
            _ => fail(first.span, "a condition is `cc.x`, `cc.y`, `cc.xy` or a boolean uniform"),
        }
    }

    /// CONDOP, REFY and REFX of a test of flags. A reference bit that is not used is set.
    fn flags(&self, condition: &Condition<'_>, all: Swizzle) -> Outcome<u8> {
        let first = &condition.first;
        let components = self.components(first, all)?;
        let references = |x: bool, y: bool| u8::from(!x) << 3 | u8::from(!y) << 2;
        let Some((join, second)) = &condition.second else {
            return Ok(match components.used() {
                [1] => 3 | references(false, first.inverted),
                [_] => 2 | references(first.inverted, false),
                _ => Join::And as u8 | references(first.inverted, first.inverted),
            });
        };
        let all = self.names.look_up(second.name)?;
        if place(all.number).map(|p| p.0) != Some(bank::FLAG) {
            return fail(second.span, "only the flags cc.x and cc.y can be combined");
        }
        let others = self.components(second, all.swizzle)?;
        let (&[one], &[other]) = (components.used(), others.used()) else {
            return fail(condition.span, "only single flags can be combined");
        };
        if one == other {
            return fail(condition.span, "the two flags of a condition must differ");
        }
        let (x, y) = if one == 1 { (second, first) } else { (first, second) };
        Ok(*join as u8 | references(x.inverted, y.inverted))
    }

    /// Which flags a test names. nihstro takes z and w for x, and any two for both.
    fn components(&self, test: &Test<'_>, all: Swizzle) -> Outcome<Swizzle> {
        let swizzle = match test.swizzle {
            Some(swizzle) => self.names.select(all, swizzle, test.span)?,
            None => all,
        };
        let known = match swizzle.used() {
            [_] | [_, _] if self.tool => true,
            used => matches!(used, [0 | 1] | [0, 1] | [1, 0]),
        };
        if known {
            return Ok(swizzle);
        }
        fail(test.span, "the flags are `cc.x`, `cc.y` and both, `cc.xy`")
    }

    pub(super) fn open_else(&mut self, span: Span) -> Outcome {
        let here = self.here();
        match self.blocks.last_mut() {
            Some(Block { kind: BlockKind::If, alternative: alternative @ None, .. }) => {
                *alternative = Some(here);
                Ok(())
            }
            Some(Block { kind: BlockKind::If, span: opened, .. }) => {
                let error = Diagnostic::error(span, "this `if` has an `else` already");
                Err(Box::new(error.related(*opened, "opened here")))
            }
            block => Err(unexpected("else", block.as_deref(), span)),
        }
    }

    pub(super) fn close_if(&mut self, span: Span) -> Outcome {
        let block = self.close(BlockKind::If, span)?;
        let end = self.here();
        let alternative = block.alternative.unwrap_or(end);
        let count = self.count_words(end - alternative, "the else part has", block.span)?;
        self.patch(block.word, "target", alternative & PLACE)?;
        self.patch(block.word, "count", count)
    }

    /// LOOP names the last word of its body.
    pub(super) fn close_loop(&mut self, span: Span) -> Outcome {
        let block = self.close(BlockKind::Loop, span)?;
        let last = self.here().saturating_sub(1);
        if last as usize == block.word && !self.tool {
            let error = Diagnostic::error(block.span, "the loop has no words");
            return Err(Box::new(error.note("nihstro would let it repeat itself")));
        }
        self.patch(block.word, "target", last & PLACE)
    }

    fn close(&mut self, kind: BlockKind, span: Span) -> Outcome<Block> {
        match self.blocks.pop_if(|block| block.kind == kind) {
            Some(block) => Ok(block),
            None => Err(unexpected(kind.end(), self.blocks.last(), span)),
        }
    }
}

fn unexpected(word: &str, block: Option<&Block>, span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(span, format!("`{word}` closes nothing"));
    Box::new(match block {
        None => error,
        Some(block) => {
            let text = format!("this `{}` is open and ends with `{}`", block.kind.word(), block.kind.end());
            error.related(block.span, text)
        }
    })
}

type Operands = Vec<(&'static str, Value)>;

/// The instruction for a statement by what it tests, with the operand for that.
fn operation(kind: FlowKind, tested: Option<Tested>, span: Span) -> Outcome<(Op, Operands)> {
    let register = |file, index| Value::Reg(Reg { file, index, ..Reg::default() });
    let Some(tested) = tested else {
        return match kind {
            FlowKind::Call => Ok((Op::Call, Vec::new())),
            _ => fail(span, "a condition is missing: `if` and what to test"),
        };
    };
    let op = match (tested, kind) {
        (Tested::Flags(_), FlowKind::If) => Op::Ifc,
        (Tested::Flags(_), FlowKind::Break) => Op::Breakc,
        (Tested::Flags(_), FlowKind::Jump) => Op::Jmpc,
        (Tested::Flags(_), FlowKind::Call) => Op::Callc,
        (Tested::Bool(_), FlowKind::If) => Op::Ifu,
        (Tested::Bool(_), FlowKind::Jump) => Op::Jmpu,
        (Tested::Bool(_), FlowKind::Call) => Op::Callu,
        (Tested::Int(_), FlowKind::Loop) => Op::Loop,
        (_, FlowKind::Loop) => return fail(span, "a loop takes an integer uniform, i0 to i3"),
        (Tested::Int(_), _) => return fail(span, "only `loop` takes an integer uniform"),
        (_, FlowKind::Uncoded) => return fail(span, "nihstro has no code for `break`; it takes `breakc`"),
        (Tested::Bool(_), FlowKind::Break) => {
            return fail(span, "`break` tests the flags cc.x and cc.y only");
        }
    };
    let operand = match tested {
        Tested::Flags(raw) => ("cond", Value::Int(raw.into())),
        Tested::Bool(index) => ("bool", register(bank::BOOL, index)),
        Tested::Int(index) => ("int", register(bank::INT, index)),
    };
    Ok((op, vec![operand]))
}
