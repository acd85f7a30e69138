//! What selection remembers of constructs, variables in memory and address registers.

use std::collections::HashMap;

use chiaro_ir::{Constant, GlobalRef, Value};

use crate::compile::graph::{Label, Node};

/// Registers of the scalars of a list of values.
pub(super) type Registers = Vec<(u8, u8)>;

/// Where the exits of an open construct lead, and where their values go.
#[derive(Clone, Debug)]
pub(super) struct Construct {
    pub(super) exit: Label,
    pub(super) results: Registers,
    pub(super) next: Label,
    pub(super) next_params: Registers,
    pub(super) again: Label,
    pub(super) again_params: Registers,
}

/// A variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Root {
    Global(GlobalRef),
    /// By the value that points to it.
    Local(Value),
}

/// Variables in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Locals {
    /// First vec4 of each, from the first temporary on.
    pub(super) places: HashMap<Root, u16>,
    /// How often each is stored, and the constant if it is one as a whole.
    pub(super) stores: HashMap<Root, Stores>,
    /// Start values of all temporaries.
    pub(super) rows: Vec<[f32; 4]>,
    /// Blocks that stored a variable: a later load of it is in another block.
    pub(super) written: Vec<(u32, Root)>,
}

/// The stores of a variable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stores {
    pub(super) count: u32,
    pub(super) whole: Option<Constant>,
}

/// Address registers of the current block: what each holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Addresses {
    pub(super) block: u32,
    pub(super) held: HashMap<(Node, bool), u8>,
}
