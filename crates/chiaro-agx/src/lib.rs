//! Apple AGX: the GPUs of A14, M1 (G13) and M2 (G14).
//!
//! | module | is |
//! |---|---|
//! | [`isa`], [`operand`], [`regs`] | the instruction set: rows, operand kinds, registers |
//! | [`listing`] | code as text that assembles to the same bytes, and as applegpu prints it |
//! | [`abi`] | uniforms of the vertex ABI, the tilebuffer, USC words, linked parts |
//! | [`check`] | what is wrong with code, and whether linked parts fit |
//! | `compile` | the compiler: main parts of vertices, fragments and compute (feature `compile`) |
//! | [`explain`] | what the bits of an instruction come to |
//! | `asm` | the assembler for both languages (feature `asm`) |
//! | [`report`] | statistics under Mesa's names, and others |
//! | `machine` | the simulator, with `exec`, what each operation computes (feature `sim`) |
//! | `verify` | checked compilation (feature `target`) |
//! | `target` | the door (feature `target`) |
//! | [`container`] | files: ours, Mesa's kernels, Metal's archives |
#![forbid(unsafe_code)]

pub mod abi;
#[cfg(feature = "asm")]
pub mod asm;
pub mod check;
#[cfg(feature = "compile")]
pub mod compile;
pub mod container;
#[cfg(feature = "sim")]
pub(crate) mod exec;
pub mod explain;
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
pub use target::Agx;
