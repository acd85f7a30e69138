//! The simulator: words in; registers, memory, cycles and faults out.
//!
//! A batch of up to 32 fibers runs side by side; fibers that a branch parts wait at their place
//! until the others come by, as the hardware parks them. Two ways to run: *functional* commits
//! every result at once and is fast; *timed* commits a result when the machine would, so that
//! what is read too early is seen stale and reported, and counts cycles.
//!
//! | file | is |
//! |---|---|
//! | `config` | what public sources leave open, and how to run |
//! | `places`, `turn`, `program` | what a program is: registers and their slots, repetitions, steps |
//! | `build`, `operands`, `access`, `lookup` | words decoded to it: all, and categories 6 and 5 |
//! | `world` | what a program sees from outside: constants, textures, memory |
//! | `wave` | fibers that part and join |
//! | `run` | the machine itself |
//! | `texture`, `memory` | categories 5 and 6 |
//! | `set` | registers set by name, for debuggers |
//! | `clock`, `timed` | results on their way, flags, cycles |
//! | `fault` | what a program does that hardware does not define |

mod access;
mod build;
mod clock;
mod config;
mod fault;
mod lookup;
mod memory;
mod operands;
mod places;
mod program;
mod run;
mod set;
mod texture;
mod timed;
mod turn;
mod wave;
mod world;

pub use crate::exec::Rules;
pub use clock::{Clock, Executed, Planned};
pub use config::{ASSUMPTIONS, Config, Latency, Mode};
pub use fault::{Fault, FaultKind};
pub use places::Register;
pub use program::Program;
pub use run::{Machine, Status};
pub use set::{SETTABLE, can_set};
#[cfg(feature = "target")]
pub(crate) use world::BLOCK_STRIDE;
pub use world::{Binding, Memory, World};
