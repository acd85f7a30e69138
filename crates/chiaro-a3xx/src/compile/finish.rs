//! Code with registers to words.
//!
//! | file | does |
//! |---|---|
//! | [`layout`] | one list of lines: copies spelled out, branches shortened, empty blocks passed over |
//! | [`hazards`] | nops and flags, only where they are needed |
//! | [`encode`] | words, by the rows of the instruction set |

mod encode;
mod hazards;
mod layout;

use chiaro_diag::Span;
use chiaro_mach::{Code, Operand};

use super::code::Modifiers;
use crate::isa::Op;

/// An instruction on its way to a word.
#[derive(Clone, Debug)]
pub(super) struct Line {
    op: Op,
    defs: Vec<Operand>,
    uses: Vec<Operand>,
    modifiers: Modifiers,
    /// The line that a branch leads to.
    target: Option<usize>,
    ss: bool,
    sy: bool,
    jp: bool,
    ul: bool,
    span: Option<Span>,
}

impl Line {
    fn new(op: Op, defs: &[Operand], uses: &[Operand]) -> Line {
        let (defs, uses) = (defs.to_vec(), uses.to_vec());
        let modifiers = Modifiers::default();
        Line {
            op,
            defs,
            uses,
            modifiers,
            target: None,
            ss: false,
            sy: false,
            jp: false,
            ul: false,
            span: None,
        }
    }
}

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
    let mut lines = layout::layout(code);
    hazards::settle(&mut lines);
    let mut words = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        words.push(encode::encode(line, at)?);
    }
    Ok(Program { words, spans: lines.iter().map(|line| line.span).collect() })
}
