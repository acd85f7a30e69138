//! What the language brings with it: functions, variables and constants, by version.
//!
//! Everything is a row of a static table ([`functions`], [`variables`], [`constants`],
//! [`structures`]); a name is looked up in an index that is made once. Whether a row is there
//! for a source is its [`When`]; which types its patterns stand for is found for a call
//! ([`pattern`]), never listed in advance.

mod available;
pub(crate) mod blocks;
pub mod constants;
pub(crate) mod devices;
pub mod functions;
pub mod pattern;
mod primitives;
mod rays;
pub mod structures;
pub mod variable;
pub mod variables;

pub use available::{Absence, Enabled, Stages, When};
