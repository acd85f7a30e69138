//! Machine operations as instructions of the shared [`Code`]: files, modifiers, effects.

use chiaro_mach::{Code, Effects, File, Inst, Occupancy, Op as Mach, RegFile};

use crate::isa::Op;
use crate::isa::control::Control;
use crate::isa::graphics::Graphics;
use crate::isa::memory::Memory;
use crate::isa::simd::Simd;
use crate::isa::texture::Texture;
use crate::regs::{GPR_HALVES, OCCUPANCY};

/// General registers, in halves.
pub const GPR: File = File(0);
/// The thread's own memory, in halves: where values go that find no register.
pub const STACK: File = File(1);
/// Uniforms, in halves: constants of the code, never allocated.
pub const UNIFORM: File = File(2);

/// Coefficient registers, texture states, sampler states: likewise.
pub const COEFFICIENT: File = File(3);
/// Texture states.
pub const STATE: File = File(4);
/// Sampler states.
pub const SAMPLER: File = File(5);

/// Halves of the stack that an instruction reaches with its offset.
const STACK_HALVES: u16 = 16_000;

const STEPS: [Occupancy; OCCUPANCY.len()] = {
    let mut steps = [Occupancy { units: 0, waves: 0 }; OCCUPANCY.len()];
    let mut n = 0;
    while n < steps.len() {
        (steps[n].units, steps[n].waves) = OCCUPANCY[n];
        n += 1;
    }
    steps
};

/// What is to be known of the register files (spec 2.1, 2.3, 8.6). A 32-bit register is two halves that begin at
/// an even one.
pub static FILES: [RegFile; 6] = [
    RegFile {
        name: "r",
        unit_bits: 16,
        count: GPR_HALVES,
        occupancy: &STEPS,
        spill_to: Some(STACK),
        moves: &[2, 1],
        swaps: &[2, 1],
        ..RegFile::EMPTY
    },
    RegFile { name: "m", unit_bits: 16, count: STACK_HALVES, memory: true, moves: &[2, 1], ..RegFile::EMPTY },
    RegFile { name: "u", unit_bits: 16, ..RegFile::EMPTY },
    RegFile { name: "cf", ..RegFile::EMPTY },
    RegFile { name: "ts", ..RegFile::EMPTY },
    RegFile { name: "ss", ..RegFile::EMPTY },
];

/// Numbers of the constant pool stand behind this one as [`What::Slot`], until it is known which uniforms hold them.
pub const POOL: u32 = 1 << 16;

/// Sign extension of a use, and the signs of a float, as [`Operand::bits`]: those of [`crate::regs::mods`].
pub mod sign {
    use crate::regs::mods;

    /// Sign-extended.
    pub const EXTEND: u32 = mods::EXTEND as u32;
    /// Without its sign.
    pub const ABS: u32 = mods::ABS as u32;
    /// With its sign turned, after that.
    pub const NEG: u32 = mods::NEG as u32;
}

/// Writes of what only the machine's own order protects: one class of instructions on pixels (spec 10.4).
const PIXEL: u16 = Effects::COVERAGE;

/// The modifiers of an instruction, as [`InstData::modifiers`](chiaro_mach::code::InstData) keeps them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Modifiers {
    /// Condition; 8 inverts it.
    pub condition: u8,
    /// Clamps the result.
    pub saturate: bool,
    /// Left shift of the last source, or of an index.
    pub shift: u8,
    /// Width of the mask of a field.
    pub field: u8,
    /// Truth table.
    pub table: u8,
    /// Conversion, function across lanes, and the like.
    pub mode: u8,
    /// Rounding to nearest.
    pub round: bool,
    /// Format of elements in memory.
    pub format: u8,
    /// Elements that take part.
    pub mask: u8,
    /// Wait slot.
    pub slot: bool,
    /// An index is extended with zeros.
    pub unsigned: bool,
    /// Levels of nesting.
    pub levels: u8,
    /// Special register.
    pub number: u8,
    /// What a texture operation is told.
    pub texture: TextureModifiers,
}

/// What a texture operation is told (spec 9.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextureModifiers {
    /// Shape of the texture.
    pub shape: u8,
    /// How the level is found.
    pub level: u8,
    /// Gathering.
    pub gather: u8,
    /// Compares with a reference.
    pub compare: bool,
    /// Asks for the level.
    pub query: bool,
    /// Of an image that is written, too.
    pub written: bool,
    /// Number of the first half of the bindless base, in steps of 4, plus 1.
    pub base: u8,
}

impl Modifiers {
    fn fields(&self) -> [(u64, u32); 20] {
        let t = &self.texture;
        [
            (self.condition.into(), 4),
            (self.saturate.into(), 1),
            (self.shift.into(), 3),
            (self.field.into(), 5),
            (self.table.into(), 4),
            (self.mode.into(), 4),
            (self.round.into(), 1),
            (self.format.into(), 4),
            (self.mask.into(), 4),
            (self.slot.into(), 1),
            (self.unsigned.into(), 1),
            (self.levels.into(), 2),
            (self.number.into(), 8),
            (t.shape.into(), 4),
            (t.level.into(), 4),
            (t.gather.into(), 4),
            (t.compare.into(), 1),
            (t.query.into(), 1),
            (t.written.into(), 1),
            (t.base.into(), 6),
        ]
    }

    /// As a number.
    #[must_use]
    pub fn pack(self) -> u64 {
        let fields = self.fields();
        fields.iter().rev().fold(0, |all, &(value, width)| all << width | value & ((1 << width) - 1))
    }

