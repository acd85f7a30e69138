//! Words made of units: several small instruction sets over the same bits.
//!
//! Each unit of a VLIW word is an [`Isa`] of its own. Units that share an opcode field
//! name the same bits, and putting the units together then enforces that they agree.
//! "Idle" is an operation with a more specific pattern and an empty text.

use crate::breach::{DecodeError, EncodeError, ParseCause, ParseError};
use crate::cx::Cx;
use crate::encode::Decided;
use crate::form::Inst;
use crate::isa::Isa;
use crate::out::Out;
use crate::word::Word;

/// The units of a word, in the order of the listing. Where the opcode of one unit
/// decides how another must be encoded, it stands before that one.
pub struct Bundle {
    /// One set per unit, all over the same bits.
    pub units: Vec<Isa>,
    /// What stands between the texts of two busy units, such as `; `.
    pub separator: &'static str,
    /// Bits of the word without a meaning as far as is known.
    pub spare: Word,
}

impl Bundle {
    /// One instruction per unit.
    ///
    /// # Errors
    /// If a unit has no operation with these bits, or bytes are missing.
    pub fn decode(&self, bytes: &[u8]) -> Result<Vec<Inst>, DecodeError> {
        self.units.iter().map(|unit| unit.decode(bytes)).collect()
    }

    /// Appends the busy units' texts; `false`, with nothing appended, if an operand's
    /// bits are invalid.
    pub fn print(&self, insts: &[Inst], cx: &Cx, out: &mut Out) -> bool {
        let first = out.len();
        for (unit, inst) in self.units.iter().zip(insts) {
            let before = out.len();
            if before > first {
                out.push_str(self.separator);
            }
            let start = out.len();
            if !unit.print(inst, cx, out) {
                out.truncate(first);
                return false;
            }
            if out.len() == start {
                out.truncate(before);
            }
        }
        true
    }

    /// Puts the units together: each gives the bits that its form claims.
    ///
    /// # Errors
    /// The two units (by index) that want a bit otherwise.
    pub fn join(&self, insts: &[Inst]) -> Result<Word, (usize, usize)> {
        let mut all = Decided::default();
        for (i, (unit, inst)) in self.units.iter().zip(insts).enumerate() {
            let mine = unit.claimed(inst.form);
            let differing = |other: Word| (inst.word & !other | other & !inst.word) & mine;
            if !(differing(all.word) & all.known).is_zero() {
                let clashes = |j: &usize| {
                    !(differing(insts[*j].word) & self.units[*j].claimed(insts[*j].form)).is_zero()
                };
                return Err(((0..i).find(clashes).unwrap_or(0), i));
            }
            all.word |= inst.word & mine;
            all.known |= mine;
        }
        Ok(all.word)
    }

    /// Reads a word: units in any order, missing ones idle (the form whose name is
    /// empty in the dialect). What is read can be [joined](Self::join).
    ///
    /// # Errors
    /// Of the unit's text, with places in the whole line.
    pub fn parse(&self, line: &str, cx: &Cx) -> Result<Vec<Inst>, ParseError> {
        let mut texts: Vec<Option<(&str, usize)>> = vec![None; self.units.len()];
        let separator = self.separator.trim();
        let mut at = 0;
        for text in line.split(separator) {
            if !text.trim().is_empty() {
                self.assign(text, at, cx, &mut texts)?;
            }
            at += text.len() + separator.len();
        }
        self.encode(&texts, cx)
    }

    /// Gives a text to the first free unit that knows its mnemonic.
    fn assign<'a>(
        &self,
        text: &'a str,
        at: usize,
        cx: &Cx,
        texts: &mut [Option<(&'a str, usize)>],
    ) -> Result<(), ParseError> {
        let mut unknown = ParseError { start: 0, end: text.len() as u32, cause: ParseCause::Excess };
        for (unit, slot) in self.units.iter().zip(texts) {
            match unit.parse(text, cx) {
                Err(e @ ParseError { cause: ParseCause::Mnemonic(_) | ParseCause::Empty, .. }) => {
                    if unknown.cause == ParseCause::Excess {
                        unknown = e;
                    }
                }
                _ if slot.is_none() => {
                    *slot = Some((text, at));
                    return Ok(());
                }
                // The unit is taken already, and that is the error unless another takes it.
                _ => unknown.cause = ParseCause::Text("this unit does something else in this word already"),
            }
        }
        Err(moved(unknown, at))
    }

    /// Units that are mentioned first, each in an encoding that agrees with those
    /// before it; then the idle ones on what is left.
    fn encode(&self, texts: &[Option<(&str, usize)>], cx: &Cx) -> Result<Vec<Inst>, ParseError> {
        let mut decided = Decided::default();
        let mut insts = vec![Inst { word: Word::ZERO, form: 0, length: 0 }; self.units.len()];
        let mut decide = |unit: usize, inst: Inst| {
            let mine = self.units[unit].claimed(inst.form);
            decided.word |= inst.word & mine;
            decided.known |= mine;
            insts[unit] = inst;
            decided
        };
        let mut so_far = Decided::default();
        for (i, text) in texts.iter().enumerate() {
            let Some((text, at)) = text else { continue };
            let parsed = self.units[i].parse_onto(text, &so_far, cx).map_err(|e| moved(e, *at))?;
            so_far = decide(i, parsed.inst);
        }
        for (i, unit) in self.units.iter().enumerate().filter(|(i, _)| texts[*i].is_none()) {
            let idle =
                (0..unit.forms.len()).filter(|&f| unit.forms[f].operation.name_in(cx.dialect).is_empty());
            let mut inst = Err(EncodeError::Operation);
            // Several forms can be idle: a unit is left alone, or taken by another one.
            for form in idle {
                inst = inst.or_else(|_| unit.encode_onto(form as u16, &[], &so_far, cx));
            }
            let failed = |e| ParseError { start: 0, end: 0, cause: ParseCause::Encode(e) };
            so_far = decide(i, inst.map_err(failed)?);
        }
        Ok(insts)
    }
}

fn moved(e: ParseError, by: usize) -> ParseError {
    ParseError { start: e.start + by as u32, end: e.end + by as u32, ..e }
}
