//! Which temporary an instruction stores or loads, as far as words and constants say.
//!
//! addr0 of a store holds a constant, or a value and a constant; a load has a constant and perhaps an
//! address register. Two places are one where both parts are the same. What is not followed (a register, an
//! address that another block sets) is no place, so that nothing is reported that may be right.

use std::fmt::{self, Display, Formatter};

use super::Check;
use super::patterns::Origin;
use crate::isa::selector::{STORES, Unit};
use crate::isa::word::{self, Field};
use crate::isa::{Add0, Complex};
use crate::regs::{NO_OFFSET, NO_STORE, UNUSED};

/// A vec4 of uniform memory: a number, and what is added to it when the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Address {
    row: i32,
    index: Option<Origin>,
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.index {
            None => write!(f, "temporary t[{}]", self.row),
            Some(_) => write!(f, "temporary t[{} + an index]", self.row),
        }
    }
}

impl Check<'_> {
    /// Components of a temporary that an instruction stores.
    pub(super) fn stored_temporaries(&self, at: usize) -> impl Iterator<Item = u32> + use<> {
        let word = self.program[at];
        let is_stored = move |c: &u32| {
            let store = STORES[*c as usize];
            word.get(store.unit) != NO_STORE && word.get(store.temporary) == 1
        };
        (0..4).filter(is_stored)
    }

    /// Which temporary an instruction stores.
    pub(super) fn stored_address(&self, at: usize) -> Option<Address> {
        let word = self.program[at];
        let is_set = Complex::in_word(word) == Complex::Addr0 && word.get(word::COMPLEX_A) != UNUSED;
        is_set.then(|| self.address(at, word::COMPLEX_A)).flatten()
    }

    /// Which vec4 of uniform memory an instruction loads.
    pub(super) fn loaded_address(&self, at: usize) -> Option<Address> {
        let word = self.program[at];
        let row = word.get(word::LOAD_ADDRESS) as i32;
        match word.get(word::LOAD_OFFSET) {
            NO_OFFSET => Some(Address { row, index: None }),
            register => {
                let set = self.setting(at, register)?;
                let added = self.address(set, word::COMPLEX_A)?;
                Some(Address { row: added.row.checked_add(row)?, ..added })
            }
        }
    }

    /// The instruction of the same block that sets an address register last.
    fn setting(&self, at: usize, register: u32) -> Option<usize> {
        let mut before = at;
        while !self.flow.begins(before) {
            before = before.checked_sub(1)?;
            let word = self.program[before];
            let set = Complex::in_word(word).address().map(u32::from);
            if set == Some(register) && word.get(word::COMPLEX_A) != UNUSED {
                return Some(before);
            }
        }
        None
    }

    /// What an operand's value is as an address.
    fn address(&self, at: usize, field: Field) -> Option<Address> {
        let origin = self.origin(at, field);
        if let Some(row) = self.constant(origin) {
            return Some(Address { row, index: None });
        }
        match self.sum(origin) {
            Some((row, index)) => Some(Address { row, index: Some(index) }),
            None if origin == Origin::Other => None,
            None => Some(Address { row: 0, index: Some(origin) }),
        }
    }

    /// A constant and something else, added.
    fn sum(&self, origin: Origin) -> Option<(i32, Origin)> {
        let Origin::Computed(at, unit) = origin else { return None };
        let (a, b, signs) = match unit {
            Unit::Add0 => (word::ADD0_A, word::ADD0_B, [word::ADD0_NEG_A, word::ADD0_NEG_B]),
            Unit::Add1 => (word::ADD1_A, word::ADD1_B, [word::ADD1_NEG_A, word::ADD1_NEG_B]),
            _ => return None,
        };
        let word = self.program[at];
        if Add0::in_word(word) != Add0::Add || signs.iter().any(|&sign| word.get(sign) == 1) {
            return None;
        }
        let parts = [self.origin(at, a), self.origin(at, b)];
        let [x, y] = parts.map(|part| self.constant(part));
        let (row, index) = x.map(|row| (row, parts[1])).or(y.map(|row| (row, parts[0])))?;
        (index != Origin::Other).then_some((row, index))
    }

    /// The whole number that a loaded value is known to be.
    fn constant(&self, origin: Origin) -> Option<i32> {
        let value = self.known(origin)?;
        (value.fract() == 0.0).then_some(value as i32)
    }

    /// The number that a loaded value is known to be.
    pub(super) fn known(&self, origin: Origin) -> Option<f32> {
        let Origin::Loaded(2, place, component) = origin else { return None };
        let (row, offset) = (place & 0x1ff, place >> 9);
        let bits = self.constants.get(&(row * 4 + u32::from(component))).filter(|_| offset == NO_OFFSET)?;
        Some(f32::from_bits(*bits))
    }
}
