//! chiaro: an offline tool chain for the shaders of embedded GPUs.
//!
//! This crate is the door to all targets: name a [`Target`] and work on texts and
//! bytes. Who wants more of one target than every target has uses that target's own
//! crate, `chiaro-pica200` for instance.

#![forbid(unsafe_code)]

mod assemble;
mod check;
mod disassemble;
mod simulate;
mod target;

pub use assemble::{AssembleOptions, Assembled, Syntax, assemble};
pub use check::{check, check_sources};
pub use disassemble::{Disassembled, disassemble, disassemble_raw};
pub use simulate::{Event, Given, Inputs, Output, SimulateOptions, Simulated, Step, simulate};
pub use target::{About, Assumption, Target};
