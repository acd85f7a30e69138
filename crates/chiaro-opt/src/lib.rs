//! Passes over the IR that know no target.
//!
//! A pass is a file with one public function of the file's name and the signature of
//! [`Pass::run`]. [`Cx`] is the only driver.

#![forbid(unsafe_code)]

mod cx;

pub use cx::{Changed, Cx, Event, Pass};
