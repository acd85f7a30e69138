//! The rule checker: what is wrong with code, whoever made it, from its words alone (spec 6.2, 9.6, 10).
//!
//! | file | is |
//! |---|---|
//! | `step` | code taken apart: registers, slots, and what else rules look at |
//! | `flow` | which instruction follows which, and facts carried along all ways |
//! | `legal` | rules on single instructions, and on how code ends |
//! | `path` | rules on what came before: waits, nesting, fences, coverage, varyings, the stack, indices of shuffles |
//! | `calls` | what calls do to r1 |
//! | `flags` | what a part does to pixels, and needs of a driver |
//! | `contract` | what a part needs, leaves and touches, and whether linked parts fit |
//! | `rules` | the rules with their sources |

mod calls;
pub mod contract;
pub mod flags;
mod flow;
mod legal;
mod path;
pub mod rules;
pub(crate) mod step;

use crate::isa::isa;
use chiaro_isa::finding::Finding;

/// What runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stage {
    /// Nothing is known of it.
    #[default]
    Any,
    /// A vertex program of the hardware: it has varyings.
    Vertex,
    /// A fragment program.
    Fragment,
    /// Compute, and vertices in software.
    Compute,
    /// What runs once before a program: it may store uniforms and states.
    Preamble,
}

/// Which piece of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Piece {
    /// All of it.
    #[default]
    Program,
    /// A part that others follow: it ends where its code ends.
    Open,
    /// The last part: others came before.
    Last,
    /// A part between others.
    Middle,
}

impl Piece {
    /// Whether other parts may come before.
    fn has_before(self) -> bool {
        matches!(self, Piece::Last | Piece::Middle)
    }

    /// Whether others follow.
    fn is_open(self) -> bool {
        matches!(self, Piece::Open | Piece::Middle)
    }
}

/// What the checker knows beside the words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// An index of [`GENERATIONS`](crate::isa::GENERATIONS).
    pub generation: u8,
    /// What runs.
    pub stage: Stage,
    /// Which piece.
    pub piece: Piece,
    /// Halves of general registers that are declared, if that is known.
    pub halves: Option<u16>,
    /// Whether it runs once for each sample: r0l is 0 at the start, r1l is kept, and it ends without a
    /// stop.
    pub sample_shading: bool,
    /// Whether stores read their registers when they are done, and not when they are issued [unknown, spec 21].
    pub holds_sources: bool,
}

/// Everything that is wrong with code that begins at its start, in the order of places.
pub fn check(code: &[u8], config: &Config) -> Vec<Finding> {
    let steps = step::steps(code, isa(config.generation));
    let states = path::states(&steps, config);
    let reached: Vec<bool> = states.iter().map(Option::is_some).collect();
    let mut found = legal::check(&steps, &reached, config);
    found.extend(path::check(&steps, &states, config));
    found.extend(calls::check(&steps, &reached));
    found.sort_by_key(|finding| finding.at);
    found
}
