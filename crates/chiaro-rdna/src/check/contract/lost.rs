//! Vector registers whose value may be lost in some of the lanes: looked at closely, for few of them at a time.
//!
//! Of registers that are watched, the lanes whose value is lost are a mask like those that EXEC is made from ([`masks`]).
//! Calls lose the lanes that run, who writes finds them again. So it is known exactly whether a lane reads what a call has
//! left, and whether lanes hand over to a callee, or back to the caller, what nobody has written:
//!
//! ```text
//! s_call_b64 s[0:1], f            v3 is lost in the lanes that run
//! s_and_saveexec_b32 s4, vcc_lo
//! v_mov_b32 v3, 1                 found again where vcc_lo is 1
//! s_mov_b32 exec_lo, s4
//! v_add_f32 v5, v3, v3            reads it where vcc_lo is 0
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::code::{self, Move, got};
use super::masks::{Beforehand, Cells, MOST_ALONE, MOST_WATCHED, Masks, Touched};
use super::state::State;
use super::{Checker, Contract, Role, Sink, settled, unproved};
use crate::check::Found;
use crate::check::step::{Step, name};
use crate::check::tables::Steer;
use crate::regs::file;

/// What is asked of registers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Whether an instruction reads what a call has left.
    Read,
    /// Whether a call or an end hands over what nobody has written.
    Given,
}

/// What is known without looking at registers closely.
pub(super) struct Known<'a> {
    pub(super) start: usize,
    pub(super) body: &'a [usize],
    /// In front of each step.
    pub(super) before: &'a BTreeMap<usize, State>,
    pub(super) beforehand: &'a Beforehand,
    /// Dwords of the frame that callees are given.
    pub(super) given: BTreeSet<i32>,
}

