//! Machine operations as instructions of the shared [`Code`]: files, modifiers, effects.

pub mod text;

use chiaro_mach::{Code, Effects, File, Inst, Op as Mach, Operand, RegFile};

use crate::isa::{Op, category};
use crate::regs::{self, mods};

/// Full registers.
pub const FULL: File = File(0);
/// Half registers, a file of their own.
pub const HALF: File = File(1);
/// The address register: loaded where it is read, never allocated.
pub const ADDRESS: File = File(2);
/// Predicates: computed near to where they are read, never allocated.
pub const PREDICATE: File = File(3);

/// Components of p0.
pub const PREDICATES: u16 = 4;

/// Units of a file of vec4.
const UNITS: u16 = regs::ALLOCATABLE * 4;

/// Private memory, where full registers go that find no room.
pub const MEMORY: File = File(4);

const FULLS: RegFile = RegFile { name: "r", count: UNITS, swaps: &[1], ..RegFile::EMPTY };
/// An exchange of three operations with three slots behind each costs more than a register of a file that costs no
/// waves: cycles of copies go through one.
const HALVES: RegFile = RegFile { name: "hr", unit_bits: 16, swaps: &[], ..FULLS };
const ADDRESSES: RegFile = RegFile {
    name: "a",
    unit_bits: 16,
    count: 1,
    #[allow(clippy::single_range_in_vec_init, reason = "a list of ranges")]
    reserved: &[0..1],
    ..RegFile::EMPTY
};
const PREDICATE_UNITS: RegFile = RegFile {
    name: "p",
    unit_bits: 1,
    count: PREDICATES,
    #[allow(clippy::single_range_in_vec_init, reason = "a list of ranges")]
    reserved: &[0..PREDICATES],
    ..RegFile::EMPTY
};
/// Words that an instruction reaches with its offset.
const WORDS: RegFile = RegFile { name: "m", count: 1020, memory: true, ..RegFile::EMPTY };

/// What is to be known of the register files.
pub static FILES: [RegFile; 4] = [FULLS, HALVES, ADDRESSES, PREDICATE_UNITS];

/// The same where full registers do not suffice.
pub static SPILLING: [RegFile; 5] = [
    RegFile { spill_to: Some(MEMORY), ..FULLS },
    RegFile { spill_to: Some(MEMORY), ..HALVES },
    ADDRESSES,
    PREDICATE_UNITS,
    WORDS,
];

/// The register that holds the address of what is spilled: the last one.
pub const SPILL_ADDRESS: u16 = UNITS - 1;

/// Bits of an operand beside the signs of [`mods`]: an entry of the table of float immediates.
pub const TABLE: u32 = 1 << 8;
/// A place relative to a0.x.
pub const RELATIVE: u32 = 1 << 9;
/// A predicate that is inverted.
pub const NOT: u32 = 1 << 10;
/// A source that advances with each repetition.
pub const STEP: u32 = mods::STEP as u32;
/// The sign of an operand.
pub const SIGNS: u32 = (mods::NEG | mods::ABS) as u32;

/// Varyings that are still to be fetched: their storage is released by the last fetch.
pub const VARYINGS: u16 = Effects::TARGET;

/// The modifiers of an instruction, as [`InstData::modifiers`](chiaro_mach::code::InstData) keeps
/// them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Modifiers {
    /// Relation of a comparison.
    pub condition: u8,
    /// Types of a copy: source, destination.
    pub types: (u8, u8),
    /// How a conversion rounds.
    pub round: u8,
    /// Clamps to 0 and 1.
    pub saturate: bool,
    /// Letters of a texture operation.
    pub texture: TextureModifiers,
    /// Last fetch of a varying.
    pub last_input: bool,
    /// Repetitions behind the first.
    pub repeat: u8,
    /// Bytes that a memory operation adds to its address.
    pub offset: u16,
    /// Half precision is enough.
    pub relaxed: bool,
}

/// What a texture operation is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextureModifiers {
    /// Three dimensions or cube.
    pub solid: bool,
    /// Layers.
    pub array: bool,
    /// Offsets stand before the second operand.
    pub offsets: bool,
    /// Divides by the last coordinate.
    pub project: bool,
    /// Compares with a depth.
    pub shadow: bool,
    /// Numbers stand in a register.
    pub indexed: bool,
    /// Components written.
    pub mask: u8,
    /// Type of the result.
    pub kind: u8,
    /// Sampler and texture.
    pub number: u8,
}

