//! What the passes may assume of a target, and how far they go.

use crate::limits::{Assumptions, Limits};

/// How to optimise. The default is for a target that calls no functions.
#[derive(Clone, Debug)]
pub struct Options {
    /// The target calls functions: only small ones are inlined.
    pub calls: bool,
    /// Where the target calls functions, those of so many instructions and fewer are inlined.
    pub small: u32,
    /// Functions that are never inlined, by name.
    pub keep: Vec<String>,
    /// Functions that keep the parameters they have, by name: somebody has agreed on them.
    pub agreed: Vec<String>,
    /// Most instructions that a function may grow to by inlining.
    pub most: u32,
    /// Most rounds of the list of passes that clean up.
    pub rounds: u32,
    /// What may be assumed of floats.
    pub assumptions: Assumptions,
    /// How far passes go that trade size for something.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            calls: false,
            small: 16,
            keep: Vec::new(),
            agreed: Vec::new(),
            most: 100_000,
            rounds: 8,
            assumptions: Assumptions::STRICT,
            limits: Limits::default(),
        }
    }
}
