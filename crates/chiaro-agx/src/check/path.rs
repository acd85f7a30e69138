//! Rules on what came before an instruction, on every way to it.

use chiaro_isa::finding::{Finding, Rule};

use super::flow::{self, Fact};
use super::rules::{
    BARRIER, COUNTER, FENCE, HELD, LEFT, NESTING, ORDER, OUTSTANDING, SHUFFLE, STACK, TESTED, UNTESTED,
    VARYINGS, WAIT, at,
};
use super::step::{Event, Nest, Steer, Step};
use super::{Config, Stage};
use crate::regs::halves::{Halves, name};

/// Operations that may be on their way on a slot.
const MOST_OUTSTANDING: u8 = 8;
/// Fences before a test, a load from the tilebuffer, a store to it (spec 10.2).
const TEST_FENCE: u16 = 0x1;
const LOAD_FENCE: u16 = 0x8;
const STORE_FENCE: u16 = 0xc;

/// A number that ways agree on or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Agreed<T> {
    On(T),
    Not,
}

impl<T: Copy + PartialEq> Agreed<T> {
    fn meet(self, other: Agreed<T>) -> Agreed<T> {
        if self == other { self } else { Agreed::Not }
    }
}

/// Whether something has been done: on no way, on some, on all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Done {
    some: bool,
    all: bool,
}

impl Done {
    const NOT: Done = Done { some: false, all: false };
    const YES: Done = Done { some: true, all: true };

    fn meet(self, other: Done) -> Done {
        Done { some: self.some | other.some, all: self.all & other.all }
    }
}

/// What is known before an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    /// Halves that results are on their way to, by slot.
    on_way: [Halves; 2],
    /// Halves that stores on their way may still read, by slot; `None` where they read at once.
    held: Option<[Halves; 2]>,
    /// Operations on their way, by slot, on the way that has the most.
    issued: [u8; 2],
    /// Whether r0l counts levels: it has been 0, and nothing but levels has been written to it since.
    counter: bool,
    /// Levels of nesting.
    depth: Agreed<u16>,
    /// Fences that have been waited for.
    fences: u16,
    killed: Done,
    tested: Done,
    /// Samples, as far as they are known by number, that may have been tested, and stored.
    samples_tested: u8,
    samples_stored: u8,
    /// Samples of which nobody has decided on some way; those that a register names are decided.
    samples_open: u8,
    ended: Done,
    /// Words of the stack that are taken.
    stack: Agreed<i32>,
    index: Index,
}

/// What indices of shuffles may be found in lanes that do not run.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Index {
    /// Whether all lanes run.
    all_run: bool,
    /// Halves that are 0 in lanes that do not run.
    zero: Halves,
    /// Those of them that are something else in lanes that do.
    held: Halves,
}

impl Index {
    /// Behind a step: where lanes part or meet, others sleep than before.
    fn after(&mut self, step: &Step, depth: Agreed<u16>) {
        let is_all = self.all_run && depth == Agreed::On(0);
        if let Event::Nest(nest) = step.event {
            self.zero = self.zero.without(&self.held);
            self.held = Halves::default();
            self.all_run = depth == Agreed::On(0) && matches!(nest, Nest::Pop(1..));
        }
        let written = &step.writes;
        match step.event {
            Event::Number(0) => {
                self.zero = if is_all { self.zero.with(written) } else { self.zero };
                self.held = self.held.without(written);
            }
            _ => self.held = self.held.with(&written.common(&self.zero)),
        }
    }
}

impl Fact for State {
    fn meet(&self, other: &State) -> State {
        let pair = |n: usize| self.on_way[n].with(&other.on_way[n]);
        State {
            on_way: [pair(0), pair(1)],
            held: self.held.zip(other.held).map(|(a, b)| [a[0].with(&b[0]), a[1].with(&b[1])]),
            issued: [0, 1].map(|n: usize| self.issued[n].max(other.issued[n])),
            counter: self.counter && other.counter,
            depth: self.depth.meet(other.depth),
            fences: self.fences & other.fences,
            killed: self.killed.meet(other.killed),
            tested: self.tested.meet(other.tested),
            samples_tested: self.samples_tested | other.samples_tested,
            samples_stored: self.samples_stored | other.samples_stored,
            samples_open: self.samples_open | other.samples_open,
            ended: self.ended.meet(other.ended),
            stack: self.stack.meet(other.stack),
            index: Index {
                all_run: self.index.all_run && other.index.all_run,
                zero: self.index.zero.common(&other.index.zero),
                held: self.index.held.with(&other.index.held),
            },
        }
    }
}

