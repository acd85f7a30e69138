//! Mali Utgard GP, the vertex processor of Mali-400 and Mali-450.

#![forbid(unsafe_code)]

pub mod check;
pub mod container;
pub mod dag;
#[cfg(feature = "sim")]
mod exec;
pub mod isa;
pub mod listing;
#[cfg(feature = "sim")]
pub mod machine;
pub mod operand;
pub mod schedule;
pub mod select;
pub mod word;
