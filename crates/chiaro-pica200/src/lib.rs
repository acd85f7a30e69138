//! PICA200, the vertex and geometry units of the Nintendo 3DS.
//!
//! | module | is |
//! |---|---|
//! | [`isa`], [`operand`], [`regs`] | the instruction set: rows, operand kinds, register banks |
//! | [`container`] | SHBIN files, both directions |
//! | `exec`, [`machine`] | what operations compute; the simulator (feature `sim`) |
//! | [`outmap`] | where outputs go: as the loader derives it and as the hardware reads it |
#![forbid(unsafe_code)]

pub mod container;
#[cfg(feature = "sim")]
mod exec;
pub mod isa;
#[cfg(feature = "sim")]
pub mod machine;
pub mod operand;
pub mod outmap;
pub mod regs;
