//! Mali Utgard GP, the vertex processor of Mali-400 and Mali-450.

#![forbid(unsafe_code)]

#[cfg(feature = "compile")]
pub mod abi;
pub mod asm;
pub mod check;
#[cfg(feature = "compile")]
pub mod compile;
pub mod container;
#[cfg(feature = "sim")]
mod exec;
pub mod explain;
pub mod isa;
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
pub use target::UtgardGp;
