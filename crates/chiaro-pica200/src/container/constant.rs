//! Constants: what the 16 bytes of an entry mean, and the packed form in which float vectors
//! travel to the GPU.

use super::{Constant, UniformRegister};

/// What a constant entry loads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstantValue {
    /// Type 0: a boolean register.
    Bool(bool),
    /// Type 1: x, y, z, w of an integer register.
    Int([u8; 4]),
    /// Type 2: x, y, z, w of a float register, each a float24 in the low 24 bits.
    Float([u32; 4]),
}

impl Constant {
    /// An entry for register `register` of the bank that the value belongs to.
    pub fn new(register: u16, value: ConstantValue) -> Constant {
        let (kind, words) = match value {
            ConstantValue::Bool(on) => (0, [u32::from(on), 0, 0, 0]),
            ConstantValue::Int(bytes) => (1, [u32::from_le_bytes(bytes), 0, 0, 0]),
            ConstantValue::Float(words) => (2, words),
        };
        Constant { kind, register, words }
    }

    /// What the entry loads; `None` for a type that no source explains. Payload bits that the type
    /// does not use are ignored here and kept in `words`.
    pub fn value(&self) -> Option<ConstantValue> {
        match self.kind {
            0 => Some(ConstantValue::Bool(self.words[0] & 1 != 0)),
            1 => Some(ConstantValue::Int(self.words[0].to_le_bytes())),
            2 => Some(ConstantValue::Float(self.words.map(|word| word & 0xff_ffff))),
            _ => None,
        }
    }

    /// The register that the entry loads; `None` for an unknown type or a number past the bank.
    pub fn target(&self) -> Option<UniformRegister> {
        let index = u8::try_from(self.register).ok()?;
        let register = match self.kind {
            0 => UniformRegister::Bool(index),
            1 => UniformRegister::Int(index),
            2 => UniformRegister::Float(index),
            _ => return None,
        };
        (self.register < register.bank_size()).then_some(register)
    }
}

/// Four float24 values x, y, z, w as the three words of a vector upload (spec section 17).
pub fn pack_float24([x, y, z, w]: [u32; 4]) -> [u32; 3] {
    let [x, y, z, w] = [x, y, z, w].map(|raw| raw & 0xff_ffff);
    [w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x]
}

/// The inverse of [`pack_float24`].
pub fn unpack_float24([first, second, third]: [u32; 3]) -> [u32; 4] {
    let x = third & 0xff_ffff;
    let y = (second & 0xffff) << 8 | third >> 24;
    let z = (first & 0xff) << 16 | second >> 16;
    [x, y, z, first >> 8]
}
