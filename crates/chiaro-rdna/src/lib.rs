//! AMD RDNA2: the GPUs that LLVM calls gfx1030, for compute.
//!
//! | module | is |
//! |---|---|
//! | [`isa`], [`operand`], [`regs`] | the instruction set: rows, operand kinds, registers |
#![forbid(unsafe_code)]

#[cfg(feature = "asm")]
pub mod asm;
pub mod check;
pub mod container;
pub mod explain;
pub mod isa;
pub mod listing;
pub mod operand;
pub mod regs;
