//! Loops that nothing leaves.
//!
//! ```text
//! if %c {                              if %c {
//!   loop { continue } ...                return
//! } else {                             }
//!   loop { continue } ...              loop { continue } ...
//! }
//! ```
//!
//! On the left every way through the function ends in such a loop: the shader computes nothing,
//! which is an error. On the right only some do, which may be meant. Conditions are not looked into:
//! constant ones are gone once [`simplify_cfg`](crate::simplify_cfg) has run.

use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::{Function, Inst, Op, Step, Walk};

/// Looks for loops that cannot be left; a warning for each.
///
/// # Errors
/// No way through the function comes to its end: the first of the loops.
pub fn endless(f: &Function) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
    let mut look = Look { f, open: Vec::new(), is_live: true, returns: false, found: Vec::new() };
    Walk::new(f).for_each(|step| look.step(step));
    match look.found[..] {
        [first, ..] if !look.returns => Err(Box::new(
            Diagnostic::error(first, "this loop never ends: nothing leaves it, and everything comes to it")
                .help("give it a condition that can fail, or a `break` or `return`"),
        )),
        _ => Ok(look.found.into_iter().map(warning).collect()),
    }
}

fn warning(span: Option<Span>) -> Diagnostic {
    Diagnostic::warning(span, "nothing leaves this loop: what enters it never ends")
        .help("give it a condition that can fail, or a `break` or `return`")
}

/// A construct that is open.
struct Frame {
    inst: Inst,
    /// Whether its first block is reached.
    is_entered: bool,
    /// Whether something goes on behind it.
    is_left: bool,
    /// Whether something in it goes on further out.
    is_escaped: bool,
    /// Whether the second block of a loop is reached.
    is_continued: bool,
}

struct Look<'f> {
    f: &'f Function,
    open: Vec<Frame>,
    /// Whether the next instruction is reached.
    is_live: bool,
    /// Whether an end of the function is reached.
    returns: bool,
    found: Vec<Option<Span>>,
}

impl Look<'_> {
    fn step(&mut self, step: Step) {
        match step {
            Step::Open(Some(inst), index, _) => self.open(inst, index),
            Step::Inst(inst) if self.is_live => self.inst(inst),
            Step::Leave(_) => self.leave(),
            _ => {}
        }
    }

    fn open(&mut self, inst: Inst, index: u32) {
        if index == 0 {
            let is_entered = self.is_live;
            self.open.push(Frame {
                inst,
                is_entered,
                is_left: false,
                is_escaped: false,
                is_continued: false,
            });
        }
        let is_second = self.f.op(inst) == Op::Loop && index > 0;
        self.is_live =
            self.open.last().is_some_and(|frame| frame.is_entered && (!is_second || frame.is_continued));
    }

    fn inst(&mut self, inst: Inst) {
        match self.f.op(inst) {
            // What is called may end the invocation.
            Op::Call(_) | Op::CallIndirect => self.escape(0),
            Op::Exit(to) => {
                let at = self.escape_to(to);
                at.into_iter().for_each(|at| self.open[at].is_left = true);
            }
            Op::Continue(to) => {
                let at = self.escape_to(to);
                at.into_iter().for_each(|at| self.open[at].is_continued = true);
            }
            Op::Repeat(to) => drop(self.escape_to(to)),
            Op::Unreachable => {}
            op if op.is_exit() => {
                self.returns = true;
                self.escape(0);
            }
            _ => return,
        }
        self.is_live &= !self.f.op(inst).is_exit();
    }

    /// Leaves everything within a construct; where that is among the open ones.
    fn escape_to(&mut self, to: Inst) -> Option<usize> {
        let at = self.open.iter().rposition(|frame| frame.inst == to)?;
        self.escape(at + 1);
        Some(at)
    }

    fn escape(&mut self, from: usize) {
        self.open[from..].iter_mut().for_each(|frame| frame.is_escaped = true);
    }

    fn leave(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        let inst = frame.inst;
        let stays = frame.is_entered && !frame.is_left && !frame.is_escaped;
        if stays && self.f.op(inst) == Op::Loop {
            self.found.push(self.f.inst(inst).span);
        }
        self.is_live = frame.is_entered && frame.is_left;
    }
}
