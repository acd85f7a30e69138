//! Small floating-point formats: exact conversion, rounding, distance.
//!
//! - [`Format`] describes a format by its field widths and converts both ways;
//!   every conversion rounds at most once.
//! - [`odd`] computes sums, products, quotients and roots so that one later
//!   rounding to a narrower format is correct.
//! - [`ulp`] measures how far two binary32 values lie apart.
//! - [`text`] reads numbers as the C library does.
//! - [`picasso`] converts binary32 to float24 as the picasso assembler does.
//!
//! Nothing here allocates, and no input makes anything panic.

#![forbid(unsafe_code)]

mod format;
pub mod odd;
pub mod picasso;
pub mod text;
pub mod ulp;

pub use format::{Encoding, F16, F20, F24, F31, F32, Format, Overflow, Rounding, Tiny};
pub use picasso::picasso_f24;
pub use text::{atof, atoi};
