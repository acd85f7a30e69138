//! Prologs and epilogs as modules, each from its key alone (spec 17, 18).
//!
//! A part is an ordinary module: what it reads and writes are variables, and a list says where each stands. The
//! interpreter runs it as it runs a shader, the passes of shaders make it short.
//!
//! | file | does |
//! |---|---|
//! | [`draft`] | a module while it is built |
//! | [`epilog`], [`target`] | epilogs of fragments; what is stored to a render target |
//! | [`fragment`] | prologs of fragments |
//! | [`vertex`], [`fetch`] | prologs of vertices; what is loaded of an attribute |
//! | [`blend`], [`logic`] | blending; operations on bits |

mod blend;
mod draft;
mod epilog;
mod fetch;
mod fragment;
mod logic;
mod target;
mod vertex;

use chiaro_diag::Diagnostic;
use chiaro_ir::Module;

use super::select::Bounds;
use crate::abi::key::Key;
use crate::abi::link::Binding;
use crate::container::file::{Role, Stage};

/// A part before it is compiled.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What it computes; its only entry point is [`ENTRY`].
    pub module: Module,
    /// Where its variables stand.
    pub bounds: Bounds,
    /// The stage that it is a part of.
    pub stage: Stage,
    /// Which part.
    pub role: Role,
    /// It is run for each sample, and does not end the program.
    pub samples: bool,
    /// What coefficient registers hold for it.
    pub bindings: Vec<Binding>,
    /// A target is not written whole, so that what it holds counts as read (spec 18.2).
    pub keeps: bool,
}

impl Draft {
    /// One with nothing but its module.
    fn of((module, bounds): (Module, Bounds), stage: Stage, role: Role) -> Draft {
        Draft { module, bounds, stage, role, samples: false, bindings: Vec::new(), keeps: false }
    }
}

/// The name of the entry point of a part.
pub const ENTRY: &str = "part";

/// The module of a key.
///
/// # Errors
/// What cannot be made of it, by the name of the field.
pub fn draft(key: &Key) -> Result<Draft, Vec<Diagnostic>> {
    let made = match key {
        Key::FragmentEpilog(key) => epilog::draft(key),
        Key::FragmentProlog(key) => fragment::draft(key),
        Key::VertexProlog(key) => vertex::draft(key),
    };
    made.map_err(|why| vec![Diagnostic::error(None, why)])
}