impl Checker<'_> {
    /// Everything that is read or handed over and may be lost; cells come from what is known beforehand.
    pub(super) fn losses(&mut self, known: &Known<'_>, cells: &dyn Fn(Beforehand) -> Cells) -> Vec<Found> {
        let mut all = Vec::new();
        for (question, registers) in
            [(Question::Read, self.in_doubt(known)), (Question::Given, self.handed_over(known.body))]
        {
            for watched in registers.chunks(MOST_WATCHED) {
                let (found, is_exact) = self.losses_of((question, watched, 0), known, cells);
                if found.is_empty() || is_exact {
                    all.extend(found);
                    continue;
                }
                for alone in watched.chunks(1) {
                    all.extend(closely(|most| self.losses_of((question, alone, most), known, cells)));
                }
            }
        }
        all
    }

    /// The same of some registers, with so many tuples of masks where more than ever are followed; and whether no mask was
    /// forgotten.
    fn losses_of(
        &mut self,
        (question, watched, most): (Question, &[u16], usize),
        known: &Known<'_>,
        cells: &dyn Fn(Beforehand) -> Cells,
    ) -> (Vec<Found>, bool) {
        let begins_lost = watched.iter().map(|n| question == Question::Given && !self.is_given(*n));
        self.cells = cells(Beforehand {
            watched: watched.to_vec(),
            begins_lost: begins_lost.collect(),
            touched: self.touched(known.body, watched),
            most,
            ..known.beforehand.clone()
        });
        let (masks, mut all) = (self.follow_masks(known), Vec::new());
        for (n, masks) in known.body.iter().filter_map(|n| Some((*n, masks.get(n)?))) {
            let sink = &mut Some(&mut all);
            match question {
                Question::Read => self.lost_reads((n, known), masks, watched, sink),
                Question::Given => self.lost_values(n, masks, watched, sink),
            }
        }
        (all, masks.values().all(Masks::is_exact))
    }

    /// Whether a register holds something where the function begins.
    fn is_given(&self, register: u16) -> bool {
        let passed = self.contract.passed.as_ref().filter(|_| self.role == Role::Function);
        // Who still wants a function that has served it would come to it for ever.
        let is_served = |[wanted, _]: [u16; 2]| (wanted..wanted + 2).contains(&register);
        let is_old = self.dispatch().is_some_and(is_served);
        !is_old && passed.is_none_or(|passed| passed.given.vgpr[usize::from(register)])
    }

    /// Vector registers that are read where a call may have left anything in some of the lanes.
    fn in_doubt(&self, known: &Known<'_>) -> Vec<u16> {
        let mut found = BTreeSet::new();
        for (n, state) in known.body.iter().filter_map(|n| Some((n, known.before.get(n)?))) {
            let reads = self.steps[*n].reads.iter().filter(|(in_file, _)| *in_file == file::VGPR);
            let lost = reads.map(|(_, register)| *register);
            let lost = lost.filter(|register| state.partly_lost(*register).is_some());
            found.extend(lost.filter(|_| self.is_used(&self.steps[*n], state, &known.given)));
        }
        found.into_iter().collect()
    }

    /// Vector registers that calls are given something in, or that the caller finds results in.
    fn handed_over(&self, body: &[usize]) -> Vec<u16> {
        let registers = (0..).zip(0..crate::regs::VGPRS).map(|(at, n): (usize, u16)| (n, at));
        let steps = body.iter().map(|n| &self.steps[*n]);
        let all: Vec<&[bool]> = steps.filter_map(|step| self.passes(step)).collect();
        registers.filter(|(_, at)| all.iter().any(|given| given[*at])).map(|(n, _)| n).collect()
    }

    /// Vector registers that hold something behind a step for somebody else: a callee, the caller.
    fn passes(&self, step: &Step) -> Option<&[bool]> {
        // A function in the place of this one is given what it takes.
        if let Some(callee) = self.entered(step) {
            return Some(&callee.passed.as_ref()?.given.vgpr);
        }
        let returns = step.steer == Steer::Leave && self.role == Role::Function;
        Some(&self.contract.passed.as_ref().filter(|_| returns)?.gives.vgpr)
    }

    /// By word: which of some registers calls lose, and which instructions write.
    fn touched(&self, body: &[usize], watched: &[u16]) -> Touched {
        let mut all = BTreeMap::new();
        for step in body.iter().map(|n| &self.steps[*n]).filter(|step| step.name != "v_writelane_b32") {
            let callee = (step.steer == Steer::Call).then(|| self.callee(step));
            let touched = |&register: &u16| match callee {
                Some(callee) => lost_in(callee, register),
                None => {
                    let is_whole = step.writes.contains(&(file::VGPR, register)) && !code::is_partial(step);
                    is_whole.then_some(false)
                }
            };
            let touched: Vec<(u16, bool)> =
                watched.iter().filter_map(|register| Some((*register, touched(register)?))).collect();
            if !touched.is_empty() {
                all.insert(step.word, touched);
            }
        }
        all
    }

    /// The masks in front of each step.
    pub(super) fn follow_masks(&self, known: &Known<'_>) -> BTreeMap<usize, Masks> {
        let ways = |n: usize, mut masks: Masks| {
            let (step, state) = (&self.steps[n], known.before.get(&n));
            match state.filter(|_| step.steer == Steer::Call) {
                Some(state) => {
                    let callee = self.callee(step);
                    self.pass_call(n, (callee, self.bottom(callee, state)), &mut masks);
                }
                None => masks.step(&self.cells, n),
            }
            self.ways(n, masks, |masks| masks.keep_zero(&self.cells, step))
        };
        settled((known.start, self.begin(known.start)), ways, |masks, other, _| masks.join(other))
    }

    /// Reads of what a call may have left.
    fn lost_reads(
        &self,
        (n, known): (usize, &Known<'_>),
        masks: &Masks,
        watched: &[u16],
        sink: &mut Sink<'_>,
    ) {
        let (step, state) = (&self.steps[n], &known.before[&n]);
        let holds = |(register, lane): (u16, u8)| state.vector(register).held(lane).is_some();
        if !self.is_used(step, state, &known.given)
            || got(step).is_some_and(|(_, register, lane)| holds((register, lane)))
        {
            return;
        }
        for (in_file, register) in step.reads.iter().filter(|(_, register)| watched.contains(register)) {
            let lost = state.partly_lost(*register).filter(|_| *in_file == file::VGPR);
            if let Some(word) = lost.filter(|_| masks.may_read_lost(&self.cells, *register)) {
                let (reader, register) = (step.name, name((*in_file, *register)));
                let message =
                    format!("{reader} reads {register}, in which the call at word {word} may leave anything");
                unproved(sink, step, message);
            }
        }
    }

    /// Registers that are handed over while lanes may have nothing in them.
    fn lost_values(&self, n: usize, masks: &Masks, watched: &[u16], sink: &mut Sink<'_>) {
        let step = &self.steps[n];
        let Some(given) = self.passes(step) else { return };
        for register in watched.iter().filter(|register| given[usize::from(**register)]) {
            if masks.may_read_lost(&self.cells, *register) {
                let what = if step.steer == Steer::Leave { "gives back" } else { "hands over" };
                let message =
                    format!("{} {what} v{register}, which nobody may have written in some lanes", step.name);
                unproved(sink, step, message);
            }
        }
    }

    /// Whether an instruction uses what it reads, or puts it where a callee will.
    fn is_used(&self, step: &Step, state: &State, given: &BTreeSet<i32>) -> bool {
        let hands_over = |one: &Move| !one.loads && given.contains(&one.slot);
        !self.only_moves(step) || self.moved_lanes(step, state).iter().any(hands_over)
    }

    /// Dwords of the frame that callees are given.
    pub(super) fn given_slots(&self, before: &BTreeMap<usize, State>) -> BTreeSet<i32> {
        let steps = before.iter().map(|(n, state)| (&self.steps[*n], state));
        let calls = steps.filter_map(|(step, state)| Some((self.entered(step)?, state)));
        calls.flat_map(|(callee, state)| self.argument_slots(callee, state)).collect()
    }

    /// Whether an instruction only puts a value elsewhere: to scratch or into a lane, where it is not used yet.
    pub(super) fn only_moves(&self, step: &Step) -> bool {
        code::access(step).is_some_and(|access| self.is_scratch(&access)) || step.name == "v_writelane_b32"
    }
}

/// What is found of something in doubt since masks were forgotten: alone it leaves room for more of those that say more of it,
/// and more are followed as long as that does not suffice. With so many tuples it is asked what is found, and whether no mask
/// was forgotten.
pub(super) fn closely(mut asked: impl FnMut(usize) -> (Vec<Found>, bool)) -> Vec<Found> {
    let mut last = Vec::new();
    for most in MOST_ALONE {
        let (found, is_exact) = asked(most);
        if found.is_empty() || is_exact {
            return found;
        }
        last = found;
    }
    last
}

/// Whether a call loses what a register holds, or leaves a result there; nothing where it keeps it.
fn lost_in(callee: &Contract, register: u16) -> Option<bool> {
    let n = usize::from(register);
    (!callee.kept.vgpr[n]).then(|| !callee.results.vgpr[n])
}
