//! The simulator: code, registers and memory in; registers, memory and faults out.
//!
//! Waves run instruction by instruction; a group's waves take turns at waits and barriers, in
//! their order. What a load brings is in its registers when a wait says that it has come, and not
//! before: an instruction that reads earlier gets the old value, and that is a fault.
//!
//! | file | is |
//! |---|---|
//! | `config` | how to run, and what public sources leave open |
//! | `program`, `registers` | code decoded to steps and micro-ops |
//! | `wave`, `run`, `flow` | one wave: its state, its steps, what steers it |
//! | `cross` | lanes and registers by number |
//! | `pending`, `arrival` | loads on their way, and the waits that end them |
//! | `scalar`, `vector`, `shared`, `buffer`, `atomic` | memory |
//! | `image` | images and samplers by descriptor |
//! | `format`, `components` | what bytes of texels are, and how their components stand in registers |
//! | `group` | a workgroup: waves in turn, LDS, barriers |
//! | `timed` | the clock |
//! | `fault` | what a program does that it must not |
//! | `trace`, `record` | what it does, step by step |

mod arrival;
mod atomic;
mod buffer;
mod components;
mod config;
mod cross;
mod fault;
mod flow;
mod format;
mod group;
mod image;
mod pending;
mod program;
mod record;
mod registers;
mod run;
mod scalar;
mod set;
mod shared;
mod timed;
mod trace;
mod vector;
mod wave;

pub use crate::exec::{Choices, Dots, Nans};
pub use buffer::{raw_buffer, typed_buffer};
pub use config::{ASSUMPTIONS, Config, Misaligned, Rays, Returns, Schedule};
pub use fault::{Fault, FaultKind};
#[cfg(feature = "target")]
pub(crate) use format::numbered as texel_format;
pub use group::{Group, Outcome, Taken};
pub use image::descriptor::{linear_image, sampler_words};
pub use program::Program;
pub use set::{SETTABLE, can_set};
pub use timed::{CAUSES, Time};
pub use trace::{Executed, Named};
pub use wave::Wave;
