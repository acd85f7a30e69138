//! Masks of lanes, EXEC among them: how they hang together.
//!
//! Whatever is done to masks is done to each lane alone, so it is enough to know which bits one lane may have in all of
//! them at once: EXEC, what it was at entry, and every register that EXEC is saved in or made from. That is a set of
//! tuples of bits, exact under every operation on masks, and joined by union where ways meet; in waves of 64 one of the lower
//! lanes and one of the upper, which no operation on masks brings together. A register may hold bits of either half, as
//! moves go through it: each half follows those that its own masks are made from. That a loop ends with the lanes that it
//! began with, and an if with those in front of it, comes out without a rule of its own. Where tuples get too many, masks
//! are forgotten that say nothing of the others, such as truth values which live for long.
//!
//! Masks that are put into lanes of a register go to the frame with it, and come back: so do their bits, where it is known
//! beforehand which slot is meant and that all lanes run.
//!
//! So does whether a lane reads what a call has left in a register: of registers that are watched, the lanes whose
//! value is lost are a mask, too.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::step::Step;
use super::code::{self, Cell, How, Move, Op, Operand, Origin};
use super::narrow::{Next, Steps, narrow};
use super::truths::TRUTHS;
use super::value::{KINDS, RUNNING, Reach, SLEEPING, WAITING};
use crate::regs;

/// The mask of lanes at entry, by halves of 32.
pub(super) const AT_ENTRY: [Cell; 2] = [500, 501];
/// The mask of those that the function is for, by halves of 32.
pub(super) const WANTED_AT_ENTRY: [Cell; 2] = [504, 505];
/// Of more tuples than these some cells are forgotten.
const MOST: usize = 1 << 10;
/// The same for a register that is watched alone: the next one where the first does not suffice.
pub(super) const MOST_ALONE: [usize; 4] = [1 << 10, 1 << 11, 1 << 12, 1 << 13];
/// Tuples that are asked which cell is forgotten.
const SAMPLE: usize = 1 << 8;
/// Lanes of watched registers whose value is lost begin here, by halves.
const LOST: Cell = 20_000;
/// Lanes of slots of the frame begin here, 64 of each.
const SLOTS: Cell = 30_000;
/// Lanes that comparisons have found begin here, by halves.
const FOUND: Cell = 25_000;
/// Comparisons whose lanes are followed.
const MOST_FOUND: usize = 2_000;
/// Slots that masks are followed through.
const MOST_SLOTS: usize = 500;
/// Registers that are watched at once.
pub(super) const MOST_WATCHED: usize = 4;
/// Cells of a half that are followed; the rest may hold anything.
const MOST_CELLS: usize = Bits::BITS as usize;
/// Cells of a half among which those are looked for.
const MOST_LISTED: usize = 1 << 12;

/// A bit for each cell of a half.
type Bits = u128;
/// The bit of the lanes that run.
const RUNS: Bits = 1;
/// The bit of those that ran at entry.
const RAN: Bits = 2;
/// The bit of those of them that the function is for: all, unless it goes over what lanes want.
const WANTS: Bits = 4;
/// Cells that are always followed: those of these three bits.
const LASTING: usize = 3;

/// The cells of a function: which they are, and which matter behind each step.
#[derive(Debug)]
pub(super) struct Cells {
    /// By half: EXEC, what it was at entry, lanes of watched registers, and what EXEC is made from.
    all: [Vec<Cell>; 2],
    /// By step: what it does to cells that are followed.
    ops: BTreeMap<usize, Vec<Op>>,
    /// By step: bits of cells that a later step reads.
    live: Vec<[Bits; 2]>,
    halves: usize,
    /// Vector registers that are watched.
    watched: Vec<u16>,
    /// Whether nothing is in those where the function begins that it is not given.
    begins_lost: Vec<bool>,
    touched: Touched,
    moves: Moves,
    /// Calls by their words, and the comparisons that found what they go to.
    wanted: Wanted,
    /// Comparisons that find the lanes which the function is for, or the others.
    served: BTreeMap<u32, bool>,
    /// Slots of the frame that moves go through, by their bytes from the stack pointer at entry.
    slots: Vec<i32>,
    /// Of more tuples some cells are forgotten.
    most: usize,
}

