//! When each instruction of one wave issues, what it waits for, and when its result is there.
//!
//! Instructions issue in order: one goes when its registers, the queues that it waits for and its units are
//! ready. The way is the longest through the program, with a number of rounds of every loop. What other waves,
//! caches and the front end do to it is left out; a target's figures say what they are worth.

mod short;
mod way;

use std::collections::{HashMap, VecDeque};

use crate::anatomy::{Anatomy, Instruction, Register};

pub use short::shortest;
pub use way::{Way, longest};

/// What an instruction waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Why {
    /// A register that is not written yet.
    Dependency,
    /// A unit that works on another instruction.
    Unit,
    /// A counter or flag that memory sets.
    Memory,
    /// A counter or flag that something else sets.
    Sync,
    /// A branch that was taken.
    Branch,
}

impl Why {
    /// All of them, in the order of tables.
    pub const ALL: [Why; 5] = [Why::Dependency, Why::Unit, Why::Memory, Why::Sync, Why::Branch];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Why::Dependency => "dependency",
            Why::Unit => "unit busy",
            Why::Memory => "memory",
            Why::Sync => "sync",
            Why::Branch => "branch",
        }
    }
}

/// A wait of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Why.
    pub why: Why,
    /// Cycles that nothing else accounts for.
    pub cycles: u64,
    /// The counter, flag or unit.
    pub what: &'static str,
    /// The event that it waits for, by number, where it is one.
    pub on: Option<usize>,
}

/// An instruction that is executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The instruction, by number.
    pub instruction: usize,
    /// When those before it have issued.
    pub arrives: u64,
    /// When it issues: [`Event::arrives`] and all its waits.
    pub issue: u64,
    /// When what it makes is there.
    pub done: u64,
    /// What it waits for, in the order in which that counts.
    pub waits: Vec<Wait>,
}

/// What bounds a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopBound {
    /// First and last instruction.
    pub span: (usize, usize),
    /// Cycles of the last round that was run; nothing where there was one.
    pub round: Option<u64>,
    /// The unit that works longest in it, and how long.
    pub unit: Option<(&'static str, u64)>,
}

/// A wave's way through a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Timeline {
    /// Instructions in the order of their issue.
    pub events: Vec<Event>,
    /// When everything has issued.
    pub cycles: u64,
    /// Whether the way comes to the program's end.
    pub is_whole: bool,
    /// Events that decide how long it takes, in their order.
    pub critical: Vec<usize>,
    /// Cycles that each unit works, longest first.
    pub busy: Vec<(&'static str, u64)>,
    /// Loops in the order of the program.
    pub loops: Vec<LoopBound>,
}

impl Timeline {
    /// Of the longest way, with so many rounds of each loop.
    #[must_use]
    pub fn of(anatomy: &Anatomy, rounds: u32) -> Timeline {
        let way = longest(anatomy, rounds);
        let mut clock = Clock::new(anatomy);
        for &n in &way.instructions {
            clock.issue(n);
        }
        let Clock { now, events, busy, .. } = clock;
        let mut busy: Vec<(&'static str, u64)> = busy.into_iter().collect();
        busy.sort_by_key(|(name, cycles)| (std::cmp::Reverse(*cycles), *name));
        let loops = anatomy.loops().into_iter().map(|span| bound(anatomy, &events, span)).collect();
        let critical = critical(&events);
        Timeline { events, cycles: now, is_whole: way.is_whole, critical, busy, loops }
    }

    /// Cycles waited, by reason, without those that are none.
    #[must_use]
    pub fn waited(&self) -> Vec<(Why, u64)> {
        let sum = |why: Why| {
            let waits = self.events.iter().flat_map(|event| &event.waits);
            waits.filter(|wait| wait.why == why).map(|wait| wait.cycles).sum()
        };
        let all = Why::ALL.into_iter().map(|why| (why, sum(why)));
        all.filter(|(_, cycles)| *cycles > 0).collect()
    }

    /// Cycles that a wave takes of the machine where so many run side by side: they fill each other's waits
    /// until a unit works all the time, or until there are no more of them.
    #[must_use]
    pub fn with_waves(&self, waves: u32) -> u64 {
        let busiest = self.busy.first().map_or(0, |(_, cycles)| *cycles);
        self.cycles.div_ceil(u64::from(waves.max(1))).max(busiest)
    }
}

/// When registers, units and queues are ready, and who made them wait.
struct Clock<'a> {
    anatomy: &'a Anatomy,
    now: u64,
    registers: HashMap<Register, (u64, usize)>,
    units: HashMap<&'static str, (u64, usize)>,
    queues: Vec<VecDeque<(u64, usize)>>,
    busy: HashMap<&'static str, u64>,
    events: Vec<Event>,
    /// The one before, and where it falls to.
    last: Option<usize>,
}

