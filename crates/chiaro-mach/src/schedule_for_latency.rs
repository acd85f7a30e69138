//! List scheduling for latency: orders each block so that few stalls remain.
//!
//! Before: any code, as a rule after allocation and lowering of copies.
//! After: the same instructions in every block, in an order that keeps all dependences.
//!
//! List scheduling from the top: of what can issue at once, what has the longest way to the
//! end of the block goes first; if nothing can, what can soonest. What only a flag or counter
//! holds back goes before what slots hold back: in those slots, nothing else of the whole
//! machine issues. A reader whose window is about to close goes before everything. Windows are met as well as this allows; a machine
//! without interlocks checks them again when it makes words.

use chiaro_isa::Wait;

use crate::code::{Block, Code};
use crate::deps::{Deps, deps};
use crate::file::RegFile;
use crate::timing::Timing;

/// Instructions that are looked at for one slot, the earliest first: keeps time linear.
const LOOK: usize = 64;

/// Schedules every block.
pub fn schedule_for_latency(code: &mut Code, files: &[RegFile], timing: &dyn Timing) {
    for block in code.blocks() {
        let deps = deps(code, files, block, Some(timing));
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
    state.all.clock
}

/// A schedule that is being made.
pub(crate) struct State {
    /// As far as every wait counts, and as far as slots do.
    all: Line,
    slots: Line,
    /// The last slot in which each can issue.
    deadline: Vec<u32>,
    /// How many instructions each still has to follow.
    pub(crate) waits: Vec<u32>,
}

/// A line of time.
struct Line {
    clock: u32,
    /// When each instruction can issue, as far as is known.
    ready: Vec<u32>,
}

impl Line {
    fn new(count: usize) -> Line {
        Line { clock: 0, ready: vec![0; count] }
    }

    fn late(&self, n: usize) -> u32 {
        self.ready[n].saturating_sub(self.clock)
    }

    /// Issues an instruction; when that is.
    fn issue(&mut self, deps: &Deps, n: usize, slots: u32, counts: impl Fn(Wait) -> bool) -> u32 {
        let at = self.clock.max(self.ready[n]);
        self.clock = at + slots;
        for edge in deps.edges(n) {
            let earliest = match edge.wait.filter(|&wait| counts(wait)) {
                None => at,
                Some(Wait::Window(first, _)) => at + u32::from(first),
                Some(wait) => at + slots + u32::from(wait.estimate()),
            };
            let ready = &mut self.ready[edge.to as usize];
            *ready = earliest.max(*ready);
        }
        at
    }
}

impl State {
    pub(crate) fn new(deps: &Deps) -> State {
        let count = deps.insts.len();
        let [all, slots] = [Line::new(count), Line::new(count)];
        State { all, slots, deadline: vec![u32::MAX; count], waits: deps.waits.clone() }
    }

    /// Issues an instruction, and updates those that wait for it.
    pub(crate) fn issue(&mut self, deps: &Deps, n: usize, slots: u32) {
        let at = self.all.issue(deps, n, slots, |_| true);
        self.slots.issue(deps, n, slots, |wait| matches!(wait, Wait::Slots(_) | Wait::Window(..)));
        for edge in deps.edges(n) {
            let to = edge.to as usize;
            self.waits[to] = self.waits[to].saturating_sub(1);
            if let Some(Wait::Window(_, last)) = edge.wait {
                self.deadline[to] = self.deadline[to].min(at + u32::from(last));
            }
        }
    }

    /// Slots that nothing would issue in if this one came next, and how long it would wait in all.
    pub(crate) fn late(&self, n: usize) -> (u32, u32) {
        (self.slots.late(n), self.all.late(n))
    }

    /// Whether this one has to come next.
    fn is_urgent(&self, n: usize) -> bool {
        self.all.late(n) == 0 && self.deadline[n] <= self.all.clock + 1
    }
}

fn order(code: &Code, deps: &Deps, timing: &dyn Timing) -> Vec<usize> {
    let slots = |n: usize| timing.slots(code, deps.insts[n]);
    let heights = deps.heights(|inst| timing.slots(code, inst));
    let mut state = State::new(deps);
    let mut open: Vec<usize> = (0..deps.insts.len()).filter(|&n| deps.waits[n] == 0).collect();
    let mut order = Vec::with_capacity(deps.insts.len());
    while let Some(at) = choose(&open, &state, &heights) {
        let n = open.remove(at);
        state.issue(deps, n, u32::from(slots(n)));
        order.push(n);
        for edge in deps.edges(n) {
            let to = edge.to as usize;
            if state.waits[to] == 0 {
                let place = open.partition_point(|&other| other < to);
                open.insert(place, to);
            }
        }
    }
    order
}

/// The place, in the list of what waits for nothing, of what issues next.
fn choose(open: &[usize], state: &State, heights: &[u32]) -> Option<usize> {
    let key = |n: usize| (!state.is_urgent(n), state.late(n), std::cmp::Reverse(heights[n]), n);
    (0..open.len().min(LOOK)).min_by_key(|&at| key(open[at]))
}
