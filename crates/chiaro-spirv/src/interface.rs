//! What SPIR-V cannot say of a module's variables, or says only piece by piece.
//!
//! A front end fills an [`Interface`] itself; for modules of other producers it is made from
//! names and decorations.

pub(crate) mod build;

use chiaro_ir::{Binding, GlobalRef, Ty};
pub use chiaro_words::module::{Clip, Precision};

/// A variable, or a leaf of one, as the program that uses the shader knows it.
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

/// What a program needs to know of a module to use it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// The source language, by SPIR-V's number; 0 when unknown.
    pub language: u32,
    /// Its version, such as 450; 0 when unknown.
    pub version: u32,
    /// Clip coordinates.
    pub clip: Clip,
    /// All leaves of all variables that meet the outside, in the order of the variables.
    pub leaves: Vec<Leaf>,
}
