//! Calls by a register that holds several places: one place after another, with the lanes that want it (spec 6.3, 21).

use chiaro_isa::Reg;

use super::config::Calls;
use super::fault::FaultKind;
use super::pending::Call;
use super::simdgroup::SimdGroup;
use crate::regs::{file, size};

/// Calls in one another: a program that has more goes round in them.
const MOST: usize = 64;
/// The nesting counter: lanes that wait must find it as it was, and what is called counts in all lanes.
const R0L: Reg =
    Reg { file: file::GPR, size: size::HALF, more: 0, indexed: 0, index: 0, mods: 0, swizzle: 0 };

impl SimdGroup {
    /// Calls what the lanes hold, in the order that is assumed. r1 holds the place behind.
    pub(super) fn call_each(&mut self, register: Reg, behind: u32) {
        if self.calls.len() >= MOST {
            return self.stop(FaultKind::Divergent);
        }
        let (targets, counters, lanes) = (self.lanes_of(register), self.lanes_of(R0L), self.active());
        self.link(behind);
        let (waiting, awake) = (lanes, self.awake);
        self.calls.push(Call { behind, targets, counters, lanes, waiting, awake });
        self.call_next();
    }

    /// Goes to the next place of the last call, or behind it.
    pub(super) fn call_next(&mut self) {
        let descending = self.config.calls == Calls::Descending;
        let Some(call) = self.calls.last_mut() else { return };
        let (counters, lanes) = (call.counters, call.lanes);
        let (target, group) = match call.waiting {
            0 => (call.behind, call.lanes),
            waiting => {
                let first = if descending { 31 - waiting.leading_zeros() } else { waiting.trailing_zeros() };
                let target = call.targets.0[first as usize];
                let same = |lane: &usize| waiting >> lane & 1 == 1 && call.targets.0[*lane] == target;
                (target, (0..32).filter(same).fold(0, |group, lane| group | 1 << lane))
            }
        };
        let is_done = call.waiting == 0;
        call.waiting &= !group;
        self.awake = if is_done { call.awake } else { call.awake & group };
        if is_done {
            self.calls.pop();
        }
        self.merge(R0L, &counters, lanes);
        self.state.active = group & self.launched;
        self.go(Some(target.into()));
    }
}
