//! Places in variables.

use super::part::Part;

/// A place that is known but for an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Components from the start of the variable.
    pub(super) offset: u32,
    /// What is added at run time, in components.
    pub(super) index: Option<Part>,
}
