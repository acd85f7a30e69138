//! What steers a SIMD-group: branches, calls, waits, barriers, ends (spec 6.3, 10).

use chiaro_sim::Lanes;

use super::config::Calls;
use super::fault::FaultKind;
use super::program::Step;
use super::simdgroup::{SimdGroup, Status, general};
use crate::isa::Op;
use crate::isa::control::Control;
use crate::isa::memory::Memory;

/// The register in which a call leaves the place behind it.
const LINK: u16 = 1;

impl SimdGroup {
    /// A step that decides what is next. True if the turn is over.
    pub(super) fn flow(&mut self, step: &Step) -> bool {
        use Control as C;
        let Some((_, op)) = step.inst else { return false };
        let behind = self.pc + step.length;
        match op {
            Op::Memory(Memory::Wait) => {
                self.pc = behind;
                return self.wait(step.number as u8);
            }
            Op::Memory(_) => {
                self.pc = behind;
                self.status = Status::Barrier;
                return true;
            }
            Op::Control(C::Stop) => {
                self.check_decided();
                self.status = Status::Ended;
            }
            Op::Control(C::Trap) => self.stop(FaultKind::Trap),
            Op::Control(C::JmpExecAny) => self.jump_if(self.active() != 0, step),
            Op::Control(C::JmpExecNone) => self.jump_if(self.active() == 0, step),
            // The helper program never has anything to say here.
            Op::Control(C::JmpIfSkippingDoorbell) => self.jump_if(true, step),
            Op::Control(C::Call) if step.a.is_some() && self.config.calls != Calls::Fault => {
                step.a.into_iter().for_each(|register| self.call_each(register, behind));
            }
            Op::Control(C::Call) => {
                let target = match step.a {
                    Some(_) => self.place_in(step),
                    None => Some(step.number),
                };
                self.link(behind);
                self.go(target);
            }
            _ => {
                let target = self.place_in(step);
                match self.calls.last() {
                    Some(call) if target == Some(call.behind.into()) => self.call_next(),
                    _ => self.go(target),
                }
            }
        }
        false
    }

    fn jump_if(&mut self, jumps: bool, step: &Step) {
        if jumps {
            self.go(Some(step.number));
        } else {
            self.pc += step.length;
        }
    }

    /// Goes to a place; `None` where lanes do not agree on one.
    pub(super) fn go(&mut self, target: Option<i64>) {
        let Some(target) = target else { return self.stop(FaultKind::Divergent) };
        match u32::try_from(target).ok().filter(|place| self.program.step_at(*place).is_some()) {
            Some(place) => self.pc = place,
            None => self.stop(FaultKind::Target(target)),
        }
    }

    /// Leaves the place behind a call in the lanes that run.
    pub(super) fn link(&mut self, behind: u32) {
        let active = self.active();
        self.merge(general(LINK), &Lanes::splat(behind), active);
        if let Some(defined) = &mut self.defined {
            (2 * LINK..2 * LINK + 2).for_each(|half| defined.write(half, active));
        }
    }

    /// The place that the register of a jump holds, in bytes from the start of the code: that of all
    /// lanes that run.
    fn place_in(&self, step: &Step) -> Option<i64> {
        let register = step.a?;
        let mut places = self.running().map(|lane| self.read(register, lane));
        let first = places.next()?;
        places.all(|place| place == first).then_some(first as i64)
    }
}
