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
//! So one lane that waits is followed, of the lower half of a wave and of the upper, with the bits that it came with
//! ([`lane`](super::lane)), and looked at at every end. On the way they may go through vector registers as truth values
//! ([`truths`]) or as they are ([`alike`]).

use std::collections::{BTreeMap, BTreeSet};

use super::code::{Cell, Move, Op};
use super::lane::{Bit, Followed, Lane};
use super::lost::Known;
use super::masks::{AT_ENTRY, Beforehand, Cells, Moves, WANTED_AT_ENTRY, slots};
use super::{Checker, Contract, alike, code, settled, truths, unproved};
use crate::check::Found;
use crate::check::step::Step;
use crate::check::tables::Steer;
use crate::regs;

/// A mask that a function is given: in scalars from this one on, or in dwords of the stack from this byte on, half by half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Given {
    Scalar(u16),
    Slot(i32),
}

/// Where masks go on their way.
struct Ways {
    /// All moves between registers and the frame, and the slots that they go through.
    moves: Moves,
    slots: Vec<i32>,
    /// Words at which all lanes that came run.
    all_run: BTreeSet<u32>,
}

/// A lane that waits in a half of the wave.
struct Half {
    number: usize,
    followed: Followed,
    /// What each step does to its bits.
    ops: BTreeMap<usize, Vec<Op>>,
    /// What it has where the function begins.
    begin: Lane,
}

impl Checker<'_> {
    /// Every end at which lanes that wait may not have the bits that they came with.
    pub(super) fn masks_that_wait(
        &mut self,
        known: &Known<'_>,
        cells: &dyn Fn(Beforehand) -> Cells,
    ) -> Vec<Found> {
        let goes_over = self.dispatch().is_some() && !known.before.is_empty();
        let passed = self.contract.passed.as_ref().filter(|_| goes_over);
        let masks = passed.map_or(&[][..], |passed| &passed.masks);
        if masks.is_empty() {
            return Vec::new();
        }
        self.cells = cells(known.beforehand.clone());
        let ways = self.ways_of_masks(known, masks);
        let changes = self.cells.changes_of(self.steps, known.body);
        let lanes = (0..usize::from(self.wave / 32)).map(|number| {
            let half = self.half(number, &changes, &ways, masks);
            let lanes = self.follow_lane(&half, &ways, known);
            (half, lanes)
        });
        let lanes: Vec<(Half, BTreeMap<usize, Lane>)> = lanes.collect();
        let ends = known.body.iter().filter(|n| self.steps[**n].steer == Steer::Leave);
        let mut all = Vec::new();
        for (n, (mask, number)) in ends.flat_map(|n| masks.iter().zip(0..).map(move |mask| (*n, mask))) {
            let is_kept = |(half, lanes): &(Half, BTreeMap<usize, Lane>)| {
                let is_as_it_came =
                    |lane: &Lane, cell: Cell| lane.is_as_it_came(&half.followed, cell, number);
                let cell = mask.cell(&ways, half.number);
                lanes.get(&n).is_none_or(|lane| cell.is_some_and(|cell| is_as_it_came(lane, cell)))
            };
            if !lanes.iter().all(is_kept) {
                let (step, place) = (&self.steps[n], mask.place());
                let message = format!("lanes that wait may not find their bits of {place} at {}", step.name);
                unproved(&mut Some(&mut all), step, message);
            }
        }
        all
    }

    fn ways_of_masks(&self, known: &Known<'_>, masks: &[Given]) -> Ways {
        let moves = self.moves_of(known.body, known.before, &|moves| !moves.is_empty());
        let given = masks.iter().filter_map(|given| match given {
            Given::Slot(at) => Some([*at, at + 4]),
            Given::Scalar(_) => None,
        });
        let slots = slots(&moves, given.flatten());
        let all_run = known.before.iter().filter(|(_, state)| state.masks.is_entry(&self.cells));
        Ways { moves, slots, all_run: all_run.map(|(n, _)| self.steps[*n].word).collect() }
    }

    /// What is known of a lane of a half before it is followed.
    fn half(&self, number: usize, changes: &BTreeMap<usize, Vec<Op>>, ways: &Ways, masks: &[Given]) -> Half {
        let mut ops = changes.clone();
        for (n, ops) in &mut ops {
            ops.extend(ways.changes(&self.steps[*n], number as u16));
        }
        let exec = regs::code::EXEC_LO + number as u16;
        let came: Vec<(Cell, Bit)> = came(number, ways, masks).collect();
        let written = ops.values().flatten().map(Op::written);
        let cells: BTreeSet<Cell> = written.chain(came.iter().map(|(cell, _)| *cell)).collect();
        let cells = cells.into_iter().filter(|cell| *cell != exec).collect();
        let followed = Followed { cells, exec };
        let begin = Lane::running(&followed, came);
        Half { number, followed, ops, begin }
    }

    /// What a lane that waits has in front of each step.
    fn follow_lane(&self, half: &Half, ways: &Ways, known: &Known<'_>) -> BTreeMap<usize, Lane> {
        let Half { number, followed, ops, begin } = half;
        let way = |n: usize, mut lane: Lane| {
            let step = &self.steps[n];
            ops.get(&n).into_iter().flatten().for_each(|op| lane.apply(followed, op));
            if let Some(state) = known.before.get(&n).filter(|_| step.steer == Steer::Call) {
                let callee = self.callee(step);
                let bottom = self.bottom(callee, state);
                lane.forget(followed, |cell, runs| self.loses(callee, bottom, (cell, runs), ways));
            }
            let tested = code::tested(step).map(|cells| cells[*number]);
            self.ways(n, lane, |lane| tested.into_iter().for_each(|cell| lane.keep_zero(followed, cell)))
        };
        settled((known.start, begin.clone()), way, |lane, other, _| lane.join(other))
    }

    /// Whether a call may leave anything in a cell: in vector registers and slots lanes that sleep keep what they have.
    fn loses(&self, callee: &Contract, bottom: i32, (cell, runs): (Cell, bool), ways: &Ways) -> bool {
        if truths::is_of_lanes(cell) && !runs {
            return false;
        }
        let slot = truths::slot_of(cell).or(alike::slot_of(cell)).and_then(|n| ways.slots.get(n));
        let register = truths::register_of(cell).or(alike::register_of(cell));
        match (slot, register) {
            (Some(slot), _) => *slot >= bottom,
            (_, Some(register)) => !callee.kept.vgpr[usize::from(register)],
            _ => !self.is_kept(cell, callee, bottom),
        }
    }
}

