//! What a user of the compiler chooses.

use crate::compile::legalize::clip::Clip;
use chiaro_opt::Assumptions;

/// What a subroutine saves by default.
const SUBROUTINE_SAVES: usize = 8;

/// Choices for compiling.
#[derive(Clone, Debug)]
pub struct Options {
    /// What arithmetic may be assumed to be; exact values keep theirs in any case.
    pub assumptions: Assumptions,
    /// The convention of clip coordinates to convert from; without it they pass through.
    pub clip: Option<Clip>,
    /// Words that a subroutine must save to be made: a CALL takes time on every path. A program
    /// that does not fit makes all that save one.
    pub subroutine_saves: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { assumptions: Assumptions::GRAPHICS, clip: None, subroutine_saves: SUBROUTINE_SAVES }
    }
}
