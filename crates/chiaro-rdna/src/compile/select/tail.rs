//! Calls in the place of ends (spec section 18.6): where a function gives back what another one does, it jumps there, and
//! that one returns to the caller.
//!
//! ```text
//! %3 = call @g(%1, %2)          return s[30:31] @g [s4] s5, [v0] v7      arguments in place, no return address of its own
//! return %3                     s_branch g
//! ```
//!
//! What a pointer leads to is called so as well, where all lanes have the same: `s_setpc_b64 s[4:5]`, in a pair of scalars
//! that no function keeps and that holds no argument.
//!
//! Only where all lanes that came are there still: those that wait would be forgotten. Whoever called finds what it
//! relies on: the other function keeps at least as much, gives its results in the same places, and has no parameters on
//! the stack. The frame is given up before the jump, so that chains of such calls take no more stack than their
//! largest frame.

use chiaro_ir as ir;
use chiaro_ir::Op as Ir;
use chiaro_mach::control::OPEN;
use chiaro_mach::{Block, Effects, Op as Mach, Operand};

use super::Select;
use super::control::{BOTH, Way};
use crate::abi::convention::SystemParameter;
use crate::abi::partition::File;
use crate::compile::calls::callee::{Callee, register};
use crate::compile::code::{self, SCALAR};
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sopp::Sopp;
use crate::isa::vop3::Vop3;
use crate::isa::vopc::Vopc;
use crate::regs::code::VCC_LO;

impl Select<'_> {
    /// Makes a jump of a call that nothing follows; whether it did.
    pub(super) fn tail_call(&mut self, at: Block, inst: ir::Inst) -> bool {
        let (Some(own), Some(back), Some(number)) = (self.own, self.back, self.called_by(inst)) else {
            return false;
        };
        let is_here = self.tails.contains(&inst) && !self.module.function(number).is_import();
        let Some(callee) = self.unit.callee(number).filter(|_| is_here) else {
            return false;
        };
        let args = self.f.args(inst).to_vec();
        let (pointer, args) = match self.f.op(inst) {
            Ir::CallIndirect => (args.first().copied(), &args[1..]),
            _ => (None, &args[..]),
        };
        let place = free_pair(own, callee);
        if !stands_in(own, callee)
            || !self.keeps_in_place(args, own, callee)
            || pointer.is_some() && place.is_none()
            || pointer.is_some_and(|pointer| self.is_called_by_lanes(pointer)) && callee.dispatch().is_none()
        {
            return false;
        }
        let back = match own.convention.return_stack() {
            Some(_) => back,
            None => back.fixed(own.system(SystemParameter::ReturnAddress)),
        };
        let mut uses = vec![back];
        if let (Some(pointer), Some(place)) = (pointer, place) {
            uses.push(self.pointer_in(at, pointer).fixed(place));
        }
        uses.push(Operand::function(number.0));
        let arguments = self.call_arguments(at, args, callee);
        for (n, operand) in arguments.into_iter().enumerate() {
            let first = callee.placed(n).and_then(register).map(|(_, first)| first);
            uses.extend(operand.zip(first).map(|(operand, first)| operand.fixed(first)));
        }
        self.span = self.f.inst(inst).span;
        self.end_with(at, &uses);
        self.has_tails = true;
        true
    }

    /// Ends a function, by where it returns, whom it goes to instead if it does, and what it hands over.
    pub(super) fn end_with(&mut self, at: Block, uses: &[Operand]) {
        let end = self.code.push(at, Mach::Return, &[], uses);
        let data = self.code.inst_mut(end);
        data.span = self.span;
        data.effects = Effects::writes(Effects::CONTROL).and(Effects::reads(super::call::MEMORY));
    }

    /// Ends a function whose lanes may want others: it goes to what the lowest lane wants that wants any, or else back.
    /// Whatever is handed over stands in its place for both; what lanes want is the first of it.
    pub(super) fn next_or_back(&mut self, at: Block, [_, runs]: [u16; 2], back: Operand, handed: &[Operand]) {
        let Some(&wanted) = handed.first() else { return };
        let (vcc, is_long) = (code::vcc(self.wave), self.wave == 64);
        self.push(at, Op::Vopc(Vopc::CmpNeU64), &[vcc], &[Operand::imm(0), wanted], Default::default());
        let wanted = Operand { fixed: None, ..wanted };
        let skip = self.push(at, Op::Sopp(Sopp::CbranchVccz), &[], &[OPEN], Default::default());
        let [next, done] = [self.code.block(0), self.code.block(0)];
        Way::new(at, None, Vec::new()).lead(&mut self.code, &BOTH, next);
        Way::new(at, Some(skip), Vec::new()).lead(&mut self.code, &BOTH, done);
        let (lowest, pair) = (Operand::reg(SCALAR, VCC_LO, 1), self.new_scalar(2));
        let first = Op::Sop1(if is_long { Sop1::Ff1I32B64 } else { Sop1::Ff1I32B32 });
        self.push(next, first, &[lowest], &[vcc], Default::default());
        let halves = [0, 1].map(|n| {
            let half = self.new_scalar(1);
            let uses = [wanted.part(n, 1), lowest];
            self.push(next, Op::Vop3(Vop3::ReadlaneB32), &[half], &uses, Default::default());
            half
        });
        self.collect_into(next, pair, &halves);
        let to = [back, pair.fixed(runs), Operand::function(self.reach[0].0)];
        self.end_with(next, &[&to, handed].concat());
        self.end_with(done, &[&[back], handed].concat());
    }

    /// Whether arguments that stand where the caller's caller finds its values again are those values.
    fn keeps_in_place(&self, args: &[ir::Value], own: &Callee, callee: &Callee) -> bool {
        let kept = own.kept();
        let is_own = |n: usize| {
            let Some(placed) = callee.placed(n) else { return true };
            let Some((file, first)) = register(placed) else { return false };
            let registers = usize::from(first)..usize::from(first + placed.size);
            if !kept.of(file)[registers].contains(&true) {
                return true;
            }
            let same = (0..own.signature.parameters.len())
                .find(|&m| own.placed(m).is_some_and(|own| register(own) == Some((file, first))));
            let Some(m) = same else { return false };
            match (own.given.get(m), callee.given.get(n)) {
                (Some(a), Some(b)) => a == b,
                (None, None) => {
                    let of = |callee: &Callee, n: usize| {
                        let mut all = callee.parameters.iter().enumerate();
                        all.find_map(|(k, numbers)| {
                            let part = numbers.iter().position(|(number, _)| *number == n)?;
                            Some((k, part))
                        })
                    };
                    let (Some((k, part)), Some(own)) = (of(callee, n), of(own, m)) else { return false };
                    part == own.1 && args.get(k) == self.f.params.get(own.0)
                }
                _ => false,
            }
        };
        (0..callee.signature.parameters.len()).all(is_own)
    }
}

