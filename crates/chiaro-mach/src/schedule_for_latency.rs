//! List scheduling for latency: orders each block so that few stalls remain.
//!
//! Before: any code, as a rule after allocation and lowering of copies.
//! After: the same instructions in every block, in an order that keeps all dependences.
//!
//! List scheduling from the top: of what can issue at once, what has the longest way to the
//! end of the block goes first, but for what is of one group with the instruction before; if nothing can, what can soonest. What only a flag or counter
//! holds back goes before what slots hold back: in those slots, nothing else of the whole
//! machine issues. A reader whose window is about to close goes before everything. Windows are met as well as this allows; a machine
//! without interlocks checks them again when it makes words.

use chiaro_isa::Wait;

use crate::code::{Block, Code};
use crate::deps::{Deps, Tracks, deps};
use crate::file::RegFile;
use crate::timing::Timing;

/// Instructions that are looked at for one slot, the earliest first: keeps time linear.
const LOOK: usize = 64;

/// Schedules every block.
pub fn schedule_for_latency(code: &mut Code, files: &[RegFile], timing: &dyn Timing) {
    let mut tracks = Tracks::new(code, files, Some(timing));
    for block in code.blocks() {
        let deps = tracks.deps(code, block);
        let order = order(code, &deps, timing);
        let insts = order.into_iter().map(|n| deps.insts[n]);
        let block = code.block_mut(block);
        block.insts.splice(deps.first..deps.first + deps.insts.len(), insts);
    }
}

/// Slots from the issue of a block's first instruction to that of its last in the order that
/// it has: waiting, without waits for flags and counters of other blocks.
pub fn block_slots(code: &Code, files: &[RegFile], block: Block, timing: &dyn Timing) -> u32 {
    let deps = deps(code, files, block, Some(timing));
    let mut state = State::new(&deps);
    for n in 0..deps.insts.len() {
        state.issue(&deps, n, u32::from(timing.slots(code, deps.insts[n])));
    }
    state.clock
}

/// A schedule that is being made: two lines of time, one in which every wait counts and one in which slots do.
pub(crate) struct State {
    clock: u32,
    slot_clock: u32,
    points: Vec<Point>,
}

/// What is known of when an instruction can issue.
#[derive(Clone, Copy)]
struct Point {
    /// The first moment on each line.
    ready: u32,
    slot_ready: u32,
    /// The last slot in which it can issue.
    deadline: u32,
    /// How many instructions it still has to follow.
    waits: u32,
}

impl State {
    pub(crate) fn new(deps: &Deps) -> State {
        let point = |&waits: &u32| Point { ready: 0, slot_ready: 0, deadline: u32::MAX, waits };
        State { clock: 0, slot_clock: 0, points: deps.waits.iter().map(point).collect() }
    }

    /// Issues an instruction, and updates those that wait for it.
    pub(crate) fn issue(&mut self, deps: &Deps, n: usize, slots: u32) {
        let at = self.clock.max(self.points[n].ready);
        let slot_at = self.slot_clock.max(self.points[n].slot_ready);
        (self.clock, self.slot_clock) = (at + slots, slot_at + slots);
        for edge in deps.edges(n) {
            let point = &mut self.points[edge.to as usize];
            point.waits = point.waits.saturating_sub(1);
            let wait = match edge.wait {
                None => Some(0),
                Some(Wait::Window(first, last)) => {
                    point.deadline = point.deadline.min(at + u32::from(last));
                    Some(u32::from(first))
                }
                Some(Wait::Slots(wait)) => Some(slots + u32::from(wait)),
                Some(wait) => {
                    point.ready = point.ready.max(at + slots + u32::from(wait.estimate()));
                    None
                }
            };
            point.ready = point.ready.max(at + wait.unwrap_or(0));
            point.slot_ready = point.slot_ready.max(slot_at + wait.unwrap_or(0));
        }
    }

    /// Whether an instruction has nothing to follow any more.
    pub(crate) fn is_free(&self, n: usize) -> bool {
        self.points[n].waits == 0
    }

    /// Slots that nothing would issue in if this one came next, and how long it would wait in all.
    pub(crate) fn late(&self, n: usize) -> (u32, u32) {
        let Point { ready, slot_ready, .. } = self.points[n];
        (slot_ready.saturating_sub(self.slot_clock), ready.saturating_sub(self.clock))
    }

    /// Whether this one has to come next.
    fn is_urgent(&self, n: usize) -> bool {
        let Point { ready, deadline, .. } = self.points[n];
        ready <= self.clock && deadline <= self.clock + 1
    }
}

fn order(code: &Code, deps: &Deps, timing: &dyn Timing) -> Vec<usize> {
    let slots: Vec<u16> = deps.insts.iter().map(|&inst| timing.slots(code, inst)).collect();
    let heights = deps.heights(|n| slots[n]);
    let mut groups = Groups::new(deps.insts.iter().map(|&inst| timing.group(code, inst)));
    let mut state = State::new(deps);
    let mut open: Vec<usize> = (0..deps.insts.len()).filter(|&n| deps.waits[n] == 0).collect();
    let mut order = Vec::with_capacity(deps.insts.len());
    while let Some(at) = choose(&open, &state, (&heights, &groups)) {
        let n = open.remove(at);
        state.issue(deps, n, slots[n].into());
        groups.issue(n);
        order.push(n);
        for edge in deps.edges(n) {
            let to = edge.to as usize;
            if state.is_free(to) {
                let place = open.partition_point(|&other| other < to);
                open.insert(place, to);
            }
        }
    }
    order
}

/// The place, in the list of what waits for nothing, of what issues next.
fn choose(open: &[usize], state: &State, (heights, groups): (&[u32], &Groups)) -> Option<usize> {
    let key =
        |n: usize| (!state.is_urgent(n), state.late(n), !groups.joins(n), std::cmp::Reverse(heights[n]), n);
    (0..open.len().min(LOOK)).min_by_key(|&at| key(open[at]))
}

/// What is best issued side by side.
pub(crate) struct Groups {
    /// By instruction; 0 is that of none.
    all: Vec<u64>,
    /// The group of the instruction before.
    last: u64,
}

impl Groups {
    pub(crate) fn new(groups: impl Iterator<Item = Option<u64>>) -> Groups {
        Groups { all: groups.map(|group| group.map_or(0, |group| group + 1)).collect(), last: 0 }
    }

    pub(crate) fn issue(&mut self, n: usize) {
        self.last = self.all[n];
    }

    /// Whether an instruction is of one group with that before.
    pub(crate) fn joins(&self, n: usize) -> bool {
        self.last != 0 && self.all[n] == self.last
    }
}
