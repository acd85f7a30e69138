//! PICA200, the vertex and geometry units of the Nintendo 3DS.
//!
//! | module | is |
//! |---|---|
//! | [`isa`], [`operand`], [`regs`] | the instruction set: rows, operand kinds, register banks |
//! | [`asm`] | the assembler for picasso's language |
//! | [`check`] | what is wrong with a program or a file |
//! | [`container`] | SHBIN files, both directions |
//! | [`outmap`] | where outputs go: as the loader derives it and as the hardware reads it |
//! | [`dis`] | the best listing that assembles to the identical file |
//! | [`listing`] | a file as source text in picasso's language |
//! | [`exact`] | a file spelled out, for what that language cannot say |
#![forbid(unsafe_code)]

#[cfg(feature = "asm")]
pub mod asm;
pub mod check;
pub mod container;
#[cfg(feature = "asm")]
pub mod dis;
pub mod exact;
pub mod isa;
pub mod listing;
pub mod operand;
pub mod outmap;
pub mod regs;
