//! A decoded instruction, its form and its operands.

use crate::decl::{Format, Operation};
use crate::value::Value;
use crate::word::Word;

/// Most fields that a format may have; an image instruction of RDNA has 27.
pub const MAX_FIELDS: usize = 32;

/// One decoded instruction: which form, and its bits. Fields are read when asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inst {
    /// The bits; those behind `length` are zero.
    pub word: Word,
    /// Index into [`Isa::forms`](crate::Isa::forms).
    pub form: u16,
    /// Bytes.
    pub length: u8,
}

impl Inst {
    /// The bytes, little-endian, all [`WORD_BYTES`](crate::WORD_BYTES) of them; the
    /// first `length` are the instruction.
    pub fn to_bytes(&self) -> [u8; crate::WORD_BYTES] {
        self.word.to_bytes()
    }
}

/// One encoding of one operation.
#[derive(Clone, Copy)]
pub struct Form {
    /// Row number of the operation in the set, for the target's `Op::of`.
    pub op: u16,
    /// The operation.
    pub operation: &'static Operation,
    /// The layout.
    pub format: &'static Format,
    /// What stands in the format's opcode bits.
    pub opcode: u64,
}

/// The operands of one instruction in the order of the format's fields; `None` where
/// bits are invalid.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    pub(crate) values: [Option<Value>; MAX_FIELDS],
    pub(crate) len: u8,
}

impl Values {
    /// The operands in the order of the fields.
    pub fn as_slice(&self) -> &[Option<Value>] {
        &self.values[..self.len as usize]
    }

    /// All operands if every one is valid.
    pub fn all(&self) -> Option<Vec<Value>> {
        self.as_slice().iter().copied().collect()
    }
}
