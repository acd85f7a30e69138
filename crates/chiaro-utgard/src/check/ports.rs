//! Rules of stores, loads, branches, latencies and limits.

use std::collections::HashMap;

use super::operands::{Result, is_read, result};
use super::temporaries::Address;
use super::{Check, rules};
use crate::isa::selector::{OPERANDS, STORES, Select, Store, Unit};
use crate::isa::word::{self, Word};
use crate::isa::{Complex, Mul0, Pass};
use crate::regs::{NO_STORE, UNUSED, WITH_BRANCH, WITH_TEMPORARY, letter};

// The checker's own copy of limits and waits, so that it finds a mistake in `regs`.

/// Instructions of a program. [ARM]
pub(super) const MOST_INSTRUCTIONS: usize = 512;
/// vec4 of uniform memory. [Mesa]
pub(super) const MOST_UNIFORMS: u32 = 304;
/// From a register's store to its load. [Mesa]
const REGISTER_LATENCY: u32 = 3;
/// From setting an address register to using it. [ISA notes]
const ADDRESS_LATENCY: u32 = 4;
/// From a temporary's store to its load. [ISA notes]
const TEMPORARY_LATENCY: u32 = 4;

/// Something that is written now and read some instructions later.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Cell {
    /// Register and component.
    Register(u32, u32),
    /// Address register 1 to 3.
    Address(u32),
    /// A temporary's component, where it is known which.
    Temporary(Address, u32),
}

impl Check<'_> {
    pub(super) fn limits(&mut self) {
        let count = self.program.len();
        if count > MOST_INSTRUCTIONS {
            let detail = format!("it has {count}, allowed are {MOST_INSTRUCTIONS}");
            self.fail(MOST_INSTRUCTIONS, &rules::TOO_LONG, "program", detail);
        }
    }

    pub(super) fn stores(&mut self, at: usize) {
        let word = self.program[at];
        let mut temporary = false;
        for Store { unit: selector, temporary: is_temporary, .. } in STORES {
            let chosen = word.get(selector);
            if chosen == NO_STORE {
                continue;
            }
            temporary |= word.get(is_temporary) == 1;
            let Some(unit) = Unit::of_store(chosen) else {
                self.fail(at, &rules::UNKNOWN, selector.name, "store selector 5 is not known".into());
                continue;
            };
            let complex1 = unit == Unit::Mul0 && Mul0::in_word(word) == Mul0::Complex1;
            if complex1 || result(word, Word::IDLE, unit) != Result::Number {
                let detail = format!("{} has no number to store here", unit.name());
                self.fail(at, &rules::STORE_SOURCE, selector.name, detail);
            }
        }
        let is_addressed = Complex::in_word(word) == Complex::Addr0 && word.get(word::COMPLEX_A) != UNUSED;
        if temporary
            && !(is_addressed && word.get(word::UNKNOWN) == WITH_TEMPORARY && word.get(word::BRANCH) == 0)
        {
            let detail = "addr0 is not set here, or the number is not 12, or there is a branch".to_owned();
            self.fail(at, &rules::TEMPORARY, "store", detail);
        }
    }

    pub(super) fn control(&mut self, at: usize) {
        let word = self.program[at];
        if let Some(target) = word.target() {
            let is_moved = word.get(word::PASS_A) != UNUSED && Pass::in_word(word) == Pass::Mov;
            if !is_moved || word.get(word::UNKNOWN) != WITH_BRANCH {
                let detail = "its condition is not pass.mov's result, or its number not 13".to_owned();
                self.fail(at, &rules::BRANCH_FORM, "branch", detail);
            }
            let count = self.program.len();
            if target as usize >= count {
                let detail = format!("it leads to {target}, the program has {count} instructions");
                self.fail(at, &rules::TARGET, "branch", detail);
            }
        }
        let address = word.get(word::LOAD_ADDRESS);
        if self.reads_memory(word) && address >= MOST_UNIFORMS {
            let detail = format!("vec4 {address} is read, there are {MOST_UNIFORMS}");
            self.fail(at, &rules::TOO_FAR, word::LOAD_ADDRESS.name, detail);
        }
    }

    fn reads_memory(&self, word: Word) -> bool {
        let clamps = word.get(word::PASS_A) != UNUSED && Pass::in_word(word) == Pass::Clamp;
        clamps || reads(word).any(|select| matches!(select, Select::Load(_)))
    }

    /// Everything that becomes visible later than it is written.
    pub(super) fn latencies(&mut self) {
        let mut written: HashMap<Cell, ()> = HashMap::new();
        for at in 0..self.program.len() {
            for (cell, latency) in self.writes(at) {
                written.insert(cell, ());
                self.too_early(at, cell, latency);
            }
        }
        for at in 0..self.program.len() {
            for cell in self.cells_read(at) {
                let (rule, text) = match cell {
                    Cell::Register(..) => (&rules::REGISTER_UNDEFINED, "nothing stores"),
                    Cell::Address(_) => (&rules::ADDRESS_UNDEFINED, "nothing sets"),
                    // The host may have.
                    Cell::Temporary(..) => continue,
                };
                if !written.contains_key(&cell) {
                    self.fail(at, rule, "load", format!("{text} {}", name(cell)));
                }
            }
        }
    }

    /// Reads of a cell before its new value is there, along every path.
    fn too_early(&mut self, start: usize, cell: Cell, latency: u32) {
        let rule = match cell {
            Cell::Register(..) => &rules::REGISTER_LATENCY,
            Cell::Address(_) => &rules::ADDRESS_LATENCY,
            Cell::Temporary(..) => &rules::TEMPORARY_LATENCY,
        };
        // Few instructions are near: a list of (instruction, distance) is enough.
        let mut open = vec![(start, 0)];
        let mut reported = Vec::new();
        while let Some((at, distance)) = open.pop() {
            let rewritten = distance > 0 && self.writes(at).iter().any(|(other, _)| *other == cell);
            if distance > 0 && self.cells_read(at).contains(&cell) && !reported.contains(&at) {
                reported.push(at);
                let detail = format!(
                    "{} is written by instruction {start}, {distance} before; {latency} are needed",
                    name(cell)
                );
                self.fail(at, rule, "load", detail);
            }
            if rewritten {
                continue;
            }
            let hidden = self.options.hidden_by_branch;
            let steps = |(to, taken): (usize, bool)| (to, distance + 1 + if taken { hidden } else { 0 });
            open.extend(self.flow.after(at).map(steps).filter(|(_, distance)| *distance < latency));
        }
    }

    /// What an instruction writes, and when that is there.
    fn writes(&self, at: usize) -> Vec<(Cell, u32)> {
        let temporary = self.stored_address(at);
        let temporary = |c| temporary.map(|to| (Cell::Temporary(to, c), TEMPORARY_LATENCY));
        let stored = self.stored_temporaries(at).filter_map(temporary);
        writes(self.program[at]).chain(stored).collect()
    }

    /// What an instruction reads of that.
    fn cells_read(&self, at: usize) -> Vec<Cell> {
        let word = self.program[at];
        let mut cells: Vec<Cell> = cells_read(word).collect();
        let loaded = |select| if let Select::Load(component) = select { Some(component) } else { None };
        let mut loaded = reads(word).filter_map(loaded).peekable();
        if loaded.peek().is_some()
            && let Some(from) = self.loaded_address(at)
        {
            cells.extend(loaded.map(|component| Cell::Temporary(from, component.into())));
        }
        cells
    }
}

