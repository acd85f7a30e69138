//! Machine operations as instructions of the shared [`Code`]: files, modifiers, effects.
//!
//! Special scalar registers are units of the scalar file beyond those that values get, so that the number of a unit
//! is its code. What an instruction reads and writes without a field for it (SCC, EXEC, VCC, M0) stands behind its
//! operands as bare registers.

use chiaro_isa::{Operation, Role};
use chiaro_mach::{Alias, Code, Domain, Effects, File, Inst, Occupancy, Op as Mach, Operand, RegFile};

use crate::isa::sop1::Sop1;
use crate::isa::vop1::Vop1;
use crate::isa::{FAMILIES, Op};
use crate::regs::{SGPRS, VGPRS, code};

/// Vector registers: a value for each lane.
pub const VECTOR: File = File(0);
/// Scalar registers: a value of the wave, or a bit for each lane.
pub const SCALAR: File = File(1);
/// The one bit that scalar instructions compare into.
pub const SCC: File = File(2);

/// Waves of a SIMD by registers (spec section 13): 1024 rows in waves of 32, in steps of 16.
const WAVES32: [Occupancy; 9] = [
    step(64, 16),
    step(80, 12),
    step(96, 10),
    step(112, 9),
    step(128, 8),
    step(144, 7),
    step(160, 6),
    step(192, 5),
    step(256, 4),
];
/// 512 rows in waves of 64, in steps of 8.
const WAVES64: [Occupancy; 11] = [
    step(32, 16),
    step(40, 12),
    step(48, 10),
    step(56, 9),
    step(64, 8),
    step(72, 7),
    step(80, 6),
    step(96, 5),
    step(128, 4),
    step(168, 3),
    step(256, 2),
];

const fn step(units: u16, waves: u16) -> Occupancy {
    Occupancy { units, waves }
}

const VECTORS: RegFile = RegFile { name: "v", count: VGPRS, swaps: &[1], ..RegFile::EMPTY };
const SCALARS: RegFile = RegFile {
    name: "s",
    count: 128,
    domain: Domain::Wave,
    #[allow(clippy::single_range_in_vec_init, reason = "a list of ranges")]
    reserved: &[SGPRS..128],
    moves: &[2, 1],
    ..RegFile::EMPTY
};
const CONDITION: RegFile = RegFile {
    name: "scc",
    unit_bits: 1,
    count: 1,
    domain: Domain::Wave,
    #[allow(clippy::single_range_in_vec_init, reason = "a list of ranges")]
    reserved: &[0..1],
    ..RegFile::EMPTY
};

/// Words of scratch that a lane can have for what finds no register.
const SPILLS: u16 = 8000;
/// Scalars that find no register, in the lanes of vector registers.
pub const LANES: File = File(3);
/// Words of a lane's scratch.
pub const SCRATCH: File = File(4);

/// All files where registers do not suffice: scalars go to lanes, vectors to scratch.
const fn spilling(wave: u16, occupancy: &'static [Occupancy]) -> [RegFile; 5] {
    [
        RegFile { occupancy, spill_to: Some(SCRATCH), ..VECTORS },
        RegFile { spill_to: Some(LANES), ..SCALARS },
        CONDITION,
        RegFile {
            name: "l",
            count: VGPRS * wave,
            domain: Domain::LinearLane,
            alias: Some(Alias { file: VECTOR, per: wave }),
            memory: true,
            ..RegFile::EMPTY
        },
        RegFile { name: "m", count: SPILLS, memory: true, ..RegFile::EMPTY },
    ]
}

static SPILLING32: [RegFile; 5] = spilling(32, &WAVES32);
static SPILLING64: [RegFile; 5] = spilling(64, &WAVES64);

static FILES32: [RegFile; 3] = [RegFile { occupancy: &WAVES32, ..VECTORS }, SCALARS, CONDITION];
static FILES64: [RegFile; 3] = [RegFile { occupancy: &WAVES64, ..VECTORS }, SCALARS, CONDITION];

/// What is to be known of the register files in waves of a size.
#[must_use]
pub fn files(wave: u8) -> &'static [RegFile] {
    if wave == 64 { &FILES64 } else { &FILES32 }
}

/// The same where registers do not suffice.
#[must_use]
pub fn spilling_files(wave: u8) -> &'static [RegFile] {
    if wave == 64 { &SPILLING64 } else { &SPILLING32 }
}

/// Changes of sign of an operand, in its bits: those of [`crate::regs::mods`].
pub const SIGNS: u32 = 3;

