//! AMD RDNA2: the GPUs that LLVM calls gfx1030, for compute.
//!
//! | module | is |
//! |---|---|
//! | [`isa`], [`operand`], [`regs`] | the instruction set: rows, operand kinds, registers |
//! | [`listing`] | code and code objects as text that assembles to the same bytes |
//! | [`explain`] | what the bits of an instruction come to |
//! | [`container`] | amdhsa code objects: descriptors, metadata, ELF |
//! | [`check`] | what is wrong with code: waits on every path, legality, clauses |
//! | `asm` | the assembler for LLVM's language (feature `asm`) |
//! | [`report`] | statistics under ACO's names, occupancy, the clock of its model |
//! | [`abi`] | what functions agree on when they call one another; what a kernel finds when it begins, what a compiled one expects (features `sim`, `compile`) |
//! | `machine` | the simulator, with `exec`, what each operation computes (feature `sim`) |
//! | `compile` | the compiler (feature `compile`) |
//! | `verify` | compiled kernels against their source (feature `target`) |
//! | `target` | the door (feature `target`) |
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
pub use target::Rdna;
