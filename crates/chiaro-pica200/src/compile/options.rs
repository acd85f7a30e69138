//! What a user of the compiler chooses.

use crate::abi::Wishes;
use crate::compile::legalize::clip::Clip;
use chiaro_opt::Assumptions;

/// What a subroutine saves by default.
const SUBROUTINE_SAVES: usize = 8;

/// The effort of a user who asks for nothing.
const EFFORT: u32 = 1;

/// Choices for compiling.
#[derive(Clone, Debug)]
pub struct Options {
    /// What arithmetic may be assumed to be; exact values keep theirs in any case.
    pub assumptions: Assumptions,
    /// The convention of clip coordinates to convert from; without it they pass through.
    pub clip: Option<Clip>,
    /// How many ways to compile are tried, 0 to 3: at 0 loops stay loops, at 1 they are unrolled where that takes
    /// fewer words, at 2 each of the back end's steps is left out in turn, at 3 all combinations of them are; both then turn round
    /// single decisions, 3 also two at a time, and 3 raises the lower bound by exact search.
    pub effort: u32,
    /// Words that a subroutine must save to be made: a CALL takes time on every path. A program
    /// that does not fit makes all that save one.
    pub subroutine_saves: usize,
    /// What outputs are for.
    pub wishes: Wishes,
    /// Who gives uniforms the values that the source gives them.
    pub defaults: Defaults,
}

/// Who gives a uniform the value that the source gives it: `uniform float k = 0.5;`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Defaults {
    /// The loader, by an entry of the constant table.
    #[default]
    Loader,
    /// The host program: the register is like that of any other uniform.
    Host,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            assumptions: Assumptions { progress: true, ..Assumptions::GRAPHICS },
            clip: None,
            effort: EFFORT,
            subroutine_saves: SUBROUTINE_SAVES,
            wishes: Wishes::default(),
            defaults: Defaults::default(),
        }
    }
}
