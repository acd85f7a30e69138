//! Code with registers to words.
//!
//! | file | does |
//! |---|---|
//! | [`waits`] | waits for what memory has not brought yet |
//! | [`prefer_vcc`](mod@prefer_vcc) | masks in vcc, which short forms name |
//! | [`layout`] | one list of lines: copies spelled out, jumps dropped, skips only where they pay |
//! | [`lanes`] | changes of EXEC that nothing sees, skips that do not pay |
//! | [`dead_scalars`](mod@dead_scalars) | scalar results that nobody reads |
//! | [`begin_scratch`](mod@begin_scratch) | where scratch begins |
//! | [`shorten`] | short forms |
//! | [`line`] | an instruction on its way to words |
//! | [`encode`] | words, by the rows of the instruction set |
//! | [`object`](object()) | the code object around them |

mod begin_scratch;
mod dead_scalars;
mod encode;
mod lanes;
mod layout;
mod line;
mod object;
mod prefer_vcc;
mod shorten;
mod waits;

use chiaro_diag::Span;
use chiaro_mach::Code;

use crate::abi::interface::Interface;
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
pub fn finish(mut code: Code, interface: &Interface, wave: u8) -> Result<Program, String> {
    prefer_vcc::prefer_vcc(&mut code, wave);
    waits::wait(&mut code, wave);
    let mut lines = layout::layout(&code);
    dead_scalars::dead_scalars(&mut lines, wave);
    begin_scratch::begin_scratch(&mut lines, interface);
    lines.iter_mut().for_each(shorten::shorten);
    let (code, spans) = encode::encode(&lines, wave)?;
    Ok(Program { code, spans })
}
