//! Adreno A3xx, the shader processor of the Adreno 304 to 330.
#![forbid(unsafe_code)]

pub mod isa;
pub mod operand;
pub mod regs;
