//! Utilisation of units and ports.

use crate::compile::Compiled;
use crate::isa::selector::{OPERANDS, STORES, Select, Store, Unit, is_busy, is_wide};
use crate::isa::word::Word;
use crate::regs::NO_STORE;

/// A unit or port: how often it works, and how often it could.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pressure {
    /// Its name.
    pub name: &'static str,
    /// Instructions in which it works, summed over units of a kind.
    pub used: u32,
    /// Instructions, times the units of the kind.
    pub available: u32,
}

/// A kind of unit or port, how many of it a word uses, and how many there are.
type Row = (&'static str, fn(Word) -> u32, u32);

const ROWS: [Row; 8] = [
    ("multipliers", multipliers, 2),
    ("adders", |w| busy(w, Unit::Add0) + busy(w, Unit::Add1), 2),
    ("complex unit", |w| busy(w, Unit::Complex), 1),
    ("pass unit", |w| busy(w, Unit::Pass), 1),
    ("attribute port", |w| reads(w, |s| matches!(s, Select::Port0 { back: 0, .. })), 1),
    ("register port", |w| reads(w, |s| matches!(s, Select::Port1(_))), 1),
    ("uniform port", |w| reads(w, |s| matches!(s, Select::Load(_))), 1),
    ("store halves", stores, 2),
];

impl Compiled {
    /// The pressure on every kind of unit and port.
    #[must_use]
    pub fn pressure(&self) -> Vec<Pressure> {
        let count = self.words.len() as u32;
        let row = |&(name, used, there): &Row| Pressure {
            name,
            used: self.words.iter().map(|&word| used(word)).sum(),
            available: count * there,
        };
        ROWS.iter().map(row).collect()
    }
}

fn busy(word: Word, unit: Unit) -> u32 {
    u32::from(is_busy(word, unit))
}

fn multipliers(word: Word) -> u32 {
    if is_wide(word) { 2 } else { busy(word, Unit::Mul0) + busy(word, Unit::Mul1) }
}

fn reads(word: Word, wanted: fn(Select) -> bool) -> u32 {
    let read = OPERANDS.iter().any(|&(field, is_b, _)| wanted(Select::of(word.get(field), is_b)));
    u32::from(read)
}

fn stores(word: Word) -> u32 {
    let half = |stores: &[Store]| u32::from(stores.iter().any(|store| word.get(store.unit) != NO_STORE));
    half(&STORES[..2]) + half(&STORES[2..])
}
