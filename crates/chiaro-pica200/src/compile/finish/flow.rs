//! Branches and loops: their words, targets, and the NOPs that they ask for.

use super::words::{Finish, Open, Trouble};
use crate::compile::graph::{Cond, Id};
use crate::compile::schedule::{Step, inverse};
use crate::isa::Op;
use crate::operand::NEGATE;
use crate::regs::bank;
use chiaro_isa::{Reg, Value};

const CALLS_AND_JUMPS: [u32; 5] = [0x24, 0x25, 0x26, 0x2c, 0x2d];
const BREAKC: u32 = 0x23;

impl Finish<'_> {
    /// Room on one of the stacks.
    pub(super) fn nest(
        &self,
        what: &'static str,
        allowed: u32,
        same: impl Fn(&Open) -> bool,
    ) -> Result<(), Trouble> {
        let depth = self.open.iter().filter(|o| same(o)).count() as u32 + 1;
        if depth > allowed { Err(Trouble::Nesting(what, depth, allowed)) } else { Ok(()) }
    }

    pub(super) fn open_if(&mut self, cond: Cond) -> Result<(), Trouble> {
        self.nest("if", 8, |o| matches!(o, Open::If(..)))?;
        let at = match cond {
            Cond::Bool(b, _) => {
                let fields =
                    [("bool", uniform(bank::BOOL, b)), ("target", Value::Int(0)), ("count", Value::Int(0))];
                self.plain(Op::Ifu, &fields)?
            }
            Cond::Flags(_, raw) => {
                let fields =
                    [("cond", Value::Int(raw.into())), ("target", Value::Int(0)), ("count", Value::Int(0))];
                self.plain(Op::Ifc, &fields)?
            }
        };
        self.open.push(Open::If(at, None));
        self.closed = true;
        Ok(())
    }

    /// A NOP where a block may not end (spec section 13): at the end of another one, behind a
    /// jump or a call, behind BREAKC in a LOOP, and where there would be nothing in it.
    pub(super) fn pad(&mut self, in_loop: bool) -> Result<(), Trouble> {
        let last = self.code.last().map_or(0, |p| p.word >> 26);
        let jump = !self.code.is_empty() && CALLS_AND_JUMPS.contains(&last);
        if self.closed || jump || in_loop && last == BREAKC {
            self.plain(Op::Nop, &[])?;
        }
        Ok(())
    }

    pub(super) fn else_part(&mut self) -> Result<(), Trouble> {
        self.pad(false)?;
        let start = self.code.len();
        if let Some(Open::If(_, other)) = self.open.last_mut() {
            *other = Some(start);
        }
        self.closed = true;
        Ok(())
    }

    pub(super) fn end_if(&mut self) -> Result<(), Trouble> {
        self.pad(false)?;
        let end = self.code.len();
        if let Some(Open::If(at, other)) = self.open.pop() {
            let count = other.map_or(0, |start| end - start) as u32;
            if count > 255 {
                return Err(Trouble::Else(count));
            }
            self.target(at, other.unwrap_or(end))?;
            self.code[at].word |= count;
        }
        self.closed = true;
        Ok(())
    }

    pub(super) fn open_loop(&mut self, number: u16) -> Result<(), Trouble> {
        let counter = self.input.graph.loops[usize::from(number)];
        if counter.jumps {
            self.open.push(Open::Jumps(self.code.len(), Vec::new()));
            self.closed = true;
            return Ok(());
        }
        self.nest("loop", 4, |o| matches!(o, Open::Loop(_)))?;
        let register = match counter.constant {
            Some(bytes) => self.int(bytes)?,
            None if counter.register > 3 => return Err(Trouble::Loops),
            None => counter.register,
        };
        let fields = [("int", uniform(bank::INT, register)), ("target", Value::Int(0))];
        let at = self.plain(Op::Loop, &fields)?;
        self.open.push(Open::Loop(at));
        self.closed = true;
        Ok(())
    }

    /// The integer register that holds a constant, from i3 downwards.
    pub(super) fn int(&mut self, bytes: [u8; 4]) -> Result<u8, Trouble> {
        if let Some((register, _)) = self.ints.iter().find(|(_, known)| *known == bytes) {
            return Ok(*register);
        }
        let register = 3u8.checked_sub(self.ints.len() as u8).ok_or(Trouble::Loops)?;
        if usize::from(register) < self.input.graph.counts.len() {
            return Err(Trouble::Loops);
        }
        self.ints.push((register, bytes));
        Ok(register)
    }

    pub(super) fn end_loop(&mut self) -> Result<(), Trouble> {
        match self.open.pop() {
            Some(Open::Loop(at)) => {
                self.pad(true)?;
                let last = self.code.len() - 1;
                self.target(at, last)?;
            }
            Some(Open::Jumps(_, leaving)) if self.is_closed_by_test() => {
                let end = self.code.len();
                for at in leaving {
                    self.target(at, end)?;
                }
            }
            Some(Open::Jumps(start, leaving)) => {
                // A boolean that is always set: there is no other jump without a condition.
                let b = self.input.bools.max(self.input.last_bool);
                if self.input.bools > self.input.last_bool {
                    return Err(Trouble::Nesting("boolean uniform", 17, 16));
                }
                self.always = Some(b);
                let fields = [("bool", jump_bool(b)), ("target", Value::Int(0))];
                let at = self.plain(Op::Jmpu, &fields)?;
                self.target(at, start)?;
                let end = self.code.len();
                for at in leaving {
                    self.target(at, end)?;
                }
            }
            _ => {}
        }
        self.closed = true;
        Ok(())
    }

    /// Whether the last thing in a loop was to leave it.
    fn is_closed_by_test(&self) -> bool {
        self.at.checked_sub(1).is_some_and(|before| matches!(self.input.steps[before], Step::Break(_)))
    }

    /// Leaves a loop; where nothing comes behind that, the jump is the one back, by the opposite condition.
    pub(super) fn leave(&mut self, cond: Cond) -> Result<(), Trouble> {
        let is_last = matches!(self.input.steps.get(self.at + 1), Some(Step::EndLoop));
        let (jumps, back) = match self.open.last() {
            Some(Open::Jumps(start, _)) => (true, is_last.then_some(*start)),
            _ => (false, None),
        };
        let cond = if back.is_some() { inverse(cond) } else { cond };
        let at = match (cond, jumps) {
            (Cond::Flags(_, raw), true) => {
                self.plain(Op::Jmpc, &[("cond", Value::Int(raw.into())), ("target", Value::Int(0))])?
            }
            (Cond::Flags(_, raw), false) => self.plain(Op::Breakc, &[("cond", Value::Int(raw.into()))])?,
            (Cond::Bool(b, inverted), true) => {
                let Value::Reg(mut reg) = uniform(bank::BOOL, b) else {
                    return Err(Trouble::Operand(Id::MAX));
                };
                reg.mods = if inverted { NEGATE } else { 0 };
                self.plain(Op::Jmpu, &[("bool", Value::Reg(reg)), ("target", Value::Int(0))])?
            }
            (Cond::Bool(..), false) => return Err(Trouble::Operand(Id::MAX)),
        };
        match (back, self.open.last_mut()) {
            (Some(start), _) => self.target(at, start)?,
            (None, Some(Open::Jumps(_, leaving))) => leaving.push(at),
            _ => {}
        }
        Ok(())
    }
}

fn uniform(file: u8, index: u8) -> Value {
    Value::Reg(Reg { file, index: index.into(), ..Reg::default() })
}

fn jump_bool(b: u8) -> Value {
    uniform(bank::BOOL, b)
}
