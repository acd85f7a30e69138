//! Where pointers lead.

use chiaro_ir as ir;
use chiaro_ir::{GlobalRef, Ty};

use super::part::Part;

/// The variable that a pointer leads into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Root {
    Global(GlobalRef),
    /// A variable of the function, by the instruction that makes it.
    Var(ir::Inst),
}

/// Where a pointer leads.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) root: Root,
    /// Types and indices from the variable on.
    pub(super) steps: Vec<(Ty, ir::Value)>,
}

/// A place that is known but for an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Components from the start of the variable.
    pub(super) offset: u32,
    /// What is added at run time, in components.
    pub(super) index: Option<Part>,
}