fn name(cell: Cell) -> String {
    match cell {
        Cell::Register(index, component) => {
            format!("${index}.{}", letter(component as u8))
        }
        Cell::Address(n) => format!("addr{n}"),
        Cell::Temporary(address, component) => {
            format!("{address}.{}", letter(component as u8))
        }
    }
}

/// What operands of busy units select.
fn reads(word: Word) -> impl Iterator<Item = Select> {
    let read = OPERANDS.into_iter().filter(move |(field, _, unit)| is_read(word, *field, *unit));
    read.map(move |(field, is_b, _)| Select::of(word.get(field), is_b))
}

fn writes(word: Word) -> impl Iterator<Item = (Cell, u32)> {
    let stored = (0..4).filter_map(move |component| {
        let to = STORES[component as usize];
        let register = word.get(to.unit) != NO_STORE && word.get(to.temporary) | word.get(to.varying) == 0;
        register.then(|| (Cell::Register(word.get(to.index), component), REGISTER_LATENCY))
    });
    let register = Complex::in_word(word).address().filter(|&n| n > 0);
    let set = register.filter(|_| word.get(word::COMPLEX_A) != UNUSED);
    stored.chain(set.map(|n| (Cell::Address(n.into()), ADDRESS_LATENCY)))
}

/// Registers and address registers that an instruction reads itself. What port 0 holds for the
/// next instruction was fetched by this one.
fn cells_read(word: Word) -> impl Iterator<Item = Cell> {
    let registers = reads(word).filter_map(move |select| match select {
        Select::Port0 { component, back: 0 } if word.get(word::PORT0_ATTRIBUTE) == 0 => {
            Some(Cell::Register(word.get(word::PORT0_INDEX), u32::from(component)))
        }
        Select::Port1(component) => Some(Cell::Register(word.get(word::PORT1_INDEX), u32::from(component))),
        _ => None,
    });
    let offset = word.get(word::LOAD_OFFSET);
    let loads = reads(word).any(|select| matches!(select, Select::Load(_)));
    registers.chain((loads && matches!(offset, 1..=3)).then_some(Cell::Address(offset)))
}
