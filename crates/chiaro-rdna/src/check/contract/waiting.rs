//! Masks of which lanes that wait have a bit (spec section 18.6).
//!
//! Truth values that a function is given, or gives back, stand in a scalar, one bit for each lane. Where it goes over what
//! lanes want, those that want another function find their bits there when their turn comes, and those that have been
//! served find their results:
//!
//! ```text
//! s_and_b32 s4, s20, exec_lo          what is computed with bits of all lanes
//! v_cmp_lt_f32 s20, v1, v2            gives 0 to the lanes that wait
//! s_andn2_b32 s5, s20, exec_lo        so theirs are put back before the end
//! s_or_b32 s20, s4, s5
//! ```
//!
//! So the bits of each mask as they came are followed beside it, and compared at every end. On the way they may go through
//! vector registers as truth values ([`truths`](super::truths)) or as they are ([`alike`](super::alike)).

use super::lost::{Known, closely};
use super::masks::{Beforehand, Cells, Given, Masks};
use super::state::State;
use super::{Checker, Role, unproved};
use crate::check::Found;
use crate::check::tables::Steer;

impl Checker<'_> {
    /// Every end at which lanes that wait may not have the bits that they came with.
    pub(super) fn masks_that_wait(
        &mut self,
        known: &Known<'_>,
        cells: &dyn Fn(Beforehand) -> Cells,
    ) -> Vec<Found> {
        let dispatches = self.role == Role::Function && self.contract.dispatch.is_some();
        let passed = self.contract.passed.as_ref().filter(|_| dispatches && !known.before.is_empty());
        let masks = passed.map_or_else(Vec::new, |passed| passed.masks.clone());
        if masks.is_empty() {
            return Vec::new();
        }
        let all_moves = self.moves_of(known.body, known.before, &|moves| !moves.is_empty());
        let entry =
            |(n, state): (&usize, &State)| state.masks.is_entry(&self.cells).then(|| self.steps[*n].word);
        let all_run = known.before.iter().filter_map(entry).collect();
        let beforehand = Beforehand { all_moves, all_run, ..known.beforehand.clone() };
        let mut of_mask = |mask: Given, most: usize| {
            self.cells = cells(Beforehand { came: vec![mask], most, ..beforehand.clone() });
            self.mask_that_waits(mask, known)
        };
        masks.into_iter().flat_map(|mask| closely(|most| of_mask(mask, most))).collect()
    }

    /// The same of one mask; and whether no mask was forgotten.
    fn mask_that_waits(&self, mask: Given, known: &Known<'_>) -> (Vec<Found>, bool) {
        let (masks, mut all) = (self.follow_masks(known), Vec::new());
        for n in known.body.iter().filter(|n| self.steps[**n].steer == Steer::Leave) {
            let step = &self.steps[*n];
            if masks.get(n).is_some_and(|masks| !masks.is_as_it_came(&self.cells, 0)) {
                let place = match mask {
                    Given::Scalar(first) => format!("s{first}"),
                    Given::Slot(at) => format!("the mask {at} bytes from the stack pointer"),
                };
                let message = format!("lanes that wait may not find their bits of {place} at {}", step.name);
                unproved(&mut Some(&mut all), step, message);
            }
        }
        (all, masks.values().all(Masks::is_exact))
    }
}