    /// Out of a number.
    #[must_use]
    pub fn unpack(mut bits: u64) -> Modifiers {
        let mut next = |width: u32| {
            let value = bits & ((1 << width) - 1);
            bits >>= width;
            value as u8
        };
        Modifiers {
            condition: next(4),
            saturate: next(1) != 0,
            shift: next(3),
            field: next(5),
            table: next(4),
            mode: next(4),
            round: next(1) != 0,
            format: next(4),
            mask: next(4),
            slot: next(1) != 0,
            unsigned: next(1) != 0,
            levels: next(2),
            number: next(8),
            texture: TextureModifiers {
                shape: next(4),
                level: next(4),
                gather: next(4),
                compare: next(1) != 0,
                query: next(1) != 0,
                written: next(1) != 0,
                base: next(6),
            },
        }
    }
}

/// Codes of comparisons (spec 4).
pub mod condition {
    /// Equal bits.
    pub const EQUAL: u8 = 0;
    /// Less without signs.
    pub const BELOW: u8 = 1;
    /// Greater without signs.
    pub const ABOVE: u8 = 2;
    /// Less with signs.
    pub const LESS: u8 = 5;
    /// Greater with signs.
    pub const GREATER: u8 = 6;
    /// That the condition is to be inverted.
    pub const INVERT: u8 = 8;
}

/// Minus zero as an immediate: what is added to copy a float.
pub const MINUS_ZERO: u64 = 0x80;

/// Truth tables: the first digit where both bits are 0, then the first source alone, the second alone, both (spec 4).
pub mod table {
    /// Both.
    pub const AND: u8 = 0b0001;
    /// One of them.
    pub const OR: u8 = 0b0111;
    /// Exactly one.
    pub const XOR: u8 = 0b0110;
    /// Not the first.
    pub const NOT: u8 = 0b1010;
    /// The first without the second.
    pub const AND_NOT: u8 = 0b0100;
    /// The first.
    pub const COPY: u8 = 0b0101;
}

/// Formats of elements (spec 8.1).
pub mod format {
    /// One byte.
    pub const I8: u8 = 0;
    /// Two bytes.
    pub const I16: u8 = 1;
    /// Four bytes.
    pub const I32: u8 = 2;

    /// That of integers of so many bytes: 1, 2 or 4.
    #[must_use]
    pub fn integer(bytes: u8) -> u8 {
        match bytes {
            1 => I8,
            2 => I16,
            _ => I32,
        }
    }
}

/// The machine operation of an instruction.
#[must_use]
pub fn operation(code: &Code, inst: Inst) -> Option<Op> {
    match code.op(inst) {
        Mach::Machine(number) => Some(Op::of(number as u16)),
        _ => None,
    }
}

/// The modifiers of an instruction.
#[must_use]
pub fn modifiers(code: &Code, inst: Inst) -> Modifiers {
    Modifiers::unpack(code.inst(inst).modifiers)
}

/// Whether an operation changes which lanes run.
#[must_use]
pub fn nests(op: Op) -> bool {
    use Control as C;
    matches!(
        op,
        Op::Control(
            C::IfIcmp
                | C::IfFcmp
                | C::ElseIcmp
                | C::ElseFcmp
                | C::WhileIcmp
                | C::WhileFcmp
                | C::PopExec
                | C::PushExec
                | C::UpdateExec
                | C::ElseExec
        )
    )
}

/// The effects of an operation beside its operands.
#[must_use]
pub fn effects(op: Op) -> Effects {
    use {Graphics as G, Memory as M, Simd as S, Texture as T};
    let ordered = Effects::GLOBAL | Effects::SHARED | Effects::IMAGE | Effects::BARRIER;
    match op {
        _ if nests(op) => Effects::writes(Effects::EXEC),
        Op::Control(Control::JmpExecAny | Control::JmpExecNone | Control::Stop) => {
            Effects::writes(Effects::CONTROL)
        }
        Op::Memory(M::DeviceLoad) => Effects::reads(Effects::GLOBAL),
        Op::Memory(M::DeviceStore | M::Atomic) => Effects::writes(Effects::GLOBAL),
        Op::Memory(M::ThreadgroupLoad) => Effects::reads(Effects::SHARED),
        Op::Memory(M::ThreadgroupStore | M::ThreadgroupAtomic) => Effects::writes(Effects::SHARED),
        Op::Memory(M::StackLoad) => Effects::reads(Effects::SCRATCH),
        Op::Memory(M::StackStore | M::StackAdjust) => Effects::writes(Effects::SCRATCH),
        Op::Memory(M::ThreadgroupBarrier | M::MemoryBarrier) => Effects::writes(ordered),
        Op::Memory(M::UniformStore) => Effects::writes(Effects::OUTPUT),
        Op::Texture(T::TextureSample | T::TextureLoad) => Effects::reads(Effects::IMAGE),
        Op::Texture(T::ImageWrite) => Effects::writes(Effects::IMAGE),
        Op::Graphics(G::StVar | G::StVarFinal | G::NoVar) => Effects::writes(Effects::OUTPUT),
        Op::Graphics(G::LdTile) => Effects::reads(PIXEL | Effects::TILE),
        Op::Graphics(G::SampleMask | G::ZsEmit | G::StTile | G::WaitPix | G::SignalPix) => {
            Effects::writes(PIXEL | Effects::TILE)
        }
        Op::Simd(_) if !matches!(op, Op::Simd(S::SimdMatrixFmadd16 | S::SimdMatrixFmadd32)) => {
            Effects::reads(Effects::EXEC | PIXEL)
        }
        Op::Float(crate::isa::float::Float::Dfdx | crate::isa::float::Float::Dfdy) => Effects::reads(PIXEL),
        _ => Effects::default(),
    }
}
