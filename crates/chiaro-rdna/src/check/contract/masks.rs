//! Masks of lanes, EXEC among them: how they hang together.
//!
//! Whatever is done to masks is done to each lane alone, so it is enough to know which bits one lane may have in all of
//! them at once: EXEC, what it was at entry, and every register that EXEC is saved in or made from. That is a set of
//! tuples of bits, exact under every operation on masks, and joined by union where ways meet; in waves of 64 one of the lower
//! lanes and one of the upper, which no operation on masks brings together. That a loop ends with the
//! lanes that it began with, and an if with those in front of it, comes out without a rule of its own.
//!
//! Masks that are put into lanes of a register go to the frame with it, and come back: so do their bits, where it is known
//! beforehand which slot is meant and that all lanes run.
//!
//! So does whether a lane reads what a call has left in a register: of registers that are watched, the lanes whose
//! value is lost are a mask, too.

use std::collections::{BTreeMap, BTreeSet};

use super::super::step::Step;
use super::code::{self, Cell, How, Op, Operand, Origin};
use super::value::Reach;
use crate::regs;

/// The mask of lanes at entry, by halves of 32.
const AT_ENTRY: [Cell; 2] = [500, 501];
/// With more tuples than these nobody knows what EXEC is.
const MOST: usize = 1 << 12;
/// Lanes of watched registers whose value is lost begin here, by halves.
const LOST: Cell = 20_000;
/// Lanes of slots of the frame begin here, 64 of each.
const SLOTS: Cell = 30_000;
/// Slots that masks are followed through.
const MOST_SLOTS: usize = 500;
/// Registers that are watched at once.
pub(super) const MOST_WATCHED: usize = 2;
/// Cells that are followed; the rest may hold anything.
const MOST_CELLS: usize = 60;

/// The cells of a function: which they are, and which matter behind each step.
#[derive(Debug)]
pub(super) struct Cells {
    all: Vec<Cell>,
    /// By step: bits of cells that a later step reads.
    live: Vec<u64>,
    halves: usize,
    /// Vector registers that are watched.
    watched: Vec<u16>,
    touched: Touched,
    moves: Moves,
    /// Slots of the frame that moves go through, by their bytes from the stack pointer at entry.
    slots: Vec<i32>,
}

/// What may be in the cells of one lane, of the lower 32 and of the upper ones: bit n is that of cell n. `None` where there
/// are too many tuples to tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Masks([Option<BTreeSet<u64>>; 2]);

/// By word: watched registers that it loses, or writes.
pub(super) type Touched = BTreeMap<u32, Vec<(u16, bool)>>;

/// A register that goes to a slot of the frame or comes from there, lane by lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    pub(super) register: u16,
    pub(super) slot: i32,
    pub(super) loads: bool,
    /// Whether all lanes run.
    pub(super) whole: bool,
}

/// By word: moves between registers and the frame.
pub(super) type Moves = BTreeMap<u32, Vec<Move>>;

/// What is known of a function before its masks are followed.
#[derive(Clone, Default)]
pub(super) struct Beforehand {
    pub(super) watched: Vec<u16>,
    pub(super) touched: Touched,
    pub(super) moves: Moves,
}

/// A bit that is known, or not.
type Bit = Option<bool>;

impl Cells {
    /// The cells of a function's steps, and their liveness.
    pub(super) fn of(
        steps: &[Step],
        body: &[usize],
        next: &dyn Fn(usize) -> Vec<usize>,
        (wave, known): (u8, Beforehand),
    ) -> Cells {
        let halves = usize::from(wave / 32);
        let Beforehand { watched, touched, moves } = known;
        let mut all: Vec<Cell> = (0..halves as u16).map(|half| regs::code::EXEC_LO + half).collect();
        all.extend(&AT_ENTRY[..halves]);
        all.extend((0..(watched.len() * halves) as u16).map(|n| LOST + n));
        let mut slots: Vec<i32> = moves.values().flatten().map(|one| one.slot).collect();
        slots.sort_unstable();
        slots.dedup();
        slots.truncate(MOST_SLOTS);
        let mut cells = Cells { all, live: vec![0; steps.len()], halves, watched, touched, moves, slots };
        let ops: Vec<Vec<Op>> = body.iter().map(|n| cells.ops(&steps[*n])).collect();
        loop {
            let before = cells.all.len();
            ops.iter().flatten().for_each(|op| cells.meet(op));
            if cells.all.len() == before {
                break;
            }
        }
        cells.follow(steps, body, next);
        cells
    }

    /// What a step does to masks, wherever they are.
    fn ops(&self, step: &Step) -> Vec<Op> {
        let mut ops = code::masks(step);
        for one in self.moves.get(&step.word).into_iter().flatten() {
            let Some(n) = self.slots.iter().position(|slot| *slot == one.slot) else { continue };
            for lane in 0..64 {
                let (slot, held) = (SLOTS + n as u16 * 64 + lane, code::LANES + one.register * 64 + lane);
                ops.extend(match (one.loads, one.whole) {
                    (true, true) => Some(Op::Set(held, Origin::Copy(Operand::Cell(slot)))),
                    (false, true) => Some(Op::Set(slot, Origin::Copy(Operand::Cell(held)))),
                    (true, false) => None,
                    (false, false) => Some(Op::Set(slot, Origin::Copy(Operand::Anything))),
                });
            }
        }
        ops
    }

