//! Code with registers to bytes.
//!
//! | file | does |
//! |---|---|
//! | [`slots`], [`waits`] | which slot a load waits on; waits for what is on its way |
//! | [`layout`] | one list of lines: copies spelled out, nesting without lanes left out |
//! | [`line`], [`standing`] | an instruction on its way; what stands around code |
//! | [`encode`] | bytes, by the rows of the instruction set |

mod encode;
mod layout;
mod line;
mod slots;
mod standing;
mod waits;

use chiaro_mach::Code;

pub use encode::Program;
pub use standing::{End, Standing};

/// Makes bytes.
///
/// # Errors
/// A mistake of the compiler: an instruction that the machine does not have.
pub fn finish(mut code: Code, standing: Standing) -> Result<Program, String> {
    waits::waits(&mut code, standing.end);
    let lines = layout::layout(&code, standing);
    encode::encode(&lines, standing.generation)
}
