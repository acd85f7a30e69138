//! Passes over the IR that know no target.
//!
//! A pass is a file with one public function of the file's name and the signature of
//! [`Pass::run`]. [`Cx`] is the only driver.

#![forbid(unsafe_code)]

mod cx;
mod limits;
mod loops;
mod ranges;
mod rewrite;
mod simplify;

pub use cx::{Changed, Cx, Event, Pass};
pub use limits::{Assumptions, Conditions, Limits};
pub use ranges::{Fact, FloatRange, IntRange, Ranges, ranges};
pub use simplify::simplify;

/// The passes that compute with what an operation means, each by itself; the order is the
/// pipeline's.
pub const ALGEBRA: &[Pass] = &[Pass { name: "simplify", run: simplify }];