/// What is known before each step; `None` where nothing leads.
pub(super) fn states(steps: &[Step], config: &Config) -> Vec<Option<State>> {
    let start = State {
        on_way: [Halves::default(); 2],
        held: config.holds_sources.then(Default::default),
        issued: [0; 2],
        counter: config.sample_shading,
        depth: Agreed::On(0),
        fences: 0,
        killed: Done::NOT,
        tested: Done::NOT,
        samples_tested: 0,
        samples_stored: 0,
        samples_open: u8::MAX,
        ended: Done::NOT,
        stack: Agreed::On(0),
        index: Index { all_run: true, zero: Halves::default(), held: Halves::default() },
    };
    flow::solve(steps, start, after)
}

/// What is known behind a step.
fn after(before: &State, step: &Step) -> State {
    let mut state = before.clone();
    if step.writes.has(0) {
        state.counter = match step.event {
            Event::Number(0) => true,
            // Levels to leave: all lanes that run have 0.
            Event::Nest(_) | Event::Number(_) => state.counter,
            _ => state.counter && state.depth != Agreed::On(0),
        };
    }
    match step.event {
        Event::Nest(Nest::If(n)) => state.depth = moved(state.depth, i32::from(n)),
        // A loop that stands in nothing pops levels that nobody pushed: lanes that left it have them.
        Event::Nest(Nest::Pop(n)) => state.depth = moved(state.depth, -i32::from(n)),
        Event::Issue(slot) | Event::Stack(slot) => {
            let slot = usize::from(slot & 1);
            state.on_way[slot] = state.on_way[slot].with(&step.writes);
            if let Some(held) = state.held.as_mut().filter(|_| step.is_store()) {
                held[slot] = held[slot].with(&step.reads);
            }
            state.issued[slot] = state.issued[slot].saturating_add(1).min(MOST_OUTSTANDING);
        }
        Event::Wait(slot) => {
            let slot = usize::from(slot & 1);
            (state.on_way[slot], state.issued[slot]) = (Halves::default(), 0);
            state.held.iter_mut().for_each(|held| held[slot] = Halves::default());
        }
        Event::Fence(mask) => state.fences |= mask,
        Event::Samples { kills, tests, known } => {
            state.killed = if kills { Done::YES } else { state.killed };
            state.tested = if tests { Done::YES } else { state.tested };
            state.samples_tested |= if tests { known } else { 0 };
            state.samples_open &= if known == 0 { 0 } else { !known };
        }
        Event::StoreTile(known) => state.samples_stored |= known,
        Event::Varying(true) => state.ended = Done::YES,
        Event::Adjust(words) => {
            state.stack = match (state.stack, words) {
                (Agreed::On(taken), Some(words)) => Agreed::On(taken.saturating_add(words)),
                _ => Agreed::Not,
            };
        }
        _ => {}
    }
    state.index.after(step, state.depth);
    state
}

fn moved(depth: Agreed<u16>, by: i32) -> Agreed<u16> {
    match depth {
        Agreed::On(n) => Agreed::On((i32::from(n) + by).clamp(0, u16::MAX.into()) as u16),
        Agreed::Not => Agreed::Not,
    }
}

/// What is wrong at the steps that are reached.
pub(super) fn check(steps: &[Step], states: &[Option<State>], config: &Config) -> Vec<Finding> {
    let mut found = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        let Some(state) = &states[n] else { continue };
        if step.inst.is_none() {
            continue;
        }
        found.extend(early(state, step));
        found.extend(overwritten(state, step));
        found.extend(index(state, step));
        found.extend(event(state, step, config));
        let falls = n + 1 == steps.len() && step.steer != Steer::Trap;
        if step.steer == Steer::Stop {
            found.extend(ends(state, step, config));
        } else if falls {
            found.extend(ends(&after(state, step), step, config));
        }
    }
    found
}

/// Whether a step touches what is on its way.
fn early(state: &State, step: &Step) -> Option<Finding> {
    let touched = step.reads.with(&step.writes);
    let slot = (0..2).find(|slot| state.on_way[*slot].meets(&touched))?;
    let half = state.on_way[slot].common(&touched).iter().next()?;
    let message =
        format!("`{}` uses {} before its result has come; wait {slot} is missing", step.name, name(half));
    Some(at(&WAIT, step, message))
}

/// Whether a step writes what a store may still read.
fn overwritten(state: &State, step: &Step) -> Option<Finding> {
    let held = state.held?;
    let slot = (0..2).find(|slot| held[*slot].meets(&step.writes))?;
    let half = held[slot].common(&step.writes).iter().next()?;
    let message = format!(
        "`{}` writes {}, which a store may still read; wait {slot} is missing",
        step.name,
        name(half)
    );
    Some(at(&HELD, step, message))
}

