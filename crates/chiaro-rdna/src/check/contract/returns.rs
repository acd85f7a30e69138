//! The stack of return addresses in the lanes of two vector registers, where a convention has one.
//!
//! Its entries are told by how far they are from the first that was free when the function began: the counter is followed
//! as any scalar, so that the entry of a lane that it chooses is known. Those below are the callers', and what is at the
//! counter or above at a call the callee may overwrite.

use super::code::{Source, bits, lane_of};
use super::state::State;
use super::value::Scalar;
use super::{Checker, Contract, Role, Sink, Step, refute, unproved};
use crate::abi::convention::ReturnStack;
use crate::regs::file;

impl Checker<'_> {
    /// The entry that a value of the counter stands for. A kernel has no callers, and begins with none.
    pub(super) fn entry_of(&self, counter: Scalar) -> Option<i32> {
        let stack = self.contract.convention.return_stack()?;
        match (counter, self.role) {
            (Scalar::Entry(register, more), Role::Function) if register == stack.counter => Some(more as i32),
            (Scalar::Number(n), Role::Kernel) => i32::try_from(n).ok(),
            _ => None,
        }
    }

    /// The half that a register of the stack holds, where a lane of it is chosen by the counter; and the entry.
    fn chosen(&self, register: u16, lane: Source, state: &State) -> Option<(u8, i32)> {
        let ReturnStack { register: first, counter } = self.contract.convention.return_stack()?;
        let half = register.checked_sub(first).filter(|half| *half < 2)?;
        let is_counted = matches!(lane, Source::Register(scalar) if scalar == counter);
        Some((half as u8, self.entry_of(state.scalar(counter)).filter(|_| is_counted)?))
    }

    /// A half that is put on the stack: which, the entry, where it comes from.
    pub(super) fn kept_return(&self, step: &Step, state: &State) -> Option<(u8, i32, Source)> {
        let lane = lane_of(step).filter(|_| step.name == "v_writelane_b32")?;
        let (half, entry) = self.chosen(bits(step, 0, 8) as u16, lane, state)?;
        Some((half, entry, Source::of(bits(step, 32, 9), 0)))
    }

    /// A half that is taken from the stack: where it goes, which, the entry.
    pub(super) fn taken_return(&self, step: &Step, state: &State) -> Option<(u16, u8, i32)> {
        let lane = lane_of(step).filter(|_| step.name == "v_readlane_b32")?;
        let (half, entry) = self.chosen(bits(step, 32, 8) as u16, lane, state)?;
        Some((bits(step, 0, 8) as u16, half, entry))
    }

    /// Notes a half that is put on the stack.
    pub(super) fn keep_return(
        &self,
        step: &Step,
        (half, entry, value): (u8, i32, Scalar),
        state: &mut State,
        sink: &mut Sink<'_>,
    ) {
        if entry < 0 {
            let below = entry.unsigned_abs();
            let message =
                format!("{} overwrites a return address of the callers, {below} below the own", step.name);
            return refute(sink, step, message);
        }
        state.returns.insert((entry, half), value);
    }

    /// Who writes the registers of the stack by another way than its counter leaves nothing known there.
    pub(super) fn lose_returns(&self, step: &Step, state: &mut State) {
        let Some(stack) = self.contract.convention.return_stack() else { return };
        let of_stack = |(in_file, register): &(u8, u16)| {
            *in_file == file::VGPR && (stack.register..stack.register + 2).contains(register)
        };
        if step.writes.iter().any(of_stack) && self.kept_return(step, state).is_none() {
            state.returns.clear();
        }
    }

    /// At a call the counter says where the callee's own entries begin: above none of the callers'.
    pub(super) fn return_stack(&self, step: &Step, callee: &Contract, state: &State, sink: &mut Sink<'_>) {
        let Some(stack) = callee.convention.return_stack() else { return };
        match self.entry_of(state.scalar(stack.counter)) {
            Some(entry) if entry >= 0 => {}
            Some(entry) => {
                let message = format!(
                    "the counter s{} of return addresses is {} below its place at entry",
                    stack.counter,
                    entry.unsigned_abs()
                );
                refute(sink, step, message);
            }
            None => {
                let message = format!("the counter s{} of return addresses is not known", stack.counter);
                unproved(sink, step, message);
            }
        }
    }
}