/// What may be in the cells of one lane, of the lower 32 and of the upper ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Masks([Half; 2]);

/// The same of one half.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Half {
    /// Bit n is that of cell n; in rising order.
    tuples: Vec<Bits>,
    /// Cells that may hold anything, whatever the others do; their bits are 0.
    forgotten: Bits,
    /// Of more tuples some cells are forgotten.
    most: usize,
}

/// By word: watched registers that it loses, or writes.
pub(super) type Touched = BTreeMap<u32, Vec<(u16, bool)>>;

/// By the word of a call: that of the comparison that has found the lanes which want the function.
pub(super) type Wanted = BTreeMap<u32, u32>;

/// By word: moves between registers and the frame.
pub(super) type Moves = BTreeMap<u32, Vec<Move>>;

/// What is known of a function before its masks are followed.
#[derive(Clone, Default)]
pub(super) struct Beforehand {
    pub(super) watched: Vec<u16>,
    /// Whether the value of each is lost where the function begins.
    pub(super) begins_lost: Vec<bool>,
    pub(super) touched: Touched,
    pub(super) moves: Moves,
    pub(super) wanted: Wanted,
    /// Words of comparisons that find the lanes which the function is for, or those that it is not for.
    pub(super) served: BTreeMap<u32, bool>,
    /// Tuples that are followed where more than ever are.
    pub(super) most: usize,
}

/// A bit that is known, or not.
type Bit = Option<bool>;

impl Cells {
    /// The cells of a function's steps, and their liveness.
    pub(super) fn of(
        steps: &[Step],
        body: &[usize],
        next: Next<'_>,
        (wave, known): (u8, Beforehand),
    ) -> Cells {
        let halves = usize::from(wave / 32);
        let Beforehand { watched, begins_lost, touched, moves, wanted, served, most } = known;
        let most = most.max(MOST);
        let all = std::array::from_fn(|half| {
            let lost = (0..watched.len()).map(|n| LOST + (n * halves + half) as u16);
            let own = [regs::code::EXEC_LO + half as u16, AT_ENTRY[half], WANTED_AT_ENTRY[half]];
            own.into_iter().chain(lost).filter(|_| half < halves).collect()
        });
        let (slots, live, ops) = (slots(&moves, []), vec![[0; 2]; steps.len()], BTreeMap::new());
        let mut cells = Cells {
            all,
            ops,
            live,
            halves,
            watched,
            begins_lost,
            touched,
            moves,
            wanted,
            served,
            slots,
            most,
        };
        let mut ops = cells.changes_of(steps, body);
        for half in 0..halves {
            cells.list(half, steps, (body, &ops, next));
        }
        ops.values_mut().for_each(|ops| ops.retain(|op| cells.bits([op.written()]) != [0; 2]));
        cells.ops = ops;
        cells.follow(steps, body, next);
        cells
    }