/// The first of two scalars that neither function keeps and that hold nothing where one jumps to the other.
fn free_pair(own: &Callee, callee: &Callee) -> Option<u16> {
    let kept = [own.kept(), callee.kept()];
    let placed: Vec<(u16, u16)> = [own, callee]
        .iter()
        .flat_map(|callee| &callee.placement.parameters)
        .filter_map(|placed| Some((register(placed).filter(|(file, _)| *file == File::Sgpr)?.1, placed.size)))
        .collect();
    let of_returns = |n: u16| {
        let stack = own.convention.return_stack();
        stack.is_some_and(|stack| stack.counter == n)
    };
    let is_free = |n: u16| {
        let holds = placed.iter().any(|(first, size)| (*first..first + size).contains(&n));
        !holds && !of_returns(n) && kept.iter().all(|kept| !kept.sgpr[usize::from(n)])
    };
    let limit = own.convention.limit.sgpr.min(callee.convention.limit.sgpr);
    (0..limit.saturating_sub(1)).step_by(2).find(|&n| is_free(n) && is_free(n + 1))
}

/// Whether a caller of one function may come back from another one and notice nothing.
fn stands_in(own: &Callee, callee: &Callee) -> bool {
    let systems = [SystemParameter::ReturnAddress, SystemParameter::StackPointer];
    let (mine, other) = (own.kept(), callee.kept());
    let keeps = |file: File| mine.of(file).iter().zip(other.of(file)).all(|(mine, other)| !mine || *other);
    let places = |callee: &Callee| -> Vec<_> {
        callee.results.iter().map(|&(n, scalar)| (callee.placed(n).and_then(register), scalar)).collect()
    };
    // Callers of functions that are fitted to them rely on what those write in truth.
    !own.is_fitted
        && !callee.is_fitted
        && systems.into_iter().all(|p| own.system(p) == callee.system(p))
        && own.convention.return_addresses == callee.convention.return_addresses
        && own.placement.stack_bytes == 0
        && callee.placement.stack_bytes == 0
        && places(own) == places(callee)
        && File::BOTH.into_iter().all(keeps)
}
