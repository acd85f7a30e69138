//! Instructions as their rows declare them.

use std::collections::HashSet;

use chiaro_isa::{Inst, Isa, Purpose, Role};

use super::{Cause, Instruction, Register};

/// Where an instruction leads to, by bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steer {
    /// To the next one.
    Next,
    /// To a place, or on.
    Branch(i64),
    /// To a place.
    Jump(i64),
    /// Nowhere: the program ends.
    End,
}

/// An instruction by its row: cause, unit, issue, and the registers of the files that count.
#[must_use]
pub fn instruction(isa: &Isa, inst: &Inst, offset: u32, counts: impl Fn(u8) -> bool) -> Instruction {
    let class = isa.form(inst).operation.class;
    let (reads, writes) = operands(isa, inst);
    let is_loaded = reads.is_empty();
    let kept = |mut all: Vec<Register>| {
        all.retain(|register| counts(register.file));
        all.sort_unstable();
        all.dedup();
        all
    };
    let slots = u32::from(class.issue.unwrap_or(1));
    Instruction {
        offset,
        cause: cause(class.purpose, is_loaded),
        units: vec![(class.unit, slots)],
        slots: slots.max(1),
        passes: 1,
        reads: kept(reads),
        writes: kept(writes),
        ..Instruction::default()
    }
}

/// A move of what no register holds makes a constant.
fn cause(purpose: Purpose, is_loaded: bool) -> Cause {
    match purpose {
        Purpose::Move if is_loaded => Cause::Constant,
        Purpose::Move => Cause::Move,
        Purpose::Wait => Cause::Wait,
        Purpose::Control => Cause::Control,
        Purpose::Address => Cause::Address,
        Purpose::Spill => Cause::Spill,
        Purpose::Memory => Cause::Memory,
        Purpose::Texture => Cause::Texture,
        Purpose::Arithmetic => Cause::Arithmetic,
    }
}

/// Registers of all files that operands name: read and written.
fn operands(isa: &Isa, inst: &Inst) -> (Vec<Register>, Vec<Register>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let values = isa.values(inst, &isa.cx());
    for (field, value) in isa.form(inst).format.fields.iter().zip(values.as_slice()) {
        let Some(run) = value.and_then(|value| field.kind.covers(value)) else { continue };
        if field.view {
            continue;
        }
        let parts: &[u8] = if run.parts == u16::MAX { &[0] } else { &[0, 1, 2, 3] };
        let has = |part: u8| run.parts >> part & 1 == 1;
        let all = (run.first..run.first.saturating_add(run.count)).flat_map(|index| {
            parts.iter().filter(|part| has(**part)).map(move |&part| Register { file: run.file, index, part })
        });
        if matches!(field.role, Role::Use | Role::DefUse) {
            reads.extend(all.clone());
        }
        if matches!(field.role, Role::Def | Role::DefUse) {
            writes.extend(all);
        }
    }
    (reads, writes)
}

/// Puts instructions behind one another, each with where it leads to, and tells arithmetic of addresses
/// apart. Places that are no instruction's lead nowhere.
#[must_use]
pub fn connect(all: Vec<(Instruction, Steer)>) -> Vec<Instruction> {
    let places: Vec<i64> = all.iter().map(|(one, _)| i64::from(one.offset)).collect();
    let at = |place: i64| places.binary_search(&place).ok().map(|n| n as u32);
    let count = all.len() as u32;
    let mut made: Vec<Instruction> = Vec::with_capacity(all.len());
    for (n, (mut one, steer)) in (0..).zip(all) {
        let on = (n + 1 < count).then_some(n + 1);
        one.next = match steer {
            Steer::Next => on.into_iter().collect(),
            Steer::Branch(place) => on.into_iter().chain(at(place)).collect(),
            Steer::Jump(place) => at(place).into_iter().collect(),
            Steer::End => Vec::new(),
        };
        one.next.dedup();
        made.push(one);
    }
    find_addresses(&mut made);
    made
}

/// Arithmetic whose results nothing but loads reads, before its block ends, finds their places. What a store
/// reads may be its value, so that stores show nothing.
fn find_addresses(all: &mut [Instruction]) {
    // What is read next of each register, looked at from behind: by loads alone, or by others.
    let mut only_loads: HashSet<Register> = HashSet::new();
    let mut others: HashSet<Register> = HashSet::new();
    for n in (0..all.len()).rev() {
        let one = &mut all[n];
        if one.next.len() != 1 || one.next[0] != n as u32 + 1 {
            only_loads.clear();
            others.clear();
        }
        let finds = !one.writes.is_empty()
            && one.writes.iter().all(|written| only_loads.contains(written) && !others.contains(written));
        if one.cause == Cause::Arithmetic && finds {
            one.cause = Cause::Address;
        }
        for written in &one.writes {
            only_loads.remove(written);
            others.remove(written);
        }
        let is_load = matches!(one.cause, Cause::Memory | Cause::Spill) && !one.writes.is_empty();
        let readers = if is_load || one.cause == Cause::Address { &mut only_loads } else { &mut others };
        readers.extend(one.reads.iter().copied());
    }
}
