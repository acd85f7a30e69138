//! Words as text.
//!
//! [`mesa`] is what our assembler and Mesa's read; [`pgmdump`] is what the older tools
//! print, with index and words before the text and register statistics behind the program.

mod exact;
pub mod mesa;
pub mod pgmdump;
mod registers;

use crate::isa;
use crate::operand::COMPAT;
use chiaro_isa::{Cx, Inst, Out, Word};

/// How to print.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// An index of [`crate::regs::generation`].
    pub generation: u8,
    /// One of [`MESA`](crate::operand::MESA), [`PGMDUMP`](crate::operand::PGMDUMP) and
    /// [`PGMDUMP_2013`](crate::operand::PGMDUMP_2013).
    pub dialect: u8,
    /// Exactly as the tool prints, also where that does not assemble back.
    pub compat: bool,
}

impl Style {
    /// The context of an instruction at an index.
    pub(crate) fn cx(self, index: usize) -> Cx<'static> {
        let options = if self.compat { COMPAT } else { 0 };
        let (dialect, generation) = (self.dialect, self.generation);
        Cx { dialect, generation, options, address: index as u64 * 8, ..Cx::default() }
    }
}

/// The high and the low half of a word, as all texts have them: `57305b00_00002000`.
pub fn halves(word: u64) -> String {
    format!("{:08x}_{:08x}", word >> 32, word & 0xffff_ffff)
}

/// What stands for a word that no text of an instruction brings back.
pub fn raw(word: u64) -> String {
    format!(".word 0x{}", halves(word))
}

/// The instruction of a word in a generation, if there is one.
pub fn decode(word: u64, generation: u8) -> Option<Inst> {
    isa::isa(generation).decode_word(&Word::from(word), 8).ok()
}

/// Appends one instruction; `false`, with nothing appended, if no instruction of the
/// generation has these bits.
pub fn line(word: u64, style: Style, out: &mut Out) -> bool {
    let isa = isa::isa(style.generation);
    match isa.decode_word(&Word::from(word), 8) {
        Ok(inst) => isa.print(&inst, &style.cx(0), out),
        Err(_) => false,
    }
}

/// Whether the text of an instruction assembles to the same word: every set bit has a
/// meaning, and no rule is broken.
pub fn is_exact(inst: &Inst, generation: u8) -> bool {
    let isa = isa::isa(generation);
    let cx = isa.cx();
    if !isa.unclaimed(inst).is_zero() {
        return false;
    }
    let values = isa.values(inst, &cx);
    let fields = isa.form(inst).format.fields.iter();
    let given: Vec<_> = fields.zip(values.as_slice()).map(|(f, v)| v.filter(|_| !f.view)).collect();
    isa.encode_given(inst.form, &given, &cx).is_ok_and(|again| again.word == inst.word)
}
