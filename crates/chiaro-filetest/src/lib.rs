//! Golden vectors and whole-tool benchmarks, for the tests and as a command.
//!
//! A folder of vectors has one folder for each target, and in it files of rows:
//! `.tsv` with columns or `.jsonl` with an object a line; lines that start with `#`
//! say what the columns are and which tool made them. [`vectors::check_folder`] runs
//! all rows that it knows how to check and says what it left out and why.

// Talking to a driver is unsafe by nature; everything else is not.
#![cfg_attr(not(feature = "lavapipe"), forbid(unsafe_code))]
#![deny(unsafe_code)]

pub mod a3xx;
pub mod agx;
pub mod bench;
pub mod compute;
pub mod fuzz;
pub mod glsl;
pub mod kinds;
#[cfg(feature = "lavapipe")]
pub mod lavapipe;
pub mod opt;
pub mod pica200;
pub mod rays;
pub mod rdna;
pub mod seeded;
pub mod shaders;
pub mod stages;
pub mod suite;
pub mod utgard;
pub mod vectors;
mod victim;
