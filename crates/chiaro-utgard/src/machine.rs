//! The simulator: words in, outputs, cycles and faults out.
//!
//! Values are where the hardware has them and for as long: a result one or two instructions
//! back, a register from three instructions after its store. What a program reads at another
//! time is a fault, and the value is the configured poison, never an invented one.
//! spec sections 5 to 9 and 18.

mod build;
mod executed;
mod program;
mod run;
mod set;
mod trace;

pub use executed::Executed;
pub use program::{ASSUMPTIONS, Config, Fault, FaultKind, Program};
pub use run::Machine;
pub use set::SETTABLE;
