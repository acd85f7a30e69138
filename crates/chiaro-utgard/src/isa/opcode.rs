//! The operations that a word's opcode fields name, and what their rows say of them.
//!
//! Decoding a unit by its rows also asks whether the unit is busy; where that is known or does
//! not matter, the opcode field alone names the operation. The tables are made of the rows, so
//! that a row is the only place that knows its opcode.

use chiaro_isa::{Class, Operation, Wait};

use super::word::{self, Field, Word};
use super::{ADD0, Add0, COMPLEX, Complex, MUL0, Mul0, PASS, Pass};

/// Instructions from an operation to the first and the last one that can read its result.
#[must_use]
pub const fn window(class: &Class) -> (u32, u32) {
    match class.result {
        Wait::Window(first, last) => (first as u32, last as u32),
        Wait::Slots(between) => (between as u32 + 1, u32::MAX),
        Wait::Flag { .. } | Wait::Counter { .. } | Wait::Unknown => (1, u32::MAX),
    }
}

/// The opcode of a row. Rows that mean "idle" are recognised by an operand and have none.
const fn opcode(rows: &[Operation], row: usize) -> usize {
    rows[row].encodings[0].1 as usize
}

macro_rules! opcodes {
    ($($op:ident $rows:ident $field:ident $count:literal;)*) => {$(
        impl $op {
            /// The field that names the operation.
            pub const FIELD: Field = word::$field;

            /// What the opcode field of a word names, busy or not: never `Idle`.
            #[inline]
            #[must_use]
            pub const fn in_word(word: Word) -> $op {
                const BY_OPCODE: [$op; $count] = {
                    let mut all = [$op::Idle; $count];
                    let mut row = 1;
                    while row < $rows.len() {
                        all[opcode($rows, row)] = $op::ALL[row];
                        row += 1;
                    }
                    all
                };
                BY_OPCODE[word.get(word::$field) as usize % $count]
            }

            /// What the opcode field holds for it; that of the idle word for `Idle`.
            #[inline]
            #[must_use]
            pub const fn opcode(self) -> u32 {
                const OPCODES: [u8; $rows.len()] = {
                    let mut all = [word::$field.idle as u8; $rows.len()];
                    let mut row = 1;
                    while row < $rows.len() {
                        all[row] = opcode($rows, row) as u8;
                        row += 1;
                    }
                    all
                };
                OPCODES[self as usize] as u32
            }

            /// Instructions until its result can be read: the first and the last.
            #[must_use]
            pub const fn window(self) -> (u32, u32) {
                window($rows[self as usize].class)
            }
        }
    )*};
}

opcodes! {
    Mul0 MUL0 MUL_OP 8;
    Add0 ADD0 ADD_OP 8;
    Complex COMPLEX COMPLEX_OP 16;
    Pass PASS PASS_OP 8;
}

impl Add0 {
    /// Whether operand B is ignored.
    #[must_use]
    pub const fn is_unary(self) -> bool {
        matches!(self, Add0::Floor | Add0::Sign)
    }
}

impl Complex {
    /// The address register that it sets.
    #[must_use]
    pub const fn address(self) -> Option<u8> {
        match self {
            Complex::Addr0 => Some(0),
            Complex::Addr1 => Some(1),
            Complex::Addr2 => Some(2),
            Complex::Addr3 => Some(3),
            _ => None,
        }
    }

    /// The operation that sets an address register, 0 to 3.
    #[must_use]
    pub const fn set_address(register: u8) -> Complex {
        match register & 3 {
            0 => Complex::Addr0,
            1 => Complex::Addr1,
            2 => Complex::Addr2,
            _ => Complex::Addr3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_an_opcode_field_has_one_row() {
        for n in 0..16 {
            let word = Word::IDLE.with(word::COMPLEX_OP, n);
            assert_eq!(Complex::in_word(word).opcode(), n);
            let word =
                Word::IDLE.with(word::MUL_OP, n % 8).with(word::ADD_OP, n % 8).with(word::PASS_OP, n % 8);
            let found =
                [Mul0::in_word(word).opcode(), Add0::in_word(word).opcode(), Pass::in_word(word).opcode()];
            assert_eq!(found, [n % 8; 3]);
        }
    }

    #[test]
    fn every_address_register_of_loads_waits_as_long() {
        let waits = (1..=3).map(|register| Complex::set_address(register).window().0);
        assert!(waits.into_iter().all(|wait| wait == u32::from(crate::regs::ADDRESS_WAIT)));
    }

    #[test]
    fn both_adders_have_the_same_rows() {
        for (one, other) in ADD0.iter().zip(super::super::ADD1) {
            let opcodes =
                [one, other].map(|row| row.encodings.iter().map(|(_, code)| *code).collect::<Vec<_>>());
            assert_eq!(opcodes[0], opcodes[1], "{}", one.name);
        }
    }
}
