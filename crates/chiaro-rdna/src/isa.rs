//! The instruction set: rows of every family, and the set prepared.
//!
//! A family is a file: its rows, then its layouts. A row has the number of its opcode, one
//! name for each dialect, and the layouts in which it exists, the shortest first; what a
//! layout's operands mean is in [`operand`](crate::operand). Later generations number
//! operations anew and change fields: they are further layouts in the same rows, marked
//! with [`Format::when`](chiaro_isa::Format).

mod buffer;
pub mod ds;
pub mod exp;
pub mod flat;
pub mod global;
mod layout;
pub mod mimg;
pub mod mtbuf;
pub mod mubuf;
pub mod scratch;
pub mod smem;
pub mod sop1;
pub mod sop2;
pub mod sopc;
pub mod sopk;
pub mod sopp;
mod vector;
pub mod vintrp;
pub mod vop1;
pub mod vop2;
pub mod vop3;
pub mod vop3p;
pub mod vopc;

use chiaro_isa::{Isa, Set, families};
use std::sync::LazyLock;

families! {
    /// Every operation, by family.
    #[derive(Debug)]
    pub enum Op => FAMILIES {
        /// Scalar, two sources.
        Sop2(sop2::Sop2) => sop2::ROWS;
        /// Scalar, a number of 16 bits.
        Sopk(sopk::Sopk) => sopk::ROWS;
        /// Scalar, one source.
        Sop1(sop1::Sop1) => sop1::ROWS;
        /// Scalar comparisons.
        Sopc(sopc::Sopc) => sopc::ROWS;
        /// Branches and waits.
        Sopp(sopp::Sopp) => sopp::ROWS;
        /// Scalar memory.
        Smem(smem::Smem) => smem::ROWS;
        /// Vector, two sources.
        Vop2(vop2::Vop2) => vop2::ROWS;
        /// Vector, one source.
        Vop1(vop1::Vop1) => vop1::ROWS;
        /// Vector comparisons.
        Vopc(vopc::Vopc) => vopc::ROWS;
        /// Interpolation.
        Vintrp(vintrp::Vintrp) => vintrp::ROWS;
        /// Vector, long form only.
        Vop3(vop3::Vop3) => vop3::ROWS;
        /// Vector, packed.
        Vop3p(vop3p::Vop3p) => vop3p::ROWS;
        /// LDS and GDS.
        Ds(ds::Ds) => ds::ROWS;
        /// Buffers.
        Mubuf(mubuf::Mubuf) => mubuf::ROWS;
        /// Typed buffers.
        Mtbuf(mtbuf::Mtbuf) => mtbuf::ROWS;
        /// Images.
        Mimg(mimg::Mimg) => mimg::ROWS;
        /// Memory by address of any kind.
        Flat(flat::Flat) => flat::ROWS;
        /// Memory by address.
        Global(global::Global) => global::ROWS;
        /// Memory of each lane.
        Scratch(scratch::Scratch) => scratch::ROWS;
        /// Exports.
        Exp(exp::Exp) => exp::ROWS;
    }
}

/// What moves words from and to a memory stands in each of its families under the same names.
#[cfg(feature = "compile")]
macro_rules! transfers {
    ($($family:ident::$Family:ident),*) => {$(
        impl $family::$Family {
            /// What loads a number of words, at most four, or one that is narrower: `bits` of it, without sign.
            #[must_use]
            pub fn load(bits: u8, words: u32) -> Self {
                match (bits, words) {
                    (8, _) => Self::LoadUbyte,
                    (16, _) => Self::LoadUshort,
                    (_, 1) => Self::LoadDword,
                    (_, 2) => Self::LoadDwordx2,
                    (_, 3) => Self::LoadDwordx3,
                    _ => Self::LoadDwordx4,
                }
            }

            /// What stores a number of words, at most four, or the lowest `bits` of one.
            #[must_use]
            pub fn store(bits: u8, words: u32) -> Self {
                match (bits, words) {
                    (8, _) => Self::StoreByte,
                    (16, _) => Self::StoreShort,
                    (_, 1) => Self::StoreDword,
                    (_, 2) => Self::StoreDwordx2,
                    (_, 3) => Self::StoreDwordx3,
                    _ => Self::StoreDwordx4,
                }
            }
        }
    )*};
}

#[cfg(feature = "compile")]
transfers!(global::Global, mubuf::Mubuf, scratch::Scratch);

/// What instructions are called, by the numbers below.
pub const DIALECTS: &[&str] = &["llvm", "aco"];
/// As LLVM prints them.
pub const LLVM: u8 = 0;
/// By ACO's names, in which only a long form says that it is one (`_e64`): DPP and SDWA show in their
/// modifiers. Operands are LLVM's.
pub const ACO: u8 = 1;

/// The declaration.
pub static SET: Set = Set {
    name: "rdna",
    title: "AMD RDNA2, gfx10.3",
    about: "Words are little-endian dwords; a literal, a DPP or SDWA dword or a list of image addresses follows the instruction. Waves have 32 or 64 lanes, and what is a mask takes one scalar register or two.",
    operations: FAMILIES,
    generations: &["gfx1030"],
    dialects: DIALECTS,
    rules: &[],
    fold_case: false,
};

/// The set in waves of 32, which is what a context without a wave means too.
pub static RDNA: LazyLock<Isa> = LazyLock::new(|| Isa::new(&SET, 0).in_wave(32));

/// The set in waves of 64.
pub static RDNA_WAVE64: LazyLock<Isa> = LazyLock::new(|| Isa::new(&SET, 0).in_wave(64));

/// The set for a size of wave; any but 64 is 32.
pub fn isa(wave: u8) -> &'static Isa {
    if wave == 64 { &RDNA_WAVE64 } else { &RDNA }
}
