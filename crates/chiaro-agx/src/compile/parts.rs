//! Prologs and epilogs as modules, each from its key alone (spec 17, 18).
//!
//! A part is an ordinary module: what it reads and writes are variables, and a list says where each stands. The
//! interpreter runs it as it runs a shader, the passes of shaders make it short.
//!
//! | file | does |
//! |---|---|
//! | [`draft`] | a module while it is built |
//! | [`epilog`], [`target`], [`spill`] | epilogs of fragments; what is stored to a render target; targets in memory |
//! | [`fragment`] | prologs of fragments |
//! | [`vertex`], [`fetch`] | prologs of vertices; what is loaded of an attribute |
//! | [`blend`], [`logic`] | blending; operations on bits |

mod blend;
mod draft;
mod epilog;
mod fetch;
mod fragment;
mod logic;
mod spill;
mod target;
mod vertex;

use chiaro_diag::Diagnostic;

use crate::abi::key::Key;
pub use draft::{Draft, ENTRY};

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
