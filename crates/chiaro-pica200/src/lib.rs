//! PICA200, the vertex and geometry units of the Nintendo 3DS.
//!
//! | module | is |
//! |---|---|
//! | [`isa`], [`operand`], [`regs`] | the instruction set: rows, operand kinds, register banks |
//! | [`container`] | SHBIN files, both directions |
//! | [`outmap`] | where outputs go: as the loader derives it and as the hardware reads it |
//! | [`splice`] | changing the code while targets and labels follow |
//! | [`listing`] | a file as source text in picasso's language |
//! | [`exact`] | a file spelled out, for what that language cannot say |
//! | [`check`] | what is wrong with a program or a file |
//! | `asm` | the assembler for picasso's language (feature `asm`) |
//! | `nihcode` | the assembler for nihstro's language (feature `asm`) |
//! | `dis` | the best listing that assembles to the identical file (feature `asm`) |
//! | `native`, `float24`, `legalize` | the IR that this machine can be given, what it means, and how any IR becomes it (feature `compile`) |
//! | `compile`, `abi` | the compiler, and where variables are placed (feature `compile`) |
//! | `exec`, `machine` | what operations compute; the simulator (feature `sim`) |
#![forbid(unsafe_code)]

#[cfg(feature = "compile")]
pub mod abi;
#[cfg(feature = "compile")]
mod allocate;
mod arithmetic;
#[cfg(feature = "asm")]
pub mod asm;
pub mod check;
#[cfg(feature = "compile")]
pub mod clip;
#[cfg(feature = "compile")]
mod combine;
#[cfg(feature = "compile")]
pub mod compile;
#[cfg(feature = "compile")]
mod constants;
pub mod container;
#[cfg(feature = "compile")]
mod dead;
#[cfg(any(feature = "asm", feature = "compile"))]
mod descriptor;
#[cfg(feature = "asm")]
pub mod dis;
pub mod exact;
#[cfg(feature = "sim")]
mod exec;
#[cfg(feature = "compile")]
mod finish;
#[cfg(feature = "compile")]
pub mod float24;
#[cfg(feature = "compile")]
mod gather;
#[cfg(feature = "compile")]
pub mod geometry;
#[cfg(feature = "compile")]
mod graph;
#[cfg(feature = "compile")]
mod homes;
#[cfg(feature = "compile")]
mod initial;
pub mod isa;
#[cfg(feature = "compile")]
pub mod legalize;
pub mod listing;
#[cfg(feature = "sim")]
pub mod machine;
#[cfg(feature = "compile")]
pub mod native;
#[cfg(feature = "asm")]
pub mod nihcode;
pub mod operand;
#[cfg(feature = "compile")]
mod operands;
pub mod outmap;
#[cfg(feature = "compile")]
mod outputs;
#[cfg(feature = "compile")]
pub mod paths;
#[cfg(feature = "random")]
pub mod random;
pub mod regs;
#[cfg(feature = "compile")]
mod schedule;
#[cfg(feature = "compile")]
mod select;
#[cfg(feature = "compile")]
mod sink;
pub mod splice;
#[cfg(feature = "compile")]
pub mod tolerance;
#[cfg(feature = "compile")]
pub mod verify;