    /// Takes in the cells of a half that are followed: what is asked for, and what that is made from, as far as it matters
    /// on some way where there is more than can be followed.
    fn list(
        &mut self,
        half: usize,
        steps: &[Step],
        (body, ops, next): (&[usize], &BTreeMap<usize, Vec<Op>>, Next<'_>),
    ) {
        let asked = body.iter().flat_map(|n| self.needed(&steps[*n])[half].clone());
        for cell in asked.collect::<Vec<Cell>>() {
            self.meet(half, cell);
        }
        self.close(half, ops.values().flatten());
        if self.all[half].len() > MOST_CELLS {
            let needed = |n: usize| self.needed(&steps[n])[half].clone();
            let mut matter =
                narrow(&self.all[half], self.lasting(), &Steps { body, ops, needed: &needed, next });
            matter.truncate(MOST_CELLS);
            self.all[half] = matter;
        }
    }

    /// What each step does to cells that anybody may ask for.
    pub(super) fn changes_of(&self, steps: &[Step], body: &[usize]) -> BTreeMap<usize, Vec<Op>> {
        let asked = Asked::of(body.iter().map(|n| &steps[*n]), &self.moves);
        let wanted = |n: &usize| {
            let mut ops = self.changes(&steps[*n], &|register| asked.of_register(register));
            ops.retain(|op| asked.has(op.written()));
            (*n, ops)
        };
        body.iter().map(wanted).collect()
    }

    /// What a step does to masks, wherever they are.
    fn changes(&self, step: &Step, asked: code::LanesAsked<'_>) -> Vec<Op> {
        // Lanes that run while the step does: before it changes that.
        let mut ops = self.losses(step);
        ops.extend(code::masks(step, asked));
        let masks = step.writes.iter().filter(|(in_file, _)| *in_file == regs::file::SGPR);
        if let Some(is_for) = self.served.get(&step.word) {
            let how = if *is_for { How::And } else { How::AndNot };
            ops.extend(masks.clone().zip(0u16..).take(self.halves).map(|((_, to), half)| {
                let wanted = Operand::Cell(WANTED_AT_ENTRY[usize::from(half)]);
                let exec = Operand::Cell(regs::code::EXEC_LO + half);
                Op::Set(*to, Origin::Of(how, exec, wanted))
            }));
        }
        for (cell, half) in self.found(step.word).zip(0..) {
            let to = masks.clone().nth(half);
            ops.extend(to.map(|(_, to)| Op::Set(cell, Origin::Copy(Operand::Cell(*to)))));
        }
        for one in self.moves.get(&step.word).into_iter().flatten() {
            let Some(n) = self.slots.iter().position(|slot| *slot == one.slot) else { continue };
            for lane in 0..64 {
                let slot = SLOTS + n as u16 * 64 + lane;
                let held = one.register.map(|register| code::LANES + register * 64 + lane);
                ops.extend(match (one.loads, held.filter(|_| one.whole)) {
                    (true, Some(held)) => Some(Op::Set(held, Origin::Copy(Operand::Cell(slot)))),
                    (false, Some(held)) => Some(Op::Set(slot, Origin::Copy(Operand::Cell(held)))),
                    (true, None) => None,
                    (false, None) => Some(Op::Set(slot, Origin::Copy(Operand::Anything))),
                });
            }
        }
        ops
    }

    /// Takes in all cells from which those of a half are made that are followed: first those that hold its lanes by their
    /// numbers, pairs of registers beginning with an even one; then those that moves go through.
    fn close<'a>(&mut self, half: usize, ops: impl Iterator<Item = &'a Op>) {
        let mut origins: HashMap<Cell, BTreeSet<Cell>> = HashMap::new();
        ops.for_each(|op| origins.entry(op.written()).or_default().extend(op.read()));
        let halves = self.halves;
        let is_own = |cell: Cell| usize::from(cell) % halves == half;
        for all in [false, true] {
            let mut open: Vec<Cell> = self.all[half].clone();
            while let Some(cell) = open.pop() {
                for &origin in origins.get(&cell).into_iter().flatten().filter(|cell| all || is_own(**cell)) {
                    open.extend(self.meet(half, origin).then_some(origin));
                }
            }
        }
    }

    /// Takes in a cell of a half; whether it is a new one.
    fn meet(&mut self, half: usize, cell: Cell) -> bool {
        let own = &mut self.all[half];
        let is_new = !own.contains(&cell) && own.len() < MOST_LISTED;
        own.extend(is_new.then_some(cell));
        is_new
    }

    /// The mask whose being zero a branch asks for, by halves.
    fn tested(&self, step: &Step) -> [Option<Cell>; 2] {
        let tested = code::tested(step);
        [0, 1].map(|half| tested.map(|cells| cells[half]).filter(|_| half < self.halves))
    }

