//! What a unit can read: the 5-bit operand selector, and the 3-bit selector of a store.
//! spec section 4.

use super::word::{self, Field, Word};
use super::{Complex, Mul0};
use crate::regs::{IDENT, UNUSED};

/// A unit whose result can be read or stored. The numbers are those of the store selector.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the hardware's")]
pub enum Unit {
    Add0 = 0,
    Add1 = 1,
    Mul0 = 2,
    Mul1 = 3,
    Pass = 4,
    Complex = 6,
}

impl Unit {
    /// Every unit, in the order of the store selector.
    pub const ALL: [Unit; 6] = [Unit::Add0, Unit::Add1, Unit::Mul0, Unit::Mul1, Unit::Pass, Unit::Complex];

    /// The unit that a store selector names; `None` for 7, which stores nothing, and for 5,
    /// whose meaning nobody knows.
    #[must_use]
    pub const fn of_store(selector: u32) -> Option<Unit> {
        match selector {
            0 => Some(Unit::Add0),
            1 => Some(Unit::Add1),
            2 => Some(Unit::Mul0),
            3 => Some(Unit::Mul1),
            4 => Some(Unit::Pass),
            6 => Some(Unit::Complex),
            _ => None,
        }
    }

    /// Its name in listings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Add0 => "add0",
            Unit::Add1 => "add1",
            Unit::Mul0 => "mul0",
            Unit::Mul1 => "mul1",
            Unit::Pass => "pass",
            Unit::Complex => "complex",
        }
    }
}

/// What an operand selector names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Select {
    /// Component of load port 0, of this instruction (0) or the previous one (1).
    Port0 {
        /// 0 to 3.
        component: u8,
        /// How many instructions back.
        back: u8,
    },
    /// Component of load port 1.
    Port1(u8),
    /// Component of load port 2, the uniform memory.
    Load(u8),
    /// The result of a unit, one or two instructions back.
    Result(Unit, u8),
    /// 1.0 for multipliers, 0.0 for adders.
    Ident,
    /// Nothing: the unit is idle.
    Unused,
    /// Selectors 8 to 11, by number from 0.
    Unknown(u8),
}

impl Select {
    /// The meaning of a 5-bit selector; operand B of adders and multipliers reads 22 as the
    /// constant, all others as the complex unit.
    #[must_use]
    pub const fn of(selector: u32, is_b: bool) -> Select {
        let component = (selector & 3) as u8;
        match selector & 31 {
            0..=3 => Select::Port0 { component, back: 0 },
            4..=7 => Select::Port1(component),
            8..=11 => Select::Unknown(component),
            12..=15 => Select::Load(component),
            16 => Select::Result(Unit::Add0, 1),
            17 => Select::Result(Unit::Add1, 1),
            18 => Select::Result(Unit::Mul0, 1),
            19 => Select::Result(Unit::Mul1, 1),
            20 => Select::Result(Unit::Pass, 1),
            UNUSED => Select::Unused,
            IDENT if is_b => Select::Ident,
            22 => Select::Result(Unit::Complex, 1),
            23 => Select::Result(Unit::Pass, 2),
            24 => Select::Result(Unit::Add0, 2),
            25 => Select::Result(Unit::Add1, 2),
            26 => Select::Result(Unit::Mul0, 2),
            27 => Select::Result(Unit::Mul1, 2),
            _ => Select::Port0 { component, back: 1 },
        }
    }

    /// The selector's number in an operand A, or what idle units have.
    #[must_use]
    pub const fn first(self) -> u32 {
        match self.number(false) {
            Some(number) => number,
            None => UNUSED,
        }
    }

