//! One register file of a function, with what analyses know of it.

use crate::file::{File, RegFile};
use crate::park::Known;

/// What allocation reads and does not change.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    pub(super) files: &'a [RegFile],
    /// The file whose values get registers.
    pub(super) file: File,
    pub(super) known: &'a Known,
}