    /// Masks that a step asks for, by halves: a branch whether they are zero, a call through a pointer which lanes hold that.
    fn needed(&self, step: &Step) -> [Vec<Cell>; 2] {
        let mut needed = self.tested(step).map(Vec::from_iter);
        if let Some(compared) = self.wanted.get(&step.word) {
            needed.iter_mut().zip(self.found(*compared)).for_each(|(needed, cell)| needed.push(cell));
        }
        needed
    }

    /// The lanes that the comparison at a word has found, by halves; none if no call asks for them.
    fn found(&self, word: u32) -> impl Iterator<Item = Cell> + use<> {
        let at = self.wanted.values().position(|compared| *compared == word);
        let at = at.filter(|at| *at < MOST_FOUND).map(|at| FOUND + (at * self.halves) as u16);
        let halves = self.halves as u16;
        at.into_iter().flat_map(move |first| first..first + halves)
    }

    /// Whether a cell is of lanes that a comparison has found.
    pub(super) fn is_found(&self, cell: Cell) -> bool {
        (FOUND..SLOTS).contains(&cell)
    }

    /// The slot of the frame that a cell is a lane of.
    pub(super) fn slot_of(&self, cell: Cell) -> Option<i32> {
        self.slots.get(usize::from(cell.checked_sub(SLOTS)? / 64)).copied()
    }

    /// The bit of a cell in tuples of a half, if it is followed there.
    fn bit(&self, half: usize, cell: Cell) -> Option<Bits> {
        self.all[half].iter().position(|known| *known == cell).map(|n| 1 << n)
    }

    /// Bits of cells in tuples of a half.
    fn bits_of(&self, half: usize, cells: impl IntoIterator<Item = Cell>) -> Bits {
        cells.into_iter().filter_map(|cell| self.bit(half, cell)).fold(0, |all, bit| all | bit)
    }

    /// Bits of cells, by half.
    fn bits(&self, cells: impl IntoIterator<Item = Cell> + Clone) -> [Bits; 2] {
        [0, 1].map(|half| self.bits_of(half, cells.clone()))
    }

    /// How many cells of a half always matter: EXEC, what it was, and what is watched.
    fn lasting(&self) -> usize {
        LASTING + self.watched.len()
    }

