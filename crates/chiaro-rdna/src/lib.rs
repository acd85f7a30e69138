//! AMD RDNA2: the GPUs that LLVM calls gfx1030, for compute.
//!
//! | module | is |
//! |---|---|
//! | [`isa`], [`operand`], [`regs`] | the instruction set: rows, operand kinds, registers |
#![forbid(unsafe_code)]

pub mod isa;
pub mod operand;
pub mod regs;
