//! A program as our assembler reads it back: labels at targets, `.word` for words that the
//! text cannot say. spec section 24.

use super::{Style, decode, is_exact};
use crate::isa;
use crate::operand::distance;
use chiaro_isa::{Cx, Inst, Out, Symbols, Value};
use std::collections::BTreeSet;

/// Prints a program. What stands behind the last `end` and is empty is padding, which the
/// assembler adds again.
pub fn listing(words: &[u64], style: Style) -> String {
    lines(without_padding(words), style)
}

/// The same with every word, empty ones at the end included.
pub fn lines(words: &[u64], style: Style) -> String {
    let labels = Labels::of(words, style.generation);
    let mut out = Out::default();
    for (index, &word) in words.iter().enumerate() {
        if labels.places.contains(&(index as u64)) {
            out.push_str(labels.name(index as u64));
            out.push_str(":\n");
        }
        instruction(word, index, style, &labels, &mut out);
        out.push('\n');
    }
    out.as_str().to_owned()
}

/// The program up to its last `end`, if only empty words follow it.
pub fn without_padding(words: &[u64]) -> &[u64] {
    let used = words.iter().rposition(|w| *w != 0).map_or(0, |last| last + 1);
    &words[..used]
}

fn instruction(word: u64, index: usize, style: Style, labels: &Labels, out: &mut Out) {
    let cx = Cx { symbols: Some(labels), ..style.cx(index) };
    let inst = decode(word, style.generation);
    let isa = isa::isa(style.generation);
    let start = out.len();
    let printed = inst.as_ref().is_some_and(|inst| isa.print(inst, &cx, out));
    let exact = inst.as_ref().is_some_and(|inst| is_exact(inst, style.generation) && !narrow(inst, style));
    if printed && (exact || style.compat) {
        return;
    }
    let text = out.as_str()[start..].to_owned();
    out.truncate(start);
    out.push_str(".word 0x");
    out.push_hex(word >> 32, 8);
    out.push('_');
    out.push_hex(word & 0xffff_ffff, 8);
    if printed {
        out.push_str(" ; ");
        out.push_str(&text);
    }
}

/// Whether a branch holds 16 bits, which a label does not bring back.
fn narrow(inst: &Inst, style: Style) -> bool {
    match isa::isa(style.generation).value(inst, "target", &style.cx(0)) {
        Some(Value::Int(n)) => i64::from(distance(n as u32)) != n,
        _ => false,
    }
}

/// Names of the places that branches go to.
struct Labels {
    places: BTreeSet<u64>,
    names: Vec<String>,
}

impl Labels {
    fn of(words: &[u64], generation: u8) -> Labels {
        let mut places = BTreeSet::new();
        for (index, &word) in words.iter().enumerate() {
            if let Some(place) = target(word, index, generation).filter(|p| *p < words.len()) {
                places.insert(place as u64);
            }
        }
        let most = places.last().map_or(0, |last| last + 1);
        Labels { names: (0..most).map(|n| format!("l{n}")).collect(), places }
    }

    fn name(&self, place: u64) -> &str {
        &self.names[place as usize]
    }
}

/// The index that the instruction at `index` jumps to.
pub fn target(word: u64, index: usize, generation: u8) -> Option<usize> {
    let isa = isa::isa(generation);
    let inst = decode(word, generation)?;
    let n = isa.value(&inst, "target", &isa.cx())?.int()?;
    usize::try_from(index as i64 + i64::from(distance(n as u32))).ok()
}

impl Symbols for Labels {
    fn lookup(&self, _: &str) -> Option<Value> {
        None
    }
    fn name_at(&self, place: u64) -> Option<&str> {
        self.places.contains(&place).then(|| self.name(place))
    }
}
