//! A whole file as text: chunks as directives, instructions as [`plain`](super::plain) lines.
//!
//! A listing assembles to the identical file. A source for people needs none of the directives:
//! instructions alone become a vertex program with the chunk that counts them.
//!
//! ```text
//! .mbs vertex 6
//! .instructions 0 2 1          // unknown, count, prefetch
//! .attributes
//! .symbol "a_position" kind 1 components 4 size 4 entries 0 stride 4 flags 16 precision 3 invariant 0 offset 0 parent 0
//! .code
//! again:
//!     in0 a0; pass.mov in0.x; out0 v0 = pass, -
//!     in2 t[3]; pass.mov in2.x; branch again
//! ```
//!
//! `//` begins a comment, since `;` stands between units. `.raw` in the place of `.mbs` is code
//! without a container.

mod read;
mod write;

use std::collections::BTreeMap;
use std::ops::Range;

pub use read::parse;
pub use write::{print, print_raw};

/// What a text assembles to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assembled {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Where in the text each instruction stands.
    pub places: Vec<Range<usize>>,
    /// Instructions by label.
    pub labels: BTreeMap<String, u32>,
}

/// Something that is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Where, in bytes.
    pub place: Range<usize>,
    /// What.
    pub message: String,
}
