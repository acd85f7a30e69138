//! Registers of variables that are indexed at run time: a row for each, kept free of values.

use std::collections::HashMap;
use std::ops::Range;

use chiaro_ir::Root;
use chiaro_mach::Block;

use super::part::Part;

/// The scalar registers of rows: what kernels begin with stands before them, masks of constructs behind them.
pub(super) const SCALARS: Range<u16> = 24..88;

/// The registers of a variable, one behind the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub(super) first: u16,
    /// Whether its registers are scalar ones.
    pub(super) is_scalar: bool,
}

/// Rows of a function.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) of: HashMap<Root, Row>,
    /// One behind the last vector register of all.
    pub(super) end: u16,
    /// The same of scalar registers.
    pub(super) scalar_end: u16,
    /// Whether lanes choose among registers by indices of their own.
    pub(super) chosen: bool,
    /// What M0 holds at the end of a block: this index, with this bound.
    pub(super) counted: Option<(Block, Part, u32)>,
}

impl Rows {
    /// Whether a variable stands in registers.
    pub(super) fn has(&self, root: Root) -> bool {
        self.of.contains_key(&root)
    }

    /// Scalar registers of rows.
    pub(super) fn scalars(&self) -> Option<Range<u16>> {
        (self.scalar_end > SCALARS.start).then_some(SCALARS.start..self.scalar_end)
    }
}