/// The bits that are known of a lane of a half that waits where the function begins.
fn came<'a>(half: usize, ways: &'a Ways, masks: &'a [Given]) -> impl Iterator<Item = (Cell, Bit)> + 'a {
    let own = [(AT_ENTRY[half], Bit::Known(true)), (WANTED_AT_ENTRY[half], Bit::Known(false))];
    let bit = move |(mask, n): (&Given, u16)| Some((mask.cell(ways, half)?, Bit::Came(n, true)));
    let given = masks.iter().zip(0..).filter_map(bit);
    own.into_iter().chain(given)
}

impl Given {
    /// The cell of a half of it; `None` in a slot that is not followed, since there are too many.
    fn cell(self, ways: &Ways, half: usize) -> Option<Cell> {
        match self {
            Given::Scalar(first) => Some(first + half as u16),
            Given::Slot(at) => ways.slots.binary_search(&(at + 4 * half as i32)).ok().map(alike::of_slot),
        }
    }

    fn place(self) -> String {
        match self {
            Given::Scalar(first) => format!("s{first}"),
            Given::Slot(at) => format!("the mask {at} bytes from the stack pointer"),
        }
    }
}

impl Ways {
    /// What a step does to truth values and masks in vector registers and slots.
    fn changes(&self, step: &Step, half: u16) -> Vec<Op> {
        let all_run = self.all_run.contains(&step.word);
        let Some(moves) = self.moves.get(&step.word) else {
            let tested = truths::tested(step, half);
            return truths::written(step, half)
                .into_iter()
                .chain(alike::written(step, all_run))
                .chain(tested)
                .collect();
        };
        let slot = |one: &Move| self.slots.binary_search(&one.slot).ok();
        let truths = moves.iter().flat_map(|one| truths::moved(one, slot(one), half));
        truths.chain(moves.iter().filter_map(|one| alike::moved(one, slot(one), all_run))).collect()
    }
}
