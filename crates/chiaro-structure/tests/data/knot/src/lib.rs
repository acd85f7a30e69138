//! A crate with one circle of strangers and one between parent and child.
mod front;
mod back;
mod parent;
pub use back::Passed;
