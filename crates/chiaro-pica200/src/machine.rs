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
//! | `path` | the way of all vertices, where uniforms alone decide it, as one straight run |
//! | [`emit`] | SETEMIT and EMIT (section 16) |
//! | [`trace`] | one instruction at a time, with what it read and wrote |
//!
//! ```
//! use chiaro_pica200::machine::{Config, Layout, Program};
//! use std::sync::Arc;
//!
//! // dp4 o0.x, c0, v0; end
//! let words = [0x0802_0000, 0x8800_0000];
//! let program = Program::load(&words, &[[0x0006_c368, 0]], 0, &Config::default())?;
//! let mut machine = Arc::new(program).machine();
//! machine.set_float(0, [1.0, 10.0, 100.0, 1000.0]);
//!
//! let layout = Layout { inputs: vec![0], outputs: vec![0] };
//! let vertices = [[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0]];
//! let mut outputs = [[0.0; 4]; 2];
//! machine.run(&layout, &vertices, &mut outputs)?;
//! assert_eq!(outputs.map(|o| o[0]), [4321.0, 1000.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod config;
pub mod emit;
pub mod flow;
mod path;
pub mod program;
pub mod registers;
pub mod report;
pub mod run;
mod set;
pub mod trace;

pub use config::{Config, Mode};
pub use emit::Event;
pub use program::{LoadError, Program};
pub use registers::Register;
pub use report::{Cause, Fault, Layout, Report, SizeError};
pub use run::Machine;
pub use set::SETTABLE;
pub use trace::Step;
