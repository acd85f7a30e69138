//! Words made of units: several small instruction sets over the same bits.
//!
//! Each unit of a VLIW word is an [`Isa`] of its own. Units that share an opcode field
//! name the same bits, and putting the units' words together then enforces that they
//! agree. "Idle" is an operation with a more specific pattern and an empty text.

use crate::breach::{DecodeError, ParseCause, ParseError};
use crate::cx::Cx;
use crate::isa::{Inst, Isa};
use crate::out::Out;
use crate::word::Word;

/// The units of a word, in the order of the listing.
pub struct Bundle {
    /// One set per unit, all over the same bits.
    pub units: Vec<Isa>,
    /// What stands between the texts of two busy units.
    pub separator: &'static str,
}

impl Bundle {
    /// One instruction per unit.
    ///
    /// # Errors
    /// If a unit has no operation with these bits, or bytes are missing.
    pub fn decode(&self, bytes: &[u8]) -> Result<Vec<Inst>, DecodeError> {
        self.units.iter().map(|unit| unit.decode(bytes)).collect()
    }

    /// Appends the busy units' texts; `false` if a unit's bits are invalid.
    pub fn print(&self, insts: &[Inst], cx: &Cx, out: &mut Out) -> bool {
        let first = out.len();
        for (unit, inst) in self.units.iter().zip(insts) {
            let before = out.len();
            if before > first {
                out.push_str(self.separator);
            }
            let start = out.len();
            if !unit.print(inst, cx, out) {
                return false;
            }
            if out.len() == start {
                out.truncate(before);
            }
        }
        true
    }

    /// Puts the units' words together.
    ///
    /// # Errors
    /// The two units that want a bit otherwise.
    pub fn join(&self, insts: &[Inst]) -> Result<Word, (usize, usize)> {
        let (mut word, mut known) = (Word::ZERO, Word::ZERO);
        for (i, (unit, inst)) in self.units.iter().zip(insts).enumerate() {
            let mine = unit.claimed(inst.form);
            let clash = |w: Word| !((w & !inst.word | inst.word & !w) & mine & known).is_zero();
            if clash(word) {
                let other = (0..i).find(|&j| {
                    let theirs = self.units[j].claimed(insts[j].form) & mine;
                    insts[j].word & theirs != inst.word & theirs
                });
                return Err((other.unwrap_or(0), i));
            }
            word |= inst.word & mine;
            known |= mine;
        }
        Ok(word)
    }

    /// Reads a word: units in any order, missing ones idle (the form whose name is
    /// empty in the dialect).
    ///
    /// # Errors
    /// Of the unit's text, with places in the whole line.
    pub fn parse(&self, line: &str, cx: &Cx) -> Result<Vec<Inst>, ParseError> {
        let mut found: Vec<Option<Inst>> = vec![None; self.units.len()];
        let mut at = 0;
        for text in line.split(self.separator.trim()) {
            if !text.trim().is_empty() {
                self.parse_unit(text, at, cx, &mut found)?;
            }
            at += text.len() + self.separator.trim().len();
        }
        let idle = |unit: &Isa| unit.forms.iter().position(|f| f.operation.name_in(cx.dialect).is_empty());
        found
            .into_iter()
            .zip(&self.units)
            .map(|(inst, unit)| {
                let rest = || unit.encode(idle(unit)? as u16, &[], cx).ok();
                inst.or_else(rest).ok_or(ParseError { start: 0, end: 0, cause: ParseCause::Empty })
            })
            .collect()
    }

    fn parse_unit(
        &self,
        text: &str,
        at: usize,
        cx: &Cx,
        found: &mut [Option<Inst>],
    ) -> Result<(), ParseError> {
        let mut furthest: Option<ParseError> = None;
        for (unit, slot) in self.units.iter().zip(found) {
            match unit.parse(text, cx) {
                Ok(parsed) if slot.is_none() => {
                    *slot = Some(parsed.inst);
                    return Ok(());
                }
                Ok(_) => {}
                Err(e) if furthest.as_ref().is_none_or(|f| e.start > f.start) => furthest = Some(e),
                Err(_) => {}
            }
        }
        let e = furthest.unwrap_or(ParseError { start: 0, end: 0, cause: ParseCause::Excess });
        Err(ParseError { start: e.start + at as u32, end: e.end + at as u32, ..e })
    }
}
