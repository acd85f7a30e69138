//! PICA200, the vertex and geometry units of the Nintendo 3DS.
//!
//! | module | is |
//! |---|---|
//! | [`isa`], [`operand`], [`regs`] | the instruction set: rows, operand kinds, register banks |
//! | `asm` | text to words: the languages of picasso and of nihstro (feature `asm`) |
//! | [`listing`] | words to text that assembles again, and files spelled out in full |
//! | [`container`] | SHBIN files in both directions, editing them, and where outputs go |
//! | `exec`, `machine` | what operations compute; the simulator (feature `sim`) |
//! | [`check`] | what is wrong with a program or a file |
//! | `abi`, `compile` | where variables are placed; the compiler (feature `compile`) |
//! | `lift` | programs as shaders that other machines run (feature `lift`) |
//! | `target` | what the command and the tools can ask of the target (feature `target`) |
//! | `verify`, `report` | checked compilation; how long a program runs (feature `compile`) |
#![forbid(unsafe_code)]

#[cfg(feature = "compile")]
pub mod abi;
#[cfg(feature = "asm")]
pub mod asm;
pub mod check;
#[cfg(feature = "compile")]
pub mod compile;
pub mod container;
#[cfg(feature = "sim")]
mod exec;
pub mod isa;
#[cfg(feature = "lift")]
pub mod lift;
pub mod listing;
#[cfg(feature = "sim")]
pub mod machine;
pub mod operand;
pub mod regs;
#[cfg(feature = "compile")]
pub mod report;
#[cfg(feature = "target")]
mod target;
#[cfg(all(feature = "compile", feature = "sim"))]
pub mod verify;

#[cfg(feature = "target")]
pub use target::Pica200;
