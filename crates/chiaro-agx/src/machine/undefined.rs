//! Faults of linked programs: registers that are read and were left by nobody, samples of which nobody decided
//! (spec 14.1, 14.3).

use super::fault::FaultKind;
use super::program::Step;
use super::simdgroup::SimdGroup;
use crate::isa::Op;
use crate::isa::float::Float;
use crate::regs::SAMPLES;

impl SimdGroup {
    /// Says that every lane has a half, where that is watched: another part has left it.
    pub fn hand_over(&mut self, half: u16) {
        if let Some(defined) = &mut self.defined {
            defined.write(half, u32::MAX);
        }
    }

    /// Whether every lane has a half; false where nobody watches.
    #[must_use]
    pub fn has(&self, half: u16) -> bool {
        self.defined.as_ref().is_some_and(|defined| self.launched & !defined.lanes(half) == 0)
    }

    /// A fault for each half that a step reads in a lane that has not written it.
    pub(super) fn check_defined(&mut self, step: &Step) {
        // What a fragment without samples makes is seen by its neighbours alone.
        let is_seen = matches!(
            step.inst,
            Some((_, Op::Simd(_) | Op::Texture(_) | Op::Float(Float::Dfdx | Float::Dfdy)))
        );
        let active = if is_seen { self.active() } else { self.active() & !self.gone() };
        let Some(defined) = &self.defined else { return };
        let open = step.reads.iter().find(|half| active & !defined.lanes(*half) != 0);
        let Some(half) = open else { return };
        let lanes = active & !defined.lanes(half);
        self.fault(lanes.trailing_zeros() as usize, FaultKind::Undefined(half));
    }

    /// Lanes of fragments without a sample that lives, of those that they shade: helpers, and those that are discarded.
    fn gone(&self) -> u32 {
        let Some(pixels) = self.pixels.as_deref() else { return 0 };
        let own = |lane: usize| if pixels.by_sample { self.word(SAMPLES).0[lane] as u8 } else { u8::MAX };
        let is_gone = |lane: usize| pixels.covered[lane] & pixels.live[lane] & own(lane) == 0;
        (0..pixels.live.len()).fold(0, |all, lane| all | u32::from(is_gone(lane)) << lane)
    }

    /// What a step writes is there, in lanes that ran before it or run behind it.
    pub(super) fn define(&mut self, step: &Step, active: u32) {
        let Some(defined) = &mut self.defined else { return };
        // The counter is written in every lane.
        step.writes.iter().for_each(|half| defined.write(half, if half == 0 { u32::MAX } else { active }));
    }

    /// At the end: samples that a program with a say in them neither killed nor tested.
    pub(super) fn check_decided(&mut self) {
        if self.defined.is_none() || !self.program.decides() {
            return;
        }
        let Some(pixels) = self.pixels.as_deref() else { return };
        let open = |lane: &usize| pixels.covered[*lane] & !pixels.decided[*lane] != 0;
        if let Some(lane) = (0..32).find(open) {
            let samples = pixels.covered[lane] & !pixels.decided[lane];
            self.fault(lane, FaultKind::Undecided(samples));
        }
    }
}
