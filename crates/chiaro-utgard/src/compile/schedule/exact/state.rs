//! How far a search has come: instructions from the block's end on that are filled.

use super::super::steps::{ADDERS, COMPLEX, MULTIPLIERS, PASS, SIGNS, UNITS};
use crate::isa::Add0;

use super::task::{MOST_TASKS, Set, Tasks};

/// Instructions that a block may have to be searched.
pub(super) const LONGEST: u32 = 64;

/// Slots of an instruction.
const SLOTS: u32 = 6;

/// Tasks that can be distinguished in a [`Key`] by when they become ready.
const MOST_LATER: usize = 12;

/// What is taken of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Taken {
    multipliers: u8,
    complex: u8,
    pass: u8,
    adders: u8,
    opcode: u8,
    /// Signs that a multiplier or an adder turns.
    signs: u8,
}

impl Taken {
    /// Takes some of a unit; `false` if that much is not free.
    pub(super) fn take(&mut self, unit: usize, count: u32) -> bool {
        let (used, most) = match unit {
            MULTIPLIERS => (&mut self.multipliers, 2),
            COMPLEX => (&mut self.complex, 1),
            PASS => (&mut self.pass, 1),
            SIGNS => (&mut self.signs, 4),
            _ => {
                let opcode = (unit - ADDERS) as u8;
                if self.adders > 0 && self.opcode != opcode {
                    return false;
                }
                self.opcode = opcode;
                (&mut self.adders, 2)
            }
        };
        *used += count as u8;
        *used <= most && self.signs <= self.free()
    }

    /// Multipliers and adders that may yet turn a sign.
    fn free(&self) -> u8 {
        let adds = self.adders == 0 || self.opcode == Add0::Add.opcode() as u8;
        2 - self.multipliers + if adds { 2 - self.adders } else { 0 }
    }
}

/// What a search knows when an instruction begins.
#[derive(Clone)]
pub(super) struct State {
    /// Instructions that are filled.
    pub(super) now: u32,
    pub(super) placed: Set,
    /// Scalars that wait for a move.
    pub(super) pending: Set,
    /// Moves of them so far.
    pub(super) moves: u32,
    /// This instruction and the three before it in the program.
    pub(super) taken: [Taken; 4],
    /// By task: the instruction of its last step.
    pub(super) at: [u8; MOST_TASKS],
}

/// What decides whether a state leads anywhere, but for the moves so far: of two equal ones
/// that with fewer moves leads at least as far.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    now: u32,
    placed: Set,
    pending: Set,
    taken: [Taken; 3],
    later: [u16; MOST_LATER],
}

impl State {
    pub(super) fn new() -> State {
        let taken = Default::default();
        State { now: 0, placed: 0, pending: 0, moves: 0, taken, at: [0; MOST_TASKS] }
    }

    pub(super) fn has(&self, task: usize) -> bool {
        self.placed >> task & 1 != 0
    }

    /// The first instruction that a task may stand in, as far as placed users say.
    fn release(&self, tasks: &Tasks, task: usize) -> u32 {
        let placed = tasks.all[task].links.iter().filter(|(user, _)| self.has(usize::from(*user)));
        let from = placed.map(|&(user, back)| u32::from(self.at[usize::from(user)]) + back);
        from.max().unwrap_or(0).max(tasks.all[task].tail)
    }

    /// Tasks that may stand in this instruction, the most urgent first.
    pub(super) fn ready(&self, tasks: &Tasks) -> Vec<usize> {
        let is_ready = |&i: &usize| {
            !self.has(i) && tasks.all[i].users & !self.placed == 0 && self.release(tasks, i) <= self.now
        };
        let mut ready: Vec<usize> = (0..tasks.all.len()).filter(is_ready).collect();
        ready.sort_by_key(|&i| std::cmp::Reverse(tasks.all[i].need));
        ready
    }