    fn always(&self) -> [Bits; 2] {
        [(1 << self.lasting()) - 1; 2]
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
    fn follow(&mut self, steps: &[Step], body: &[usize], next: Next<'_>) {
        let mut changes = true;
        while changes {
            changes = false;
            for n in body.iter().rev() {
                let before = |to: usize| self.before(&steps[to], to);
                let behind = next(*n).into_iter().fold(self.always(), |live, to| either(live, before(to)));
                changes |= behind != self.live[*n];
                self.live[*n] = behind;
            }
        }
    }

    /// Cells that matter in front of a step: what is made of them matters behind it.
    fn before(&self, step: &Step, number: usize) -> [Bits; 2] {
        let mut live = self.live[number];
        for op in self.ops.get(&number).into_iter().flatten().rev() {
            for (half, live) in live.iter_mut().enumerate() {
                let bit = self.bits_of(half, [op.written()]);
                if *live & bit != 0 {
                    *live = *live & !bit | self.bits_of(half, op.read());
                }
            }
        }
        let mut needed = self.always();
        for ((half, cells), needed) in self.needed(step).into_iter().enumerate().zip(&mut needed) {
            *needed |= self.bits_of(half, cells);
        }
        either(live, needed)
    }

    /// Where the function begins, at a step of a number: EXEC is what it is at entry, and what the function finds in other
    /// registers that matter may be anything. Lanes that it is not for have all that they need.
    pub(super) fn begin(&self, step: &Step, number: usize, dispatches: bool) -> Masks {
        let all = self.begins_lost.iter().enumerate().filter(|(_, lost)| **lost);
        let lost = all.fold(0, |all, (n, _)| all | 1 << (LASTING + n));
        let matter = self.before(step, number);
        Masks([0, 1].map(|half| {
            let waits = dispatches.then_some(RUNS | RAN);
            let kinds = [lost, RUNS | RAN | WANTS | lost].into_iter().chain(waits);
            let mut lanes: Vec<Bits> = kinds.filter(|_| half < self.halves).collect();
            lanes.sort_unstable();
            let mut begun = Half { tuples: lanes, forgotten: 0, most: self.most };
            let found = self.all[half].iter().skip(self.lasting()).filter_map(|cell| self.bit(half, *cell));
            found
                .filter(|bit| matter[half] & bit != 0)
                .for_each(|bit| begun.change(|tuple| [tuple, tuple | bit]));
            begun
        }))
    }
}

/// Slots of the frame that moves go through, and some more.
pub(super) fn slots(moves: &Moves, more: impl IntoIterator<Item = i32>) -> Vec<i32> {
    let mut slots: Vec<i32> = moves.values().flatten().map(|one| one.slot).chain(more).collect();
    slots.sort_unstable();
    slots.dedup();
    slots.truncate(MOST_SLOTS);
    slots
}

/// Which kind a lane is of.
fn kind(tuple: Bits) -> usize {
    match (tuple & RAN != 0, tuple & WANTS != 0) {
        (false, _) => SLEEPING,
        (true, true) => RUNNING,
        (true, false) => WAITING,
    }
}

/// The cells of either.
fn either(a: [Bits; 2], b: [Bits; 2]) -> [Bits; 2] {
    [a[0] | b[0], a[1] | b[1]]
}

/// Lanes of registers that some instruction asks for by number, and registers of which any does.
struct Asked {
    registers: BTreeSet<u16>,
    lanes: u64,
}

impl Asked {
    fn of<'a>(body: impl Iterator<Item = &'a Step>, moves: &Moves) -> Asked {
        let mut registers: BTreeSet<u16> = moves.values().flatten().filter_map(|one| one.register).collect();
        let mut lanes = 0;
        for (_, register, lane) in body.filter_map(code::got) {
            registers.insert(register);
            lanes |= 1 << lane;
        }
        Asked { registers, lanes }
    }

    /// Lanes of a register that anybody may ask for.
    fn of_register(&self, register: u16) -> u64 {
        if self.registers.contains(&register) { self.lanes } else { 0 }
    }

    /// Whether anybody may ask for a cell: for any that is no lane's.
    fn has(&self, cell: Cell) -> bool {
        match cell {
            SLOTS.. => self.lanes >> ((cell - SLOTS) % 64) & 1 == 1,
            TRUTHS.. | ..code::LANES => true,
            _ => {
                let (register, lane) = ((cell - code::LANES) / 64, (cell - code::LANES) % 64);
                self.registers.contains(&register) && self.lanes >> lane & 1 == 1
            }
        }
    }
}

impl Half {
    /// Changes all tuples, and forgets cells where there are too many then.
    fn change(&mut self, change: impl Fn(Bits) -> [Bits; 2]) {
        let mut tuples: Vec<Bits> = self.tuples.iter().flat_map(|tuple| change(*tuple)).collect();
        tuples.sort_unstable();
        tuples.dedup();
        self.tuples = tuples;
        while self.tuples.len() > self.most && self.forget_one() {}
    }

    /// Forgets the cell that says least of the others: whose other value is possible for most tuples, too, as some of them
    /// tell.
    fn forget_one(&mut self) -> bool {
        let used = self.tuples.iter().fold(0, |all, tuple| all | tuple) & !(RUNS | RAN | WANTS);
        let has = |tuple: Bits| self.tuples.binary_search(&tuple).is_ok();
        let some = self.tuples.iter().step_by(self.tuples.len().div_ceil(SAMPLE).max(1));
        let free = |bit: Bits| some.clone().filter(|&tuple| has(tuple ^ bit)).count();
        let bits = (0..Bits::BITS).map(|n| 1 << n).filter(|bit| used & bit != 0);
        let Some(bit) = bits.max_by_key(|bit| free(*bit)) else { return false };
        self.forgotten |= bit;
        self.change(|tuple| [tuple & !bit; 2]);
        true
    }