impl Modifiers {
    /// As a number.
    #[must_use]
    pub fn pack(self) -> u64 {
        let t = self.texture;
        let fields = [
            (u64::from(self.condition), 3),
            (u64::from(self.types.0), 3),
            (u64::from(self.types.1), 3),
            (u64::from(self.round), 2),
            (u64::from(self.saturate), 1),
            (u64::from(t.solid), 1),
            (u64::from(t.array), 1),
            (u64::from(t.offsets), 1),
            (u64::from(t.project), 1),
            (u64::from(t.shadow), 1),
            (u64::from(t.indexed), 1),
            (u64::from(t.mask), 4),
            (u64::from(t.kind), 3),
            (u64::from(t.number), 7),
            (u64::from(self.last_input), 1),
            (u64::from(self.repeat), 3),
            (u64::from(self.offset), 13),
            (u64::from(self.relaxed), 1),
        ];
        fields.iter().rev().fold(0, |all, &(value, width)| all << width | value & ((1 << width) - 1))
    }

    /// Out of a number.
    #[must_use]
    pub fn unpack(mut bits: u64) -> Modifiers {
        let mut next = |width: u32| {
            let value = bits & ((1 << width) - 1);
            bits >>= width;
            value as u16
        };
        let condition = next(3) as u8;
        let types = (next(3) as u8, next(3) as u8);
        let round = next(2) as u8;
        let saturate = next(1) != 0;
        let texture = TextureModifiers {
            solid: next(1) != 0,
            array: next(1) != 0,
            offsets: next(1) != 0,
            project: next(1) != 0,
            shadow: next(1) != 0,
            indexed: next(1) != 0,
            mask: next(4) as u8,
            kind: next(3) as u8,
            number: next(7) as u8,
        };
        let last_input = next(1) != 0;
        let repeat = next(3) as u8;
        let (offset, relaxed) = (next(13), next(1) != 0);
        Modifiers { condition, types, round, saturate, texture, last_input, repeat, offset, relaxed }
    }
}

/// Relations of comparisons [spec section 7].
pub mod relation {
    /// a < b.
    pub const LT: u8 = 0;
    /// a <= b.
    pub const LE: u8 = 1;
    /// a > b.
    pub const GT: u8 = 2;
    /// a >= b.
    pub const GE: u8 = 3;
    /// a = b.
    pub const EQ: u8 = 4;
    /// a differs from b.
    pub const NE: u8 = 5;
}

/// Types of copies and textures [spec section 6].
pub mod types {
    /// binary16.
    pub const F16: u8 = 0;
    /// binary32.
    pub const F32: u8 = 1;
    /// Unsigned, 16 bits.
    pub const U16: u8 = 2;
    /// Unsigned, 32 bits.
    pub const U32: u8 = 3;
    /// Signed, 16 bits.
    pub const S16: u8 = 4;
    /// Signed, 32 bits.
    pub const S32: u8 = 5;
}

/// The machine operation of an instruction.
#[must_use]
pub fn operation(code: &Code, inst: Inst) -> Option<Op> {
    match code.op(inst) {
        Mach::Machine(number) => Some(Op::of(number as u16)),
        _ => None,
    }
}

/// Whether an operation gives something of local memory, which `(ss)` waits for.
#[must_use]
pub fn is_local(op: Op) -> bool {
    op == Op::Ldl || (Op::AtomicAdd as u16..=Op::AtomicXor as u16).contains(&(op as u16))
}

/// The effects of an operation beside its operands.
#[must_use]
pub fn effects(op: Op) -> Effects {
    match op {
        Op::BaryF => Effects::reads(VARYINGS),
        // What a lane has stored before stays, and what it would store afterwards does not come to be.
        Op::Kill => Effects {
            writes: VARYINGS | Effects::COVERAGE,
            reads: Effects::GLOBAL | Effects::SHARED | Effects::SCRATCH,
        },
        Op::Br | Op::Jump => Effects::writes(Effects::CONTROL),
        Op::Ldp => Effects::reads(Effects::SCRATCH),
        Op::Stp => Effects::writes(Effects::SCRATCH),
        Op::Ldg => Effects::reads(Effects::GLOBAL),
        Op::Stg | Op::Stgb => Effects::writes(Effects::GLOBAL),
        Op::Ldgb => Effects::reads(Effects::GLOBAL),
        Op::Ldl => Effects::reads(Effects::SHARED),
        Op::Stl => Effects::writes(Effects::SHARED),
        Op::Fence | Op::Bar => Effects::writes(Effects::GLOBAL | Effects::SHARED | Effects::BARRIER),
        // Atomics.
        _ if category(op) == 6 => Effects::writes(Effects::GLOBAL | Effects::SHARED),
        _ => Effects::default(),
    }
}

/// The predicate as an operand.
#[must_use]
pub fn predicate() -> Operand {
    Operand::reg(PREDICATE, 0, 1)
}

/// The address register as an operand.
#[must_use]
pub fn address() -> Operand {
    Operand::reg(ADDRESS, 0, 1)
}

#[cfg(test)]
mod tests {
    use super::WORDS;

    /// A vector at the last place of spills ends where offsets of 13 bits with a sign do (spec section 12).
    #[test]
    fn spills_are_in_reach_of_an_offset() {
        assert_eq!(4 * (WORDS.count + 4), 1 << 12);
    }
}