    /// Whether what is left may fit into instructions up to a length: no task is too late, no
    /// unit has too much to do, and port 2 has an instruction for each vec4.
    pub(super) fn may_end(&self, tasks: &Tasks, length: u32) -> bool {
        let left = length - self.now;
        self.moves + tasks.slots <= SLOTS * length
            && self.vectors_left(tasks) <= left
            && self.work_left(tasks, length).is_some_and(|work| work.fits(left))
    }

    /// vec4 that port 2 must still load.
    fn vectors_left(&self, tasks: &Tasks) -> u32 {
        let open = tasks.all.iter().enumerate().filter(|&(i, _)| !self.has(i));
        let wanted = open.fold(self.pending, |all, (_, task)| all | task.scalars);
        let memory = tasks.vectors.iter().filter(|&&v| v != tasks.constants && v & wanted != 0).count();
        memory as u32 + (wanted & tasks.constants).count_ones().div_ceil(4)
    }

    /// The work of open tasks by how early it must be done; `None` if a task is too late.
    fn work_left(&self, tasks: &Tasks, length: u32) -> Option<Work> {
        let mut work = Work::default();
        let mut from = [0u32; MOST_TASKS];
        for i in (0..tasks.all.len()).rev().filter(|&i| !self.has(i)) {
            let task = &tasks.all[i];
            let mut first = self.now.max(task.tail);
            for &(user, back) in &task.links {
                let user = usize::from(user);
                first = first.max(back + if self.has(user) { self.at[user].into() } else { from[user] });
            }
            if first + task.need > length {
                return None;
            }
            from[i] = first;
            for &(back, unit, count) in task.steps {
                work.0[(task.need - 1).saturating_sub(back) as usize & 63][unit] += count as u8;
            }
        }
        for (back, taken) in self.taken.iter().enumerate().take((length - self.now) as usize) {
            work.add(length - self.now - 1 - back as u32, *taken);
        }
        Some(work)
    }

    /// What distinguishes this state from others; `None` if nothing can.
    pub(super) fn key(&self, tasks: &Tasks) -> Option<Key> {
        let mut later = [0; MOST_LATER];
        let mut places = later.iter_mut();
        for i in (0..tasks.all.len()).filter(|&i| !self.has(i)) {
            let release = self.release(tasks, i);
            if release > self.now {
                *places.next()? = (i as u16 + 1) << 8 | (release - self.now) as u16;
            }
        }
        let taken = [self.taken[0], self.taken[1], self.taken[2]];
        Some(Key { now: self.now, placed: self.placed, pending: self.pending, taken, later })
    }

    /// The next instruction begins.
    pub(super) fn advance(&mut self) {
        self.now += 1;
        self.taken.rotate_left(1);
        self.taken[3] = Taken::default();
    }
}

/// Slots of each unit by the first instruction, from the block's start, that may hold them.
struct Work([[u8; UNITS]; LONGEST as usize]);

impl Default for Work {
    fn default() -> Work {
        Work([[0; UNITS]; LONGEST as usize])
    }
}

impl Work {
    /// What is taken of an instruction counts there.
    fn add(&mut self, at: u32, taken: Taken) {
        let row = &mut self.0[at as usize & 63];
        row[MULTIPLIERS] += taken.multipliers;
        row[COMPLEX] += taken.complex;
        row[PASS] += taken.pass;
    }

    /// Whether the last so many instructions hold all that cannot be done before them.
    fn fits(&self, left: u32) -> bool {
        let mut sums = [0u32; UNITS];
        for first in (0..left).rev() {
            for (sum, &count) in sums.iter_mut().zip(&self.0[first as usize]) {
                *sum += u32::from(count);
            }
            let room = left - first;
            let adders: u32 = sums[ADDERS..SIGNS].iter().map(|count| count.div_ceil(2)).sum();
            let most = sums[MULTIPLIERS].div_ceil(2).max(sums[COMPLEX]).max(sums[PASS]).max(adders);
            if most > room {
                return false;
            }
        }
        true
    }
}
