//! Adreno A3xx, the shader processor of the Adreno 304 to 330.
//!
//! | module | is |
//! |---|---|
//! | [`isa`], [`operand`], [`regs`] | the instruction set: rows by category, operand kinds, every number |
//! | [`listing`] | words to text, as Mesa and as the older pgmdump print it |
//! | `asm` | text to words (feature `asm`) |
//! | [`check`] | rules over words: slots, flags, joins, the end |
//! | [`container`] | raw programs, captures, the vendor's binaries, packets |
//! | [`abi`] | where a program meets the driver: registers, constants, textures |
//! | [`report`] | statistics under Mesa's names |
//! | `exec`, `machine` | what operations compute; the simulator (feature `sim`) |
//! | `compile` | IR to words (feature `compile`) |
//! | `target`, `verify` | what the command and the tools see; checked compilation (feature `target`) |
//!
//! README.md tells the machine in two pages.
#![forbid(unsafe_code)]

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
pub mod listing;
#[cfg(feature = "sim")]
pub mod machine;
pub mod operand;
pub mod regs;
pub mod report;
#[cfg(feature = "target")]
mod target;
#[cfg(feature = "target")]
pub mod verify;

#[cfg(feature = "target")]
pub use target::A3xx;
