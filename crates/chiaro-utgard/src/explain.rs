//! Explains instructions: units with their fields, and where each operand comes from.

use std::fmt::Write;

use chiaro_isa::{Cx, Inst, Isa, Out, Rng};

use crate::isa::UTGARD_GP;
use crate::isa::selector::{OPERANDS, Select};
use crate::isa::word::{FIELDS, Word};
use crate::listing::plain;

/// Every busy unit of every instruction, field by field; operands that name an earlier result
/// are followed to the unit that made it, as far as the program given goes back.
#[must_use]
pub fn explain(program: &[Word]) -> String {
    let mut out = String::new();
    for (at, &word) in program.iter().enumerate() {
        let _ = writeln!(out, "{at:03}: {}", text(word));
        let bytes = word.to_bytes();
        for isa in &UTGARD_GP.units {
            let Ok(inst) = isa.decode(&bytes) else { continue };
            if !isa.form(&inst).operation.name.is_empty() {
                unit(isa, &inst, &mut out);
            }
        }
        operands(program, at, &mut out);
        strays(word, &mut out);
    }
    out
}

/// The text of an instruction in chiaro's language.
#[must_use]
pub fn text(word: Word) -> String {
    let mut out = Out::default();
    plain::print(word, &mut out);
    out.as_str().to_owned()
}

/// A random word of busy units that agree, the same for the same state; `op` must be among
/// them if it is given. `None` if no unit has that operation.
#[must_use]
pub fn sample(op: Option<&str>, rng: &mut Rng) -> Option<Word> {
    let units = &UTGARD_GP.units;
    let mut order: Vec<usize> = (0..units.len()).collect();
    let mut wanted = None;
    if let Some(op) = op {
        let has = |isa: &Isa| forms(isa, op).first().copied();
        let (first, form) = units.iter().enumerate().find_map(|(i, isa)| Some((i, has(isa)?)))?;
        order.swap(0, first);
        wanted = Some(form);
    }
    let (mut all, mut known) = (Word::IDLE.0, 0u128);
    for unit in order {
        let isa = &units[unit];
        let must = wanted.take();
        if must.is_none() && rng.below(3) > 0 {
            continue;
        }
        let form = must.unwrap_or_else(|| rng.below(isa.forms.len()) as u16);
        let Some(inst) = isa.sample(form, rng) else { continue };
        let [mine, bits] = [isa.claimed(form), inst.word].map(wide);
        if (all ^ bits) & mine & known == 0 {
            all = all & !mine | bits & mine;
            known |= mine;
        }
    }
    Some(Word(all))
}

/// The forms of an operation by its name in listings.
fn forms(isa: &Isa, op: &str) -> Vec<u16> {
    let named = isa.forms.iter().enumerate().filter(|(_, form)| form.operation.name.eq_ignore_ascii_case(op));
    named.map(|(i, _)| i as u16).collect()
}

/// The names of all operations, unit by unit.
pub fn operations() -> impl Iterator<Item = &'static str> {
    let names = UTGARD_GP.units.iter().flat_map(|isa| isa.forms.iter().map(|form| form.operation.name));
    names.filter(|name| !name.is_empty())
}

fn wide(word: chiaro_isa::Word) -> u128 {
    u128::from(word.0[0]) | u128::from(word.0[1]) << 64
}

fn unit(isa: &Isa, inst: &Inst, out: &mut String) {
    for line in isa.explain(inst, &Cx::default()).to_string().lines() {
        // The sets are over the same bits: what one does not claim another does.
        if !line.starts_with("  set, but of unknown meaning") {
            let _ = writeln!(out, "  {line}");
        }
    }
}

/// Where operands come from.
fn operands(program: &[Word], at: usize, out: &mut String) {
    for (field, is_b, unit) in OPERANDS {
        let word = program[at];
        if word.get(field) == Word::IDLE.get(field) {
            continue;
        }
        let from = match Select::of(word.get(field), is_b) {
            Select::Result(from, back) => before(program, at, back, from.name()),
            Select::Port0 { back: 1, .. } => before(program, at, 1, "port 0"),
            _ => continue,
        };
        let _ = writeln!(out, "    {} of {} is {from}", field.name, unit.name());
    }
}

fn before(program: &[Word], at: usize, back: u8, what: &str) -> String {
    match at.checked_sub(usize::from(back)) {
        Some(from) => format!("{what} of instruction {from}: `{}`", text(program[from])),
        None => format!("{what} of {back} before the first instruction given"),
    }
}

/// What no unit that is busy says.
fn strays(word: Word, out: &mut String) {
    let text = text(word);
    for part in text.split("; ").filter_map(|part| part.strip_prefix('.')) {
        let name = part.split('=').next().unwrap_or_default();
        if let Some(field) = FIELDS.iter().find(|field| field.name == name) {
            let _ = writeln!(out, "    {part}, where idle words have {}: {}", field.idle, field.doc);
        }
    }
}
