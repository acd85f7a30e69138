//! IR to IR: only what this machine has.
pub mod bounds;
mod exponential;
mod functions;
mod quotient;
mod rewrite;
mod rounding;
#[cfg(test)]
pub(crate) mod samples;
mod trigonometry;
mod words;

use chiaro_opt::Pass;

pub use functions::functions;

/// The passes in their order.
pub static PASSES: &[Pass] = &[Pass { name: "functions", run: functions }];
