//! PICA200, the vertex and geometry units of the Nintendo 3DS.
//!
//! | module | is |
//! |---|---|
//! | [`isa`], [`operand`], [`regs`] | the instruction set: rows, operand kinds, register banks |
//! | [`check`] | what is wrong with a program or a file |
//! | [`container`] | SHBIN files, both directions |
//! | [`outmap`] | where outputs go: as the loader derives it and as the hardware reads it |
#![forbid(unsafe_code)]

pub mod check;
pub mod container;
pub mod isa;
pub mod operand;
pub mod outmap;
pub mod regs;
