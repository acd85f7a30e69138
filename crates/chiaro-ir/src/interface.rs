//! How a module meets the program that uses it: the names of its variables and their parts, and what
//! the languages say of them that computes nothing.
//!
//! Readers make it beside the module; nothing of the IR depends on it.

use crate::{Binding, GlobalRef, Ty};

/// The parts of all variables that meet the outside.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// In the order of the variables.
    pub leaves: Vec<Leaf>,
}

/// A variable, or a part of one, as the program that uses the shader knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The name to look it up by, such as `lights[2].tex`. An array of scalars or vectors is
    /// one leaf.
    pub name: String,
    /// The variable.
    pub global: GlobalRef,
    /// Members and elements from the variable to the leaf.
    pub path: Vec<u32>,
    /// What the leaf holds.
    pub ty: Ty,
    /// A matrix, or an array of them, whose columns are the parts that the IR sees.
    pub columns: bool,
    /// Location, binding and the like, its block's included.
    pub binding: Binding,
    /// Precision.
    pub precision: Precision,
    /// A sampler of images that the system makes.
    pub external: bool,
    /// A colour that goes to every attachment.
    pub broadcast: bool,
    /// A built-in that only old languages have, by its name there.
    pub legacy: Option<String>,
    /// Starts with what the attachment holds.
    pub fetch: bool,
}

impl Leaf {
    /// A leaf of which only the name and the place are known.
    #[must_use]
    pub fn named(name: impl Into<String>, global: GlobalRef, ty: Ty) -> Leaf {
        Leaf {
            name: name.into(),
            global,
            path: Vec::new(),
            ty,
            columns: false,
            binding: Binding::default(),
            precision: Precision::default(),
            external: false,
            broadcast: false,
            legacy: None,
            fetch: false,
        }
    }
}

/// Precision that the source asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Precision {
    /// Less than half.
    Low,
    /// At least half.
    Medium,
    /// Full.
    #[default]
    High,
}
