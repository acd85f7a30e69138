//! Code with registers to words.
//!
//! | file | does |
//! |---|---|
//! | [`layout`] | one list of lines: copies spelled out, branches shortened, empty blocks passed over |
//! | [`hazards`] | nops and flags, only where they are needed |
//! | [`line`] | an instruction on its way to a word |
//! | [`encode`] | words, by the rows of the instruction set |

mod encode;
mod hazards;
mod layout;
mod line;

use chiaro_diag::Span;
use chiaro_mach::Code;

/// A finished program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The words, without padding.
    pub words: Vec<u64>,
    /// The source text of each.
    pub spans: Vec<Option<Span>>,
    /// Instructions, repetitions counted.
    pub slots: u32,
}

/// Makes words.
///
/// # Errors
/// A mistake of the compiler: an instruction that the machine does not have.
pub fn finish(code: &Code) -> Result<Program, String> {
    let mut lines = layout::layout(code);
    hazards::settle(&mut lines);
    let mut words = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        words.push(encode::encode(line, at)?);
    }
    let slots = lines.iter().map(|line| 1 + u32::from(line.modifiers.repeat)).sum();
    Ok(Program { words, spans: lines.iter().map(|line| line.span).collect(), slots })
}
