//! Operand kinds: how registers, numbers and modifiers are coded and spelled (spec 3, 8, 9, 12).
//!
//! An operand is a [`Reg`](chiaro_isa::Reg) whose index counts halves; immediates of arithmetic are
//! registers of the file [`IMMEDIATE`](crate::regs::file::IMMEDIATE), so that nothing that stands
//! behind them is lost. Where other fields decide how many registers an operand has, its bits hold
//! theirs too, above its own.

pub mod alu;
pub mod flow;
pub mod memory;
pub mod minifloat;
pub mod modifier;
mod name;
pub mod pixel;
pub mod texture;
pub(crate) mod touched;

/// Our language: it says everything that a word holds.
pub const OURS: u8 = 0;
/// applegpu's language.
pub const APPLEGPU: u8 = 1;

/// An option of [`Cx`](chiaro_isa::Cx): places in the code are printed as addresses.
pub const ABSOLUTE: u32 = 1;

/// An option of [`Cx`](chiaro_isa::Cx): what applegpu's assembler loses is lost, as it is there.
pub const COMPAT: u32 = 2;

/// Rounding of floats that are made smaller: to the nearest, ties to even.
#[cfg(feature = "compile")]
pub(crate) const NEAREST: chiaro_num::Encoding = chiaro_num::Encoding {
    rounding: chiaro_num::Rounding::NearestEven,
    tiny: chiaro_num::Tiny::Keep,
    overflow: chiaro_num::Overflow::Infinity,
};