    /// The selector's number; `None` for what no selector reads in this place.
    #[must_use]
    pub const fn number(self, is_b: bool) -> Option<u32> {
        Some(match self {
            Select::Port0 { component, back: 0 } => component as u32,
            Select::Port0 { component, .. } => 28 + component as u32,
            Select::Port1(component) => 4 + component as u32,
            Select::Unknown(n) => 8 + n as u32,
            Select::Load(component) => 12 + component as u32,
            Select::Unused => UNUSED,
            Select::Ident if is_b => IDENT,
            Select::Result(Unit::Complex, 1) if !is_b => 22,
            Select::Result(Unit::Add0, 1) => 16,
            Select::Result(Unit::Add1, 1) => 17,
            Select::Result(Unit::Mul0, 1) => 18,
            Select::Result(Unit::Mul1, 1) => 19,
            Select::Result(Unit::Pass, 1) => 20,
            Select::Result(Unit::Pass, 2) => 23,
            Select::Result(Unit::Add0, 2) => 24,
            Select::Result(Unit::Add1, 2) => 25,
            Select::Result(Unit::Mul0, 2) => 26,
            Select::Result(Unit::Mul1, 2) => 27,
            Select::Ident | Select::Result(..) => return None,
        })
    }
}

/// Operand fields, whether they are a B, and the unit that reads them.
pub const OPERANDS: [(Field, bool, Unit); 10] = [
    (word::MUL0_A, false, Unit::Mul0),
    (word::MUL0_B, true, Unit::Mul0),
    (word::MUL1_A, false, Unit::Mul1),
    (word::MUL1_B, true, Unit::Mul1),
    (word::ADD0_A, false, Unit::Add0),
    (word::ADD0_B, true, Unit::Add0),
    (word::ADD1_A, false, Unit::Add1),
    (word::ADD1_B, true, Unit::Add1),
    (word::COMPLEX_A, false, Unit::Complex),
    (word::PASS_A, false, Unit::Pass),
];

/// The fields that store one component.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    /// Which unit's result is stored.
    pub unit: Field,
    /// Whether the half writes a temporary.
    pub temporary: Field,
    /// Whether it writes an output, not a register.
    pub varying: Field,
    /// Which register or output it writes.
    pub index: Field,
}

/// The stores of the four components; x and y share a half, z and w the other one.
pub const STORES: [Store; 4] = [
    Store { unit: word::STORE0_X, ..STORE0 },
    Store { unit: word::STORE0_Y, ..STORE0 },
    Store { unit: word::STORE1_Z, ..STORE1 },
    Store { unit: word::STORE1_W, ..STORE1 },
];

const STORE0: Store = Store {
    unit: word::STORE0_X,
    temporary: word::STORE0_TEMPORARY,
    varying: word::STORE0_VARYING,
    index: word::STORE0_INDEX,
};

const STORE1: Store = Store {
    unit: word::STORE1_Z,
    temporary: word::STORE1_TEMPORARY,
    varying: word::STORE1_VARYING,
    index: word::STORE1_INDEX,
};

/// Whether a unit computes something in an instruction. A wide operation is multiplier 0's.
#[must_use]
pub fn is_busy(word: Word, unit: Unit) -> bool {
    let used = |field: Field| word.get(field) != UNUSED;
    match unit {
        Unit::Add0 => used(word::ADD0_A),
        Unit::Add1 => used(word::ADD1_A),
        Unit::Mul0 => used(word::MUL0_A) && used(word::MUL0_B),
        Unit::Mul1 => !is_wide(word) && used(word::MUL1_A) && used(word::MUL1_B),
        Unit::Pass => used(word::PASS_A),
        Unit::Complex => used(word::COMPLEX_A) && Complex::in_word(word) != Complex::Nop,
    }
}

/// Whether one operation takes both multipliers: complex1 or select.
#[must_use]
pub const fn is_wide(word: Word) -> bool {
    matches!(Mul0::in_word(word), Mul0::Complex1 | Mul0::Select)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_and_meanings_are_one_to_one() {
        for is_b in [false, true] {
            for n in 0..32 {
                assert_eq!(Select::of(n, is_b).number(is_b), Some(n));
            }
        }
    }
}
