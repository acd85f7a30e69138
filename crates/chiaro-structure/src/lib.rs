//! How the source of this project hangs together, measured from the source itself: which module
//! uses which, how large functions are. The tests of this crate hold the limits; `chiaro-structure`
//! prints what there is.
//!
//! | module | is |
//! |---|---|
//! | [`source`] | the module tree of a crate, parsed |
//! | [`names`] | what a path in one module stands for |
//! | [`circles`] | modules that need each other |
//! | [`functions`] | lengths and parameters of functions |

#![forbid(unsafe_code)]

pub mod circles;
pub mod functions;
pub mod names;
pub mod source;
