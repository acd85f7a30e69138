//! Reads an instruction's line, as [`crate::listing::plain`] prints it.

use chiaro_isa::{Cx, Inst, ParseCause, ParseError};

use crate::isa::UTGARD_GP;
use crate::isa::word::{FIELDS, Field, Word};
use crate::listing::plain::said;

/// Reads a line.
///
/// # Errors
/// What is wrong with the text, and where in the line.
pub fn parse(line: &str) -> Result<Word, ParseError> {
    let mut units = String::with_capacity(line.len());
    let mut raw = Vec::new();
    let mut at = 0;
    for part in line.split(';') {
        let text = part.trim();
        let start = at + (part.len() - part.trim_start().len());
        // Texts keep their columns: what is not a unit's is blanked out.
        if let Some(field) = text.strip_prefix('.') {
            raw.push(stray(field, start)?);
            units.extend(std::iter::repeat_n(' ', part.len()));
        } else if text == "nop" {
            units.extend(std::iter::repeat_n(' ', part.len()));
        } else {
            units.push_str(part);
        }
        units.push(';');
        at += part.len() + 1;
    }
    let bundle = &*UTGARD_GP;
    let insts = bundle.parse(&units, &Cx::default())?;
    let mut word = joined(&insts);
    for (field, value) in raw {
        word = word.with(field, value);
    }
    Ok(word)
}

/// Busy units over the idle word.
fn joined(insts: &[Inst]) -> Word {
    let mut word = Word::IDLE.0;
    for (unit, (isa, inst)) in UTGARD_GP.units.iter().zip(insts).enumerate() {
        let name = isa.form(inst).operation.name;
        let bits = said(unit, isa.claimed(inst.form));
        if !name.is_empty() {
            let mine = u128::from(inst.word.0[0]) | u128::from(inst.word.0[1]) << 64;
            word = word & !bits | mine & bits;
        }
    }
    Word(word)
}

/// A raw field, `mul0_a=3` behind the point.
fn stray(text: &str, start: usize) -> Result<(Field, u32), ParseError> {
    let fail = |why| ParseError {
        start: start as u32,
        end: (start + text.len() + 1) as u32,
        cause: ParseCause::Text(why),
    };
    let (name, value) = text.split_once('=').ok_or_else(|| fail("a raw field is written `.name=value`"))?;
    let field =
        FIELDS.iter().find(|f| f.name == name.trim()).ok_or_else(|| fail("no field has this name"))?;
    match value.trim().parse() {
        Ok(value) if value <= field.most() => Ok((*field, value)),
        _ => Err(fail("the value is no number that fits the field")),
    }
}