    fn join(&self, other: &Half) -> Half {
        let forgotten = self.forgotten | other.forgotten;
        let tuples = self.tuples.iter().chain(&other.tuples).copied().collect();
        let mut joined = Half { tuples, forgotten, most: self.most };
        joined.change(|tuple| [tuple & !forgotten; 2]);
        joined
    }

    /// The bit of a cell in a tuple.
    fn read(&self, bit: Option<Bits>, tuple: Bits) -> Bit {
        bit.filter(|bit| self.forgotten & bit == 0).map(|bit| tuple & bit != 0)
    }
}

impl Masks {
    pub(super) fn join(&self, other: &Masks) -> Masks {
        Masks([0, 1].map(|half| self.0[half].join(&other.0[half])))
    }

    /// What a step does to masks; cells that do not matter behind it are forgotten.
    pub(super) fn step(&mut self, cells: &Cells, number: usize) {
        let ops = cells.ops.get(&number).map_or(&[][..], |ops| ops);
        for (n, op) in ops.iter().enumerate() {
            for (half, live) in cells.live[number].into_iter().enumerate() {
                // A result that nobody reads is not worth knowing.
                let later = ops[n + 1..].iter().flat_map(Op::read);
                let live = live | cells.bits_of(half, later);
                if cells.bits_of(half, [op.written()]) & live != 0 {
                    self.apply(cells, half, op);
                }
            }
        }
        self.settle(cells, number);
    }

    /// Registers that a call leaves anything in.
    pub(super) fn forget(&mut self, cells: &Cells, is_kept: &dyn Fn(Cell) -> bool, number: usize) {
        for (half, all) in cells.all.iter().enumerate() {
            for cell in all.iter().skip(cells.lasting()) {
                let is_live = cells.bits_of(half, [*cell]) & cells.live[number][half] != 0;
                if is_live && !is_kept(*cell) {
                    self.assign(cells, (half, *cell), |_, _| None);
                }
            }
        }
        self.settle(cells, number);
    }

    fn settle(&mut self, cells: &Cells, number: usize) {
        for (half, live) in self.0.iter_mut().zip(cells.live[number]) {
            half.forgotten &= live;
            if half.tuples.iter().any(|tuple| tuple & !live != 0) {
                half.change(|tuple| [tuple & live; 2]);
            }
        }
    }

    fn assign(&mut self, cells: &Cells, (half, cell): (usize, Cell), value: impl Fn(&Half, Bits) -> Bit) {
        let own = &mut self.0[half];
        let Some(bit) = cells.bit(half, cell) else { return };
        let before = own.clone();
        own.forgotten &= !bit;
        own.change(|tuple| match value(&before, tuple) {
            Some(true) => [tuple | bit; 2],
            Some(false) => [tuple & !bit; 2],
            None => [tuple & !bit, tuple | bit],
        });
    }

    fn apply(&mut self, cells: &Cells, half: usize, op: &Op) {
        let Op::Set(cell, origin) = *op;
        self.assign(cells, (half, cell), |own, tuple| {
            let read = |operand: Operand| match operand {
                Operand::Cell(cell) => own.read(cells.bit(half, cell), tuple),
                Operand::None => Some(false),
                Operand::All => Some(true),
                Operand::Anything => None,
            };
            match origin {
                Origin::Copy(a) => read(a),
                Origin::Not(a) => read(a).map(|a| !a),
                Origin::Of(how, a, b) => how.of(read(a), read(b)),
            }
        });
    }

    /// Only tuples without a bit in the masks that a branch asks for go a way: it was taken since they are zero.
    pub(super) fn keep_zero(&mut self, cells: &Cells, step: &Step) {
        for ((number, half), zero) in self.0.iter_mut().enumerate().zip(cells.tested(step)) {
            let zero = cells.bits_of(number, zero);
            half.tuples.retain(|tuple| tuple & zero == 0);
        }
    }