    /// Takes in the cells of a change, if one of them is followed.
    fn meet(&mut self, op: &Op) {
        let cells = op.cells();
        if op.is_exec() || cells.iter().any(|cell| self.all.contains(cell)) {
            for cell in cells {
                if !self.all.contains(&cell) && self.all.len() < MOST_CELLS {
                    self.all.push(cell);
                }
            }
        }
    }

    /// The slot of the frame that a cell is a lane of.
    pub(super) fn slot_of(&self, cell: Cell) -> Option<i32> {
        self.slots.get(usize::from(cell.checked_sub(SLOTS)? / 64)).copied()
    }

    fn bit(&self, cell: Cell) -> Option<u64> {
        self.all.iter().position(|known| *known == cell).map(|n| 1 << n)
    }

    /// The half of the lanes that a cell has bits of: pairs of registers begin with an even one.
    fn half(&self, cell: Cell) -> usize {
        if self.halves == 1 { 0 } else { usize::from(cell % 2) }
    }

    fn bits(&self, cells: Vec<Cell>) -> u64 {
        cells.into_iter().filter_map(|cell| self.bit(cell)).fold(0, |all, bit| all | bit)
    }

    /// How many cells always matter: EXEC, what it was, and what is watched.
    fn lasting(&self) -> usize {
        (2 + self.watched.len()) * self.halves
    }

    fn always(&self) -> u64 {
        (1 << self.lasting()) - 1
    }

    /// The lanes of a watched register whose value is lost, in a half.
    fn lost(&self, register: u16, half: usize) -> Option<Cell> {
        let n = self.watched.iter().position(|watched| *watched == register)?;
        Some(LOST + (n * self.halves + half) as u16)
    }

    /// What a step does to them: calls lose the lanes that run, who writes finds them again.
    fn losses(&self, step: &Step) -> Vec<Op> {
        let touched = self.touched.get(&step.word).map_or(&[][..], |touched| touched);
        let both = touched.iter().flat_map(|touched| (0..self.halves).map(move |half| (touched, half)));
        both.filter_map(|(&(register, is_lost), half)| {
            let cell = self.lost(register, half)?;
            let how = if is_lost { How::Or } else { How::AndNot };
            let exec = Operand::Cell(regs::code::EXEC_LO + half as u16);
            Some(Op::Set(cell, Origin::Of(how, Operand::Cell(cell), exec)))
        })
        .collect()
    }

    /// Which cells matter behind each step: those from which EXEC is made later, or that a branch tests.
    fn follow(&mut self, steps: &[Step], body: &[usize], next: &dyn Fn(usize) -> Vec<usize>) {
        let ops: BTreeMap<usize, Vec<Op>> = body.iter().map(|n| (*n, self.relevant(&steps[*n]))).collect();
        let mut changes = true;
        while changes {
            changes = false;
            for n in body.iter().rev() {
                let before =
                    |to: usize| ops.get(&to).map_or(0, |ops| self.before(&steps[to], ops, self.live[to]));
                let behind = next(*n).into_iter().fold(self.always(), |live, to| live | before(to));
                changes |= behind != self.live[*n];
                self.live[*n] = behind;
            }
        }
    }

    /// What a step does to the cells that are followed.
    fn relevant(&self, step: &Step) -> Vec<Op> {
        // Lanes that run while the step does: before it changes that.
        let mut ops = self.losses(step);
        ops.extend(self.ops(step));
        ops.retain(|op| op.cells().iter().any(|cell| self.bit(*cell).is_some()));
        ops
    }

    /// Cells that matter in front of a step: what is made of them matters behind it.
    fn before(&self, step: &Step, ops: &[Op], behind: u64) -> u64 {
        let mut live = behind;
        for op in ops.iter().rev() {
            let written = self.bits(op.written());
            if written & live != 0 {
                live = live & !written | self.bits(op.read());
            }
        }
        live | code::tested(step).map_or(0, |cells| self.bits(cells)) | self.always()
    }

    /// Where the function begins: EXEC is what it is at entry.
    pub(super) fn begin(&self) -> Masks {
        let lanes = |half: usize| {
            let both = 1 << half | 1 << (self.halves + half);
            BTreeSet::from([0, both])
        };
        Masks([0, 1].map(|half| (half < self.halves).then(|| lanes(half)).or_else(|| Some(BTreeSet::new()))))
    }
}

impl Masks {
    pub(super) fn join(&self, other: &Masks) -> Masks {
        Masks([0, 1].map(|half| {
            let both = self.0[half].as_ref().zip(other.0[half].as_ref());
            both.map(|(a, b)| a.union(b).copied().collect())
        }))
    }

