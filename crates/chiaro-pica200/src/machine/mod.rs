//! The simulator: state, control flow, outputs.
//!
//! [`Program::load`] decodes words once into micro-ops and straight runs;
//! a [`Machine`] made from it runs batches of 32 vertices.
//!
//! | module | is |
//! |---|---|
//! | [`config`] | modes, and every assumption where sources leave something open |
//! | [`program`] | words to micro-ops, cut where control flow can enter or leave |
//! | [`registers`] | which slots hold which registers |
//! | [`flow`] | the three stacks and their quirks (section 12) |
//! | [`report`] | layouts of arrays, results, faults |
//! | [`run`] | batches of vertices, lanes that part and meet |
//! | [`emit`] | SETEMIT and EMIT (section 16) |
//! | [`trace`] | one instruction at a time, with what it read and wrote |

pub mod config;
pub mod emit;
pub mod flow;
pub mod program;
pub mod registers;
pub mod report;
pub mod run;
pub mod trace;

pub use config::{Assumption, Config, Mode};
pub use emit::Event;
pub use program::{LoadError, Program};
pub use registers::Register;
pub use report::{Cause, Fault, Layout, Report, SizeError};
pub use run::Machine;
pub use trace::Step;
