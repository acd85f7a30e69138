//! Operands out of their encoding: numbers, registers, names.

/// One operand or modifier, out of its encoding. Kinds spell it; the engine only
/// carries it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A number, a flag, an index into a list of names, or the bits of a constant.
    Int(i64),
    /// A register or a run of registers, with what the operand does to it.
    Reg(Reg),
    /// A name whose place is not known yet; the number is the [`Symbols`]' own.
    ///
    /// [`Symbols`]: crate::cx::Symbols
    Symbol(u32),
}

impl Value {
    /// The number, if it is one.
    pub const fn int(self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    /// The register, if it is one.
    pub const fn reg(self) -> Option<Reg> {
        match self {
            Value::Reg(r) => Some(r),
            _ => None,
        }
    }
}

/// A register of some file, with what the operand does to it on the way. What
/// `file`, `size`, `mods` and `swizzle` mean is the target's; zero is the plain case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Reg {
    /// Which register file.
    pub file: u8,
    /// Size of the operand (half, word, pair), in the target's code.
    pub size: u8,
    /// How many further registers follow the first (0: one register).
    pub more: u8,
    /// Address register that is added, 0 for none.
    pub indexed: u8,
    /// Number within the file.
    pub index: u16,
    /// Sign, absolute value, cache hints and the like.
    pub mods: u16,
    /// Components selected or enabled.
    pub swizzle: u16,
}

/// A run of register units that an operand reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Covered {
    /// Register file.
    pub file: u8,
    /// First register.
    pub first: u16,
    /// How many registers.
    pub count: u16,
    /// Components of each, as a bit mask; all ones where the file has none.
    pub parts: u16,
}