    /// What a step does to masks; cells that do not matter behind it are forgotten.
    pub(super) fn step(&mut self, cells: &Cells, step: &Step, number: usize) {
        let ops = cells.relevant(step);
        for (n, op) in ops.iter().enumerate() {
            // A result that nobody reads is not worth knowing.
            let live =
                ops[n + 1..].iter().fold(cells.live[number], |live, later| live | cells.bits(later.read()));
            if cells.bits(op.written()) & live != 0 {
                self.apply(cells, op);
            }
        }
        self.settle(cells, number);
    }

    /// Registers that a call leaves anything in.
    pub(super) fn forget(&mut self, cells: &Cells, is_kept: &dyn Fn(Cell) -> bool, number: usize) {
        for cell in cells.all.iter().skip(cells.lasting()) {
            if !is_kept(*cell) && cells.bits(vec![*cell]) & cells.live[number] != 0 {
                self.assign(cells, *cell, |_| None);
            }
        }
        self.settle(cells, number);
    }

    fn settle(&mut self, cells: &Cells, number: usize) {
        for tuples in self.0.iter_mut().flatten() {
            *tuples = tuples.iter().map(|tuple| tuple & cells.live[number]).collect();
        }
    }

    fn assign(&mut self, cells: &Cells, cell: Cell, value: impl Fn(u64) -> Bit) {
        let own = &mut self.0[cells.half(cell)];
        let (Some(bit), Some(tuples)) = (cells.bit(cell), &*own) else { return };
        let set = |tuple: &u64| match value(*tuple) {
            Some(true) => [tuple | bit; 2],
            Some(false) => [tuple & !bit; 2],
            None => [tuple & !bit, tuple | bit],
        };
        *own = Some(tuples.iter().flat_map(set).collect()).filter(|all: &BTreeSet<u64>| all.len() <= MOST);
    }

    fn apply(&mut self, cells: &Cells, op: &Op) {
        let Op::Set(cell, origin) = *op;
        let half = cells.half(cell);
        let read = |operand: Operand, tuple: u64| -> Bit {
            match operand {
                // What comes from other lanes may be anything.
                Operand::Cell(cell) if cells.half(cell) != half => None,
                Operand::Cell(cell) => cells.bit(cell).map(|bit| tuple & bit != 0),
                Operand::None => Some(false),
                Operand::All => Some(true),
                Operand::Anything => None,
            }
        };
        self.assign(cells, cell, |tuple| match origin {
            Origin::Copy(a) => read(a, tuple),
            Origin::Not(a) => read(a, tuple).map(|a| !a),
            Origin::Of(how, a, b) => how.of(read(a, tuple), read(b, tuple)),
        });
    }

    /// Only tuples without a bit in some cells go a way: a branch was taken since a mask is zero.
    pub(super) fn keep_zero(&mut self, cells: &Cells, zero: &[Cell]) {
        let bits = cells.bits(zero.to_vec());
        for tuples in self.0.iter_mut().flatten() {
            tuples.retain(|tuple| tuple & bits == 0);
        }
    }

    /// Whether a lane may run whose value of a register is lost.
    pub(super) fn may_read_lost(&self, cells: &Cells, register: u16) -> bool {
        self.halves(cells).any(|(half, tuples)| {
            let lost = cells.lost(register, half).and_then(|cell| cells.bit(cell));
            let (Some(lost), Some(tuples)) = (lost, tuples) else { return true };
            tuples.iter().any(|tuple| tuple >> half & 1 == 1 && tuple & lost != 0)
        })
    }

    fn halves(&self, cells: &Cells) -> impl Iterator<Item = (usize, Option<&BTreeSet<u64>>)> {
        (0..cells.halves).map(|half| (half, self.0[half].as_ref()))
    }

    /// Which lanes of each kind run.
    pub(super) fn reach(&self, cells: &Cells) -> [Reach; 2] {
        let mut found = [[false; 2]; 2];
        for (half, tuples) in self.halves(cells) {
            let Some(tuples) = tuples else { return [Reach::Some; 2] };
            for tuple in tuples {
                let runs = tuple >> half & 1;
                let ran = tuple >> (cells.halves + half) & 1;
                found[ran as usize][runs as usize] = true;
            }
        }
        found.map(|[sleeps, runs]| match (sleeps, runs) {
            (_, false) => Reach::None,
            (false, true) => Reach::All,
            (true, true) => Reach::Some,
        })
    }

    /// Whether the lanes are those of the entry.
    pub(super) fn is_entry(&self, cells: &Cells) -> bool {
        let is_same = |half: usize, tuple: &u64| tuple >> half & 1 == tuple >> (cells.halves + half) & 1;
        self.halves(cells)
            .all(|(half, tuples)| tuples.is_some_and(|all| all.iter().all(|tuple| is_same(half, tuple))))
    }
}
