//! The simulator: code, registers and memory in; registers, memory and faults out.
//!
//! SIMD-groups run instruction by instruction; those of a threadgroup take turns at waits and barriers,
//! in their order. What a load brings is in its registers when a wait for its slot says so, and not
//! before: an instruction that reads earlier gets the old value, and that is a fault.
//!
//! | file | is |
//! |---|---|
//! | `config`, `unknowns` | how to run, what public sources leave open, and which of it is assumed where |
//! | `program` | code decoded to steps and micro-ops |
//! | `simdgroup`, `run`, `flow` | one SIMD-group: its state, its steps, what steers it |
//! | `launch`, `special` | where it is in its dispatch, special registers |
//! | `cross`, `matrix` | shuffles, reductions, scans; products of matrices |
//! | `calls` | calls by a register that holds several places |
//! | `access`, `memory`, `together`, `atomic` | loads, stores, atomics: what a word asks for, and what becomes of it |
//! | `format` | what bytes of memory are in registers |
//! | `pixels`, `graphic`, `colour` | fragments: varyings, coverage, the tilebuffer; words of vertices |
//! | `texture` | textures, images and samplers by descriptor |
//! | `pending`, `arrival` | results on their way, and the waits that end them |
//! | `group` | a threadgroup: SIMD-groups in turn, its memory, barriers |
//! | `defined`, `undefined` | registers that nobody has written, samples that nobody decided on |
//! | `fault` | what a program does that it must not |
//! | `trace`, `record` | what it does, step by step |

mod access;
mod arrival;
mod atomic;
mod calls;
mod colour;
mod config;
mod cross;
mod defined;
mod fault;
mod flow;
mod format;
mod graphic;
mod group;
mod launch;
mod matrix;
mod memory;
mod pending;
mod pixels;
mod program;
mod record;
mod run;
mod set;
mod simdgroup;
mod special;
mod texture;
mod together;
mod trace;
mod undefined;
mod unknowns;

pub use crate::exec::Choices;
pub use colour::Colour;
pub use config::{ASSUMPTIONS, Calls, Config, Matrix};
pub use fault::{Fault, FaultKind};
pub use group::{Group, Outcome};
pub use launch::Launch;
pub use pixels::{Compare, Pixels, Plane, positions};
pub use program::Program;
pub use set::{SETTABLE, can_set};
pub use simdgroup::SimdGroup;
pub use texture::states::States;
pub use texture::texels::Texels;
pub use trace::{Executed, Named};
pub use unknowns::{UNKNOWNS, Unknown};
