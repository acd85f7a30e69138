//! Functions that are to be written, and the one that is being written.

use chiaro_diag::Span;
use chiaro_words::write::Id;
use spirv::Op;

use super::place::Place;
use crate::hir::FunctionId;
use crate::ty::Scalar;

/// A function and the opaque things it works on: variables and constant indices; the type of
/// each other index.
pub(crate) type Key = (FunctionId, Vec<(Id, Vec<(Id, Option<Scalar>)>)>);

/// A function that is to be written.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) id: Id,
    pub(crate) function: FunctionId,
    /// One for each opaque parameter.
    pub(crate) handles: Vec<Place>,
}

/// Where a variable of the function is.
#[derive(Clone, Debug, Default)]
pub(crate) enum Slot {
    /// Not declared yet.
    #[default]
    Unknown,
    /// A variable, or what an opaque parameter stands for.
    Place(Place),
}

/// Where `break` and `continue` go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) leave: Id,
    /// Of loops.
    pub(crate) next: Option<Id>,
    /// Whether something leaves.
    pub(crate) left: bool,
}

/// The function that is being written.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) ops: Vec<(Op, Option<Span>, u32)>,
    pub(crate) operands: Vec<u32>,
    /// Pointer types and ids of its variables.
    pub(crate) variables: Vec<(Id, Id)>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) targets: Vec<Target>,
    pub(crate) function: Option<FunctionId>,
    /// The block that instructions go to.
    pub(crate) block: Id,
    /// Whether that block has not ended.
    pub(crate) open: bool,
    pub(crate) span: Option<Span>,
    /// Where a sparse read that is being written puts its texel.
    pub(crate) texel: Option<Place>,
    /// Parts of blocks that were copied one by one.
    pub(crate) parts: u32,
}