impl<'a> Clock<'a> {
    fn new(anatomy: &'a Anatomy) -> Clock<'a> {
        Clock {
            anatomy,
            now: 0,
            registers: HashMap::new(),
            units: HashMap::new(),
            queues: vec![VecDeque::new(); anatomy.queues.len()],
            busy: HashMap::new(),
            events: Vec::new(),
            last: None,
        }
    }

    fn issue(&mut self, n: usize) {
        let anatomy = self.anatomy;
        let Some(one) = anatomy.instructions.get(n) else { return };
        let (arrives, mut waits) = (self.now, Vec::new());
        self.branch(n, &mut waits);
        self.depend(one, &mut waits);
        self.queued(one, &mut waits);
        let event = self.events.len();
        let mut start = self.now;
        for pass in 0..one.passes.max(1) {
            start = self.unit(one, event, &mut waits, pass);
            self.now = start + u64::from(one.slots);
        }
        for &(queue, cycles) in &one.enters {
            self.queues[queue].push_back((self.now + u64::from(cycles), event));
        }
        let late = one.enters.iter().map(|(_, cycles)| *cycles).max();
        let ready = start + u64::from(one.result);
        // A quick result behind a slow one does not come before it.
        one.writes.iter().for_each(|to| {
            let at = self.registers.entry(*to).or_default();
            *at = (*at).max((ready, event));
        });
        let done = late.map_or(ready, |late| ready.max(self.now + u64::from(late))).max(self.now);
        let issue = arrives + waits.iter().map(|wait| wait.cycles).sum::<u64>();
        self.events.push(Event { instruction: n, arrives, issue, done, waits });
        self.last = Some(n);
    }

    /// What a branch before costs, if it was taken.
    fn branch(&mut self, n: usize, waits: &mut Vec<Wait>) {
        let Some(before) = self.last else { return };
        let taken = u64::from(self.anatomy.instructions[before].taken);
        if n == before + 1 || taken == 0 {
            return;
        }
        let on = self.events.len().checked_sub(1);
        waits.push(Wait { why: Why::Branch, cycles: taken, what: "taken branch", on });
        self.now += taken;
    }

    /// Waits for the last of the registers that are read.
    fn depend(&mut self, one: &Instruction, waits: &mut Vec<Wait>) {
        let latest = match one.drains {
            true => self.registers.values().max().copied(),
            false => one.reads.iter().filter_map(|from| self.registers.get(from)).max().copied(),
        };
        let Some((ready, on)) = latest.filter(|(ready, _)| *ready > self.now) else { return };
        waits.push(Wait { why: Why::Dependency, cycles: ready - self.now, what: "result", on: Some(on) });
        self.now = ready;
    }

    /// Waits until no more entries of queues are open than may be.
    fn queued(&mut self, one: &Instruction, waits: &mut Vec<Wait>) {
        let all = (0..self.queues.len()).map(|queue| (queue, 0));
        let wanted: Vec<(usize, u32)> = if one.drains { all.collect() } else { one.waits.clone() };
        for (queue, most) in wanted {
            let open = &mut self.queues[queue];
            let over = open.len().saturating_sub(most as usize);
            let done = open.drain(..over).max();
            let Some((ready, on)) = done.filter(|(ready, _)| *ready > self.now) else { continue };
            let known = self.anatomy.queues[queue];
            let why = if known.is_memory { Why::Memory } else { Why::Sync };
            waits.push(Wait { why, cycles: ready - self.now, what: known.name, on: Some(on) });
            self.now = ready;
        }
    }

    /// Waits for the units and takes them; when that is.
    fn unit(&mut self, one: &Instruction, event: usize, waits: &mut Vec<Wait>, pass: u32) -> u64 {
        let ready = one.units.iter().filter_map(|(name, _)| Some((self.units.get(name)?, *name)));
        let latest = ready.max_by_key(|((ready, _), _)| *ready).map(|(at, name)| (*at, name));
        let mut start = self.now;
        if let Some(((ready, on), what)) = latest.filter(|((ready, _), _)| *ready > self.now) {
            start = ready;
            // Its own first half is no one to wait for.
            if pass == 0 {
                waits.push(Wait { why: Why::Unit, cycles: ready - self.now, what, on: Some(on) });
            }
        }
        for (name, cycles) in &one.units {
            self.units.insert(name, (start + u64::from(*cycles), event));
            *self.busy.entry(name).or_default() += u64::from(*cycles);
        }
        start
    }
}

/// From the end to who was waited for, or to the one before.
fn critical(events: &[Event]) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut at = events.len().checked_sub(1);
    while let Some(n) = at {
        chain.push(n);
        let longest = events[n].waits.iter().filter(|wait| wait.cycles > 0).max_by_key(|wait| wait.cycles);
        at = longest.and_then(|wait| wait.on).filter(|on| *on < n).or(n.checked_sub(1));
    }
    chain.reverse();
    chain
}

/// The round of a loop, and the unit that works longest in one.
fn bound(anatomy: &Anatomy, events: &[Event], span: (usize, usize)) -> LoopBound {
    let heads = events.iter().filter(|event| event.instruction == span.0);
    let starts: Vec<u64> = heads.map(|event| event.issue).collect();
    let round = match starts[..] {
        [.., before, last] => last.checked_sub(before),
        _ => None,
    };
    let mut busy: Vec<(&'static str, u64)> = Vec::new();
    for one in &anatomy.instructions[span.0..=span.1] {
        for (name, cycles) in &one.units {
            let cycles = u64::from(cycles * one.passes.max(1));
            match busy.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += cycles,
                None => busy.push((name, cycles)),
            }
        }
    }
    let unit = busy.into_iter().max_by_key(|(_, cycles)| *cycles);
    LoopBound { span, round, unit }
}