/// An instruction without words: accesses of memory in front of it stay there.
pub const FENCE: u32 = u32::MAX;

/// Flags of memory and vector instructions.
pub mod flag {
    /// Past the first cache; atomics return what was there.
    pub const GLC: u16 = 1 << 0;
    /// Past the cache of the shader array.
    pub const DLC: u16 = 1 << 1;
    /// A vector register holds an offset.
    pub const OFFEN: u16 = 1 << 2;
    /// A vector register holds an index.
    pub const IDXEN: u16 = 1 << 3;
    /// The result is clamped to 0 and 1.
    pub const CLAMP: u16 = 1 << 4;
    /// Two offsets of 8 bits, those of a pair of accesses.
    pub const TWO: u16 = 1 << 5;
    /// The first source comes from another lane; the number says from which.
    pub const DPP: u16 = 1 << 6;
    /// Sources outside of a row read 0.
    pub const BOUND: u16 = 1 << 7;
    /// Coordinates are texels.
    pub const UNORM: u16 = 1 << 8;
    /// Lanes that do not run are read as well.
    pub const INACTIVE: u16 = 1 << 9;
    /// Bytes of an address count from the end of the function's frame.
    pub const FRAME: u16 = 1 << 10;
    /// Sources are parts of registers.
    pub const SDWA: u16 = 1 << 11;
}

/// Bits of a pattern of lanes; those of rows follow.
const ROWS: u32 = 9;
/// Bits of the first of the two numbers that [`Modifiers::halves`] is.
pub const PART: u8 = 3;

/// The modifiers of an instruction, as [`InstData::modifiers`](chiaro_mach::code::InstData) keeps them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Modifiers {
    /// Bytes added to an address, the number of a scalar instruction, the pattern of DPP with its masks.
    pub number: i32,
    /// Some of [`flag`].
    pub flags: u16,
    /// Multiplies the result: 2, 4, or one half.
    pub scale: u8,
    /// Components of a texel; sources of a packed operation that are negated.
    pub components: u8,
    /// Shape of an image.
    pub shape: u8,
    /// Which parts of registers are meant, in three bits each: of packed operations `op_sel`, then where `op_sel_hi` is not
    /// what it usually is; the selectors of SDWA.
    pub halves: u8,
}

impl Modifiers {
    /// A number alone.
    #[must_use]
    pub const fn number(number: i32) -> Modifiers {
        Modifiers { number, flags: 0, scale: 0, components: 0, shape: 0, halves: 0 }
    }

    /// A source from another lane, by a pattern of DPP; which of the four rows of lanes are written.
    #[must_use]
    pub const fn pattern(pattern: u32, rows: u32) -> Modifiers {
        Modifiers::number((pattern | rows << ROWS) as i32).with(flag::DPP)
    }

    /// The pattern of DPP, and the rows that are written.
    #[must_use]
    pub const fn lanes(self) -> [u32; 2] {
        [self.number as u32 & ((1 << ROWS) - 1), self.number as u32 >> ROWS & 15]
    }

    /// The two numbers that [`Modifiers::halves`] is, of three bits each.
    #[must_use]
    pub const fn parts(self) -> [u8; 2] {
        [self.halves & ((1 << PART) - 1), self.halves >> PART & ((1 << PART) - 1)]
    }

    /// With some flags.
    #[must_use]
    pub const fn with(self, flags: u16) -> Modifiers {
        Modifiers { flags: self.flags | flags, ..self }
    }

    /// Whether a flag is set.
    #[must_use]
    pub const fn has(self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// As a number.
    #[must_use]
    pub fn pack(self) -> u64 {
        u64::from(self.number as u32)
            | u64::from(self.flags) << 32
            | u64::from(self.scale & 3) << 48
            | u64::from(self.components & 15) << 50
            | u64::from(self.shape & 7) << 54
            | u64::from(self.halves & 127) << 57
    }

    /// Out of a number.
    #[must_use]
    pub fn unpack(bits: u64) -> Modifiers {
        Modifiers {
            number: bits as u32 as i32,
            flags: (bits >> 32) as u16,
            scale: (bits >> 48 & 3) as u8,
            components: (bits >> 50 & 15) as u8,
            shape: (bits >> 54 & 7) as u8,
            halves: (bits >> 57) as u8,
        }
    }
}

/// The machine operation of an instruction.
#[must_use]
pub fn operation(code: &Code, inst: Inst) -> Option<Op> {
    match code.op(inst) {
        Mach::Machine(number) if number != FENCE => Some(Op::of(number as u16)),
        _ => None,
    }
}

/// The operation as the shared code numbers it.
#[must_use]
pub fn machine(op: Op) -> Mach {
    Mach::Machine(u32::from(op.row()))
}

/// The row of an operation.
#[must_use]
pub fn row(op: Op) -> &'static Operation {
    static ROWS: std::sync::LazyLock<Vec<&'static Operation>> =
        std::sync::LazyLock::new(|| FAMILIES.iter().copied().flatten().collect());
    ROWS[usize::from(op.row())]
}

