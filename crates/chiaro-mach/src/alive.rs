//! How many units of each file are in use at a point of a block, while a scheduler goes through
//! it from the top.
//!
//! What does not depend on the order of the instructions is counted once, in a [`Ledger`]; every schedule
//! of the block starts from it.

use crate::code::{Block, Code, Inst, Value};
use crate::deps::Deps;
use crate::liveness::Liveness;
use crate::operand::Operand;
use crate::pressure::weight;

/// A value that an instruction reads and that is not needed behind the block.
#[derive(Clone, Copy, Debug)]
struct Read {
    /// Its number among those that end in the block.
    number: u32,
    /// How often the instruction reads it.
    times: u32,
    /// Where it lives, and the units that are free once nobody reads it any more.
    file: u8,
    units: u32,
}

/// What the instructions of a block take of each file and give back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    files: usize,
    /// Units of each file in use before the first instruction that can be moved.
    start: Vec<u32>,
    /// Units of each file that each instruction defines, one instruction after the other.
    defined: Vec<u32>,
    /// The most of each file that one instruction defines.
    most: Vec<u32>,
    /// Those of them that anybody reads.
    lasting: Vec<u32>,
    /// Uses in the block of each value that ends in it.
    uses: Vec<u32>,
    reads: Vec<Read>,
    /// Where the reads of each instruction begin; one entry more for the end.
    starts: Vec<u32>,
}

/// Makes ledgers: one table of values serves all blocks.
pub(crate) struct Ledgers {
    files: usize,
    /// By value: its number, which counts from block to block. Below that of the block's first it has none there.
    numbers: Vec<u32>,
    next: u32,
}

impl Ledgers {
    /// For code in so many files.
    pub(crate) fn new(code: &Code, files: usize) -> Ledgers {
        Ledgers { files, numbers: vec![0; code.value_count()], next: 1 }
    }

    /// What the instructions of a block take, those at its end that cannot be moved read too.
    pub(crate) fn of(&mut self, code: &Code, deps: &Deps, block: Block, live: &Liveness) -> Ledger {
        let (head, rest) = code.insts(block).split_at(deps.first);
        let (movable, tail) = rest.split_at(deps.insts.len());
        let cells = movable.len() * self.files;
        let mut ledger = Ledger {
            files: self.files,
            start: vec![0; self.files],
            most: vec![0; self.files],
            defined: vec![0; cells],
            lasting: vec![0; cells],
            starts: Vec::with_capacity(movable.len() + 1),
            ..Ledger::default()
        };
        let heads = head.iter().flat_map(|&inst| code.defs(inst)).filter_map(Operand::value);
        live.into(block).chain(heads).for_each(|value| ledger.add_start(code, value));
        let first = self.next;
        for &inst in movable {
            ledger.starts.push(ledger.reads.len() as u32);
            self.read(code, inst, &mut ledger, first, |value| live.is_out(block, value));
        }
        let end = ledger.reads.len();
        ledger.starts.push(end as u32);
        for &inst in tail {
            self.read(code, inst, &mut ledger, first, |value| live.is_out(block, value));
        }
        ledger.reads.truncate(end);
        for (n, &inst) in movable.iter().enumerate() {
            for value in code.defs(inst).iter().filter_map(Operand::value) {
                let is_read = self.numbers[value.0 as usize] >= first || live.is_out(block, value);
                ledger.add_def(code, n, value, is_read);
            }
        }
        ledger
    }

    /// Adds what an instruction reads.
    fn read(
        &mut self,
        code: &Code,
        inst: Inst,
        ledger: &mut Ledger,
        first: u32,
        lives_on: impl Fn(Value) -> bool,
    ) {
        let own = ledger.reads.len();
        for value in code.uses(inst).iter().filter_map(Operand::value) {
            let data = code.value_data(value);
            if lives_on(value) || usize::from(data.file.0) >= self.files {
                continue;
            }
            let number = &mut self.numbers[value.0 as usize];
            if *number < first {
                *number = self.next;
                self.next += 1;
                ledger.uses.push(0);
            }
            let number = *number - first;
            ledger.uses[number as usize] += 1;
            match ledger.reads[own..].iter_mut().find(|read| read.number == number) {
                Some(read) => read.times += 1,
                None => {
                    let (file, units) = (data.file.0, weight(data));
                    ledger.reads.push(Read { number, times: 1, file, units });
                }
            }
        }
    }
}

impl Ledger {
    fn add_start(&mut self, code: &Code, value: Value) {
        let data = code.value_data(value);
        if let Some(units) = self.start.get_mut(usize::from(data.file.0)) {
            *units += weight(data);
        }
    }

    fn add_def(&mut self, code: &Code, n: usize, value: Value, is_read: bool) {
        let data = code.value_data(value);
        let file = usize::from(data.file.0);
        if file < self.files {
            let defined = &mut self.defined[n * self.files + file];
            *defined += weight(data);
            self.most[file] = self.most[file].max(*defined);
            self.lasting[n * self.files + file] += if is_read { weight(data) } else { 0 };
        }
    }

    /// Units of each file that an instruction defines.
    pub(crate) fn defined(&self, n: usize) -> &[u32] {
        &self.defined[n * self.files..(n + 1) * self.files]
    }

    fn reads(&self, n: usize) -> &[Read] {
        &self.reads[self.starts[n] as usize..self.starts[n + 1] as usize]
    }
}

/// The values that are alive.
pub(crate) struct Alive<'a> {
    ledger: &'a Ledger,
    /// Units in use, for each file.
    pub(crate) now: Vec<u32>,
    /// Uses that are still to come in the block, of each value that ends in it.
    left: Vec<u32>,
}

impl<'a> Alive<'a> {
    /// Before the first instruction that can be moved.
    pub(crate) fn at_start(ledger: &'a Ledger) -> Alive<'a> {
        Alive { ledger, now: ledger.start.clone(), left: ledger.uses.clone() }
    }

    /// Whether no instruction, whichever comes next, can exceed limits of the files.
    pub(crate) fn has_room(&self, limits: &[u32]) -> bool {
        let most = self.ledger.most.iter().zip(&self.now);
        most.zip(limits).all(|((&most, &now), &limit)| most == 0 || now + most <= limit)
    }

    /// What an instruction adds to a file, less what it frees there.
    pub(crate) fn growth(&self, n: usize, file: usize) -> i32 {
        let is_last =
            |read: &&Read| usize::from(read.file) == file && self.left[read.number as usize] == read.times;
        let freed: u32 = self.ledger.reads(n).iter().filter(is_last).map(|read| read.units).sum();
        self.ledger.defined(n)[file] as i32 - freed as i32
    }

    /// Goes on behind an instruction.
    pub(crate) fn issue(&mut self, n: usize) {
        let ledger = self.ledger;
        for read in ledger.reads(n) {
            let left = &mut self.left[read.number as usize];
            *left = left.saturating_sub(read.times);
            if *left == 0 {
                let now = &mut self.now[usize::from(read.file)];
                *now = now.saturating_sub(read.units);
            }
        }
        let lasting = &ledger.lasting[n * ledger.files..(n + 1) * ledger.files];
        self.now.iter_mut().zip(lasting).for_each(|(now, units)| *now += units);
    }
}
