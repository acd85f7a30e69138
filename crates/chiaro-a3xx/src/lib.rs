//! Adreno A3xx, the shader processor of the Adreno 304 to 330.
#![forbid(unsafe_code)]

#[cfg(feature = "asm")]
pub mod asm;
pub mod check;
pub mod isa;
pub mod listing;
pub mod operand;
pub mod regs;