fn event(state: &State, step: &Step, config: &Config) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut wrong = |rule: &'static Rule, message: String| found.push(at(rule, step, message));
    match step.event {
        Event::Nest(_) if !state.counter => {
            let message = format!(
                "`{}` changes r0l, which may not be 0: nobody has written that on some way, or something else since",
                step.name
            );
            wrong(&COUNTER, message);
        }
        Event::Nest(_) if state.depth == Agreed::Not => {
            wrong(&NESTING, "ways with different levels of nesting lead here".to_owned());
        }
        Event::Issue(slot) | Event::Stack(slot)
            if state.issued[usize::from(slot & 1)] >= MOST_OUTSTANDING =>
        {
            wrong(&OUTSTANDING, format!("{MOST_OUTSTANDING} operations are on their way on slot {slot}"));
        }
        Event::Barrier if state.issued != [0; 2] => {
            wrong(&BARRIER, format!("operations are on their way on both slots: {:?}", state.issued));
        }
        Event::Samples { tests, known, .. } => found.extend(samples(state, step, (tests, known), config)),
        Event::LoadTile if state.fences & LOAD_FENCE == 0 => {
            wrong(&FENCE, "the tilebuffer is read without wait_pix 8 before".to_owned());
        }
        Event::StoreTile(_) if state.fences & STORE_FENCE != STORE_FENCE => {
            let message =
                format!("the tilebuffer is written, and fences {:#x} are waited for, not 0xc", state.fences);
            wrong(&FENCE, message);
        }
        Event::Varying(_) if state.ended.some => {
            wrong(&VARYINGS, "an output follows the last one".to_owned());
        }
        Event::Stack(_) if !matches!(state.stack, Agreed::On(1..)) => {
            wrong(&STACK, "the stack is used, and no words of it are taken on all ways".to_owned());
        }
        _ => {}
    }
    found
}

/// What is wrong with samples that are killed or tested: those that are known by number.
fn samples(state: &State, step: &Step, (tests, known): (bool, u8), config: &Config) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut wrong = |rule: &'static Rule, message: String| found.push(at(rule, step, message));
    if tests && state.fences & TEST_FENCE == 0 && !config.piece.has_before() {
        wrong(&FENCE, "samples are tested without wait_pix 1 before".to_owned());
    }
    if state.samples_tested & known != 0 {
        wrong(&TESTED, format!("samples {:#x} have been tested before", state.samples_tested & known));
    }
    if known != 0 && config.sample_shading {
        let message = format!(
            "samples {known:#x} are decided by number in a part that runs for each sample: r1l says for which"
        );
        wrong(&TESTED, message);
    }
    if state.samples_stored & known != 0 {
        wrong(&ORDER, format!("samples {:#x} have been stored before", state.samples_stored & known));
    }
    found
}

/// Whether lanes that do not run may spoil the index of a shuffle.
fn index(state: &State, step: &Step) -> Option<Finding> {
    let Event::Shuffle(half) = step.event else { return None };
    let all_run = state.index.all_run && state.depth == Agreed::On(0);
    (!all_run && !state.index.zero.has(half)).then(|| {
        let message =
            format!("`{}` goes by {}, which lanes that do not run may not have as 0", step.name, name(half));
        at(&SHUFFLE, step, message)
    })
}

/// What must be true at an end: of a program at a stop, of a part where its code ends.
fn ends(state: &State, step: &Step, config: &Config) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut wrong = |rule: &'static Rule, message: String| found.push(at(rule, step, message));
    let open = config.piece.is_open() || config.sample_shading;
    if state.depth != Agreed::On(0) {
        wrong(&NESTING, "levels of nesting are left at the end".to_owned());
    }
    if open && state.issued != [0; 2] {
        wrong(&LEFT, "operations are on their way at the end of the part".to_owned());
    }
    if config.sample_shading && state.stack != Agreed::On(0) {
        wrong(&STACK, "words of the stack are not given back in a part that runs for each sample".to_owned());
    }
    if config.stage == Stage::Vertex && !open && !state.ended.all {
        wrong(&VARYINGS, "no output is marked as the last one on some way".to_owned());
    }
    if state.killed.some && !open && !config.piece.has_before() && !state.tested.all {
        wrong(&UNTESTED, "samples are killed, and those that are left are not tested on all ways".to_owned());
    }
    // Of a pixel with one sample there is the first alone.
    let decides = state.killed.some || state.tested.some;
    if decides && !open && !config.piece.has_before() && state.samples_open & 1 != 0 {
        wrong(&UNTESTED, "the first sample is neither killed nor tested on some way".to_owned());
    }
    found
}
