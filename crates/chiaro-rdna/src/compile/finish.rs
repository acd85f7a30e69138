//! Code with registers to words.
//!
//! | file | does |
//! |---|---|
//! | [`waits`] | waits for what memory has not brought yet |
//! | [`layout`] | one list of lines: copies spelled out, jumps dropped, skips only where they pay |
//! | [`line`] | an instruction on its way to words |
//! | [`encode`] | words, by the rows of the instruction set |
//! | [`object`](object()) | the code object around them |

mod encode;
mod layout;
mod line;
mod object;
mod waits;

use chiaro_diag::Span;
use chiaro_mach::Code;

pub use object::object;

/// A finished program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Code, without what stands behind its end.
    pub code: Vec<u8>,
    /// The source text of each instruction, by its first byte.
    pub spans: Vec<(u32, Option<Span>)>,
}

/// Makes words.
///
/// # Errors
/// A mistake of the compiler: an instruction that the machine does not have.
pub fn finish(mut code: Code, wave: u8) -> Result<Program, String> {
    waits::wait(&mut code, wave);
    let lines = layout::layout(&code, wave);
    encode::encode(&lines, wave)
}
