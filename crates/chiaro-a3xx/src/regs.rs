//! Register files, limits and latencies: every number of the machine, once.
//!
//! spec sections 2, 13, 16 and 18; each number names the source that gives it.

/// Generations, as indices into the set's list.
pub mod generation {
    /// A304 to A330, the machine of this crate.
    pub const A3XX: u8 = 0;
    /// A405 to A430.
    pub const A4XX: u8 = 1;
    /// A505 to A540.
    pub const A5XX: u8 = 2;
    /// A605 to A690.
    pub const A6XX: u8 = 3;
    /// Their names on the command line.
    pub const NAMES: [&str; 4] = ["3xx", "4xx", "5xx", "6xx"];
}

/// Files of operands, as [`Reg::file`](chiaro_isa::Reg) codes them.
pub mod file {
    /// General registers. Full and half ones are separate files on A3xx, told apart by
    /// the operand's size [wiki, ir3].
    pub const GPR: u8 = 0;
    /// Constants, 32 bits each, counted in components.
    pub const CONST: u8 = 1;
    /// A general register whose number is a0.x plus an offset.
    pub const RELATIVE: u8 = 2;
    /// A constant whose number is a0.x plus an offset.
    pub const RELATIVE_CONST: u8 = 3;
    /// An integer of 11 bits.
    pub const IMMEDIATE: u8 = 4;
    /// An entry of the table of float immediates.
    pub const TABLE: u8 = 5;
    /// A predicate component that control flow reads.
    pub const PREDICATE: u8 = 6;
}

/// Sizes of operands, as [`Reg::size`](chiaro_isa::Reg) codes them.
pub mod size {
    /// 32 bits.
    pub const FULL: u8 = 0;
    /// 16 bits.
    pub const HALF: u8 = 1;
}

/// What operands do on the way, as [`Reg::mods`](chiaro_isa::Reg) codes them.
pub mod mods {
    /// Negation; bitwise complement in `.b` operations.
    pub const NEG: u16 = 1;
    /// Absolute value, before the negation.
    pub const ABS: u16 = 2;
    /// `(r)`: the register advances with each repetition.
    pub const STEP: u16 = 4;
    /// The predicate is inverted.
    pub const NOT: u16 = 8;
}

/// Register byte of `a0.x`, and of `a1.x` from A5xx on [isaspec].
pub const A0: u16 = 61 * 4;
/// Register byte of `p0.x` [isaspec].
pub const P0: u16 = 62 * 4;
/// Register byte that stands for no register, `r63.x` [isaspec].
pub const NONE: u16 = 63 * 4;

/// Registers that existing allocators use, as vec4: r0 to r47, and as many half ones [ir3].
pub const ALLOCATABLE: u16 = 48;
/// Constants of the pipeline, as vec4, for vertex and fragment program together [fd3].
pub const CONSTANTS: u16 = 512;
/// Instruction memory of the pipeline, in granules [fd3].
pub const INSTRUCTION_MEMORY: u32 = 256;
/// Instructions in a granule, the unit of all lengths in registers [fd3].
pub const GRANULE: usize = 4;
/// Empty instructions behind `end`, because the fetch unit reads ahead [fd3].
pub const PADDING: usize = 4;
/// Attributes of a vertex program [fd3].
pub const ATTRIBUTES: u32 = 16;
/// Varying scalars between the stages [fd3].
pub const VARYINGS: u32 = 64;
/// Colour targets of a fragment program [fd3].
pub const TARGETS: u32 = 4;
/// Bytes of local memory that a group has [Mesa].
pub const LOCAL_BYTES: u32 = 32 << 10;
/// Samplers of a stage that an instruction can name [isaspec].
pub const SAMPLERS: u32 = 16;
/// Textures of a stage that an instruction can name [isaspec].
pub const TEXTURES: u32 = 128;

/// Slots of the register file per lane set, as vec4 [ir3, marked unconfirmed there].
pub const FILE_SLOTS: u32 = 96;
/// Most waves in flight [ir3, a default there].
pub const MAX_WAVES: u32 = 16;
/// Waves come in pairs [ir3].
pub const WAVE_GRANULARITY: u32 = 2;
/// Entries of the branch stack [ir3].
pub const BRANCH_STACK: u32 = 64;
/// Fibers of a wave: vertices run two quads, fragments four [regs, THREADSIZE].
pub const VERTEX_FIBERS: u32 = 8;
/// See [`VERTEX_FIBERS`].
pub const FRAGMENT_FIBERS: u32 = 16;

/// Slots between an ALU result and an ALU source [ir3_delay, tests/delay.c].
pub const ALU_TO_ALU: u16 = 3;
/// Slots between an ALU result and the third source of `mad` and `madsh`, which is read
/// two slots later than the others; `sel` and `sad` read it early [ir3_delay].
pub const ALU_TO_THIRD: u16 = 1;
/// Slots between an ALU result and anything that is no ALU: special functions, texture,
/// memory, the address register, predicates [ir3_delay].
pub const ALU_TO_OTHER: u16 = 6;

/// Cycles until the result of a special function, or of a load from local memory, is there [ir3, fitted on A6xx].
pub const SPECIAL_CYCLES: u32 = 10;
/// The same of a texture in a fragment program, by the last component that is written: 1 to 4, 0 for none [ir3, fitted
/// on A6xx].
pub const TEXTURE_CYCLES: [u32; 5] = [29, 29, 30, 38, 39];
/// The same in other programs.
pub const VERTEX_TEXTURE_CYCLES: [u32; 5] = [51, 51, 53, 62, 64];
/// The same of a load from global or private memory; in fragment programs [`FRAGMENT_MEMORY_CYCLES`].
pub const MEMORY_CYCLES: u32 = 110;
/// See [`MEMORY_CYCLES`].
pub const FRAGMENT_MEMORY_CYCLES: u32 = 86;

/// The float immediates, by index, as text and as the bits that they stand for [isaspec].
pub const TABLE: [(&str, u32); 12] = [
    ("(0.0)", 0x0000_0000),
    ("(0.5)", 0x3f00_0000),
    ("(1.0)", 0x3f80_0000),
    ("(2.0)", 0x4000_0000),
    ("(e)", 0x402d_f854),
    ("(pi)", 0x4049_0fdb),
    ("(1/pi)", 0x3ea2_f983),
    ("(1/log2(e))", 0x3f31_7218),
    ("(log2(e))", 0x3fb8_aa3b),
    ("(1/log2(10))", 0x3e9a_209b),
    ("(log2(10))", 0x4054_9a78),
    ("(4.0)", 0x4080_0000),
];
