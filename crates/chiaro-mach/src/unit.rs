//! A unit: what selection makes of a module, before it is an artifact.

use crate::code::Code;
use crate::config::PartKind;

/// All functions that one compilation makes, and what they share.
///
/// Preambles, binning variants, shared descriptors and called functions are further functions
/// and data here and need no second road.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Functions; [`What::Function`](crate::What::Function) numbers them.
    pub functions: Vec<Code>,
    /// Where execution begins.
    pub entries: Vec<Entry>,
    /// Constants and tables.
    pub data: Vec<Datum>,
    /// How inputs, outputs and uniforms meet the outside.
    pub interface: Vec<Link>,
}

/// A function in which execution begins.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name outside.
    pub name: String,
    /// Which part of the artifact it becomes.
    pub kind: PartKind,
    /// Its number in [`Unit::functions`].
    pub function: u32,
}

/// Constant words that stand beside the code.
#[derive(Clone, Debug, Default)]
pub struct Datum {
    /// Its name, or empty.
    pub name: String,
    /// The target's number for its kind: which constant file, which segment.
    pub file: u32,
    /// The first slot or byte, as the target counts.
    pub at: u32,
    /// Its words.
    pub words: Vec<u32>,
}

/// A name of the source with the place that the target gave it.
#[derive(Clone, Debug, Default)]
pub struct Link {
    /// The name that the API uses.
    pub name: String,
    /// The target's number for its kind: attribute, output, uniform of which file.
    pub kind: u32,
    /// The first slot.
    pub at: u32,
    /// How many slots.
    pub count: u32,
}