    /// Whether nothing has been forgotten.
    pub(super) fn is_exact(&self) -> bool {
        self.0.iter().all(|half| half.forgotten == 0)
    }

    /// Whether a lane may run whose value of a register is lost.
    pub(super) fn may_read_lost(&self, cells: &Cells, register: u16) -> bool {
        self.0.iter().enumerate().take(cells.halves).any(|(number, half)| {
            let lost = cells.lost(register, number).and_then(|cell| cells.bit(number, cell));
            let is_lost = |tuple: &Bits| tuple & RUNS != 0 && half.read(lost, *tuple) != Some(false);
            half.tuples.iter().any(is_lost)
        })
    }

    /// Whether all lanes that run are among those that the comparison has found which a call's pointer comes from.
    pub(super) fn all_want(&self, cells: &Cells, call: &Step) -> bool {
        let found = cells.wanted.get(&call.word).into_iter().flat_map(|compared| cells.found(*compared));
        let mut halves = found.zip(self.0.iter().enumerate());
        let all = halves.all(|(cell, (number, half))| {
            let found = cells.bit(number, cell);
            let wants = |tuple: &Bits| tuple & RUNS == 0 || half.read(found, *tuple) == Some(true);
            half.tuples.iter().all(wants)
        });
        all && cells.wanted.contains_key(&call.word)
    }

    /// Of which kinds there may be lanes: those that sleep are never asked for.
    pub(super) fn kinds(&self) -> [bool; KINDS] {
        let tuples = self.0.iter().flat_map(|half| &half.tuples);
        let mut kinds = [false; KINDS];
        kinds[SLEEPING] = true;
        tuples.for_each(|tuple| kinds[kind(*tuple)] = true);
        kinds
    }

    /// Which lanes of each kind run. Where none wait it is said of them what is of those that the function is for.
    pub(super) fn reach(&self, cells: &Cells) -> [Reach; KINDS] {
        let mut found = [[false; 2]; KINDS];
        for tuple in self.0[..cells.halves].iter().flat_map(|half| &half.tuples) {
            found[kind(*tuple)][usize::from(tuple & RUNS != 0)] = true;
        }
        if found[WAITING] == [false; 2] {
            found[WAITING] = found[RUNNING];
        }
        found.map(|[sleeps, runs]| match (sleeps, runs) {
            (_, false) => Reach::None,
            (false, true) => Reach::All,
            (true, true) => Reach::Some,
        })
    }

    /// Whether the lanes are those of the entry.
    pub(super) fn is_entry(&self, cells: &Cells) -> bool {
        let is_same = |tuple: &Bits| (tuple & RUNS != 0) == (tuple & RAN != 0);
        self.0[..cells.halves].iter().flat_map(|half| &half.tuples).all(is_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many masks that have nothing to do with each other are forgotten; what one is made from another is known still.
    #[test]
    fn masks_that_say_nothing_of_others_are_forgotten_first() {
        let mut half = Half { tuples: vec![0, RUNS | RAN], forgotten: 0, most: MOST };
        let saved = 1 << LASTING;
        half.change(|tuple| [if tuple & RUNS == 0 { tuple } else { tuple | saved }; 2]);
        for n in LASTING + 1..21 {
            half.change(|tuple| [tuple, if tuple & saved == 0 { tuple } else { tuple | 1 << n }]);
        }
        assert!(half.tuples.len() <= MOST && half.forgotten.count_ones() > 5, "{half:?}");
        assert_eq!(half.forgotten & (saved | RUNS | RAN), 0);
        half.change(|tuple| [if tuple & saved == 0 { tuple & !RUNS } else { tuple | RUNS }; 2]);
        assert!(half.tuples.iter().all(|tuple| (tuple & RUNS != 0) == (tuple & RAN != 0)), "EXEC is back");
        assert_eq!(half.read(Some(half.forgotten), 0), None);
    }
}