/// Whether lanes do it, each for itself.
#[must_use]
pub fn is_of_lanes(op: Op) -> bool {
    !matches!(op, Op::Sop1(_) | Op::Sop2(_) | Op::Sopk(_) | Op::Sopc(_) | Op::Sopp(_) | Op::Smem(_))
}

/// Whether it computes for each lane.
#[must_use]
pub fn is_vector(op: Op) -> bool {
    matches!(op, Op::Vop1(_) | Op::Vop2(_) | Op::Vop3(_) | Op::Vop3p(_) | Op::Vopc(_))
}

/// Whether it reads or writes memory by vectors of addresses, buffers and images.
#[must_use]
pub fn is_memory(op: Op) -> bool {
    matches!(
        op,
        Op::Mubuf(_) | Op::Mtbuf(_) | Op::Mimg(_) | Op::Global(_) | Op::Scratch(_) | Op::Flat(_) | Op::Ds(_)
    )
}

/// Whether it is a move of a register to which M0 counts on: its operand is as long as it may count.
#[must_use]
pub fn is_counted(op: Op) -> bool {
    matches!(
        op,
        Op::Vop1(Vop1::MovrelsB32 | Vop1::MovreldB32) | Op::Sop1(Sop1::MovrelsB32 | Sop1::MovreldB32)
    )
}

/// The lanes that run, as an operand.
#[must_use]
pub fn exec(wave: u8) -> Operand {
    Operand::reg(SCALAR, code::EXEC_LO, u16::from(wave / 32))
}

/// The carry and condition mask.
#[must_use]
pub fn vcc(wave: u8) -> Operand {
    Operand::reg(SCALAR, code::VCC_LO, u16::from(wave / 32))
}

/// The bit that scalar instructions compare into.
#[must_use]
pub fn scc() -> Operand {
    Operand::reg(SCC, 0, 1)
}

/// Registers that an operation touches without a field: what it writes, what it reads. Those that short forms name
/// so have fields in the long ones.
#[must_use]
pub fn implied(op: Op, wave: u8) -> [Vec<Operand>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    for implicit in row(op).implicit {
        let operand = match implicit.name {
            "scc" => scc(),
            "exec" => exec(wave),
            "vcc" => vcc(wave),
            "m0" => Operand::reg(SCALAR, code::M0, 1),
            _ => continue,
        };
        if matches!(implicit.role, Role::Def | Role::DefUse) {
            found[0].push(operand);
        }
        if matches!(implicit.role, Role::Use | Role::DefUse) {
            found[1].push(operand);
        }
    }
    found
}

/// Whether an operand is one of those that no field names.
#[must_use]
pub fn is_implied(operand: &Operand, op: Op) -> bool {
    let name = match (operand.file, operand.reg) {
        (SCC, _) => "scc",
        (SCALAR, Some(code::EXEC_LO)) => "exec",
        (SCALAR, Some(code::VCC_LO)) => "vcc",
        (SCALAR, Some(code::M0)) => "m0",
        _ => return false,
    };
    operand.value().is_none() && row(op).implicit.iter().any(|implicit| implicit.name == name)
}

/// The effects of an operation beside its operands. Memory is left to who knows which it is.
#[must_use]
pub fn effects(op: Op, defs: &[Operand]) -> Effects {
    let is_exec = |def: &Operand| def.file == SCALAR && def.reg == Some(code::EXEC_LO);
    let name = row(op).name;
    let mut effects = Effects::default();
    if is_of_lanes(op) {
        effects = Effects::reads(Effects::EXEC);
    }
    if defs.iter().any(is_exec) {
        effects = effects.and(Effects::writes(Effects::EXEC));
    }
    match op {
        Op::Sopp(_) if name.starts_with("s_cbranch") || matches!(name, "s_branch" | "s_endpgm") => {
            Effects::writes(Effects::CONTROL)
        }
        _ => effects,
    }
}
