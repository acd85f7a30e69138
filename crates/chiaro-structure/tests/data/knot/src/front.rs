//! Needs `back` through the root, which only passes the name on.
use crate::Passed;
pub struct Front(Passed);
