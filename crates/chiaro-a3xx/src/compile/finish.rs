//! Code with registers to words.
//!
//! | file | does |
//! |---|---|
//! | [`layout`] | one list of lines: copies spelled out, branches shortened, empty blocks passed over |
//! | [`hazards`] | nops and flags, only where they are needed |
//! | [`repeats`] | instructions alike as repetitions of one |
//! | [`line`] | an instruction on its way to a word |
//! | [`encode`] | words, by the rows of the instruction set |

mod encode;
mod hazards;
mod layout;
mod line;
mod repeats;

use chiaro_diag::Span;
use chiaro_mach::Code;

use line::Line;

/// A finished program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The words, without padding.
    pub words: Vec<u64>,
    /// The source text of each.
    pub spans: Vec<Option<Span>>,
}

/// Makes words.
///
/// # Errors
/// A mistake of the compiler: an instruction that the machine does not have.
pub fn finish(code: &Code) -> Result<Program, String> {
    let lines = lines(code);
    let words =
        lines.iter().enumerate().map(|(at, line)| encode::encode(line, at)).collect::<Result<_, _>>()?;
    Ok(Program { words, spans: lines.iter().map(|line| line.span).collect() })
}

/// How many instructions there will be, repetitions counted: that lines become repetitions of one changes nothing of it.
#[must_use]
pub fn length(code: &Code) -> u32 {
    hazards::slots(&layout::layout(code))
}

fn lines(code: &Code) -> Vec<Line<'_>> {
    let mut lines = layout::layout(code);
    hazards::settle(&mut lines);
    repeats::repeat(&mut lines);
    lines
}
