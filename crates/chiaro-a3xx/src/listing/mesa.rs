//! A program as our assembler reads it back: labels at targets, `.word` for words that the
//! text cannot say. spec section 24.

use super::exact::{Exact, with_known};
use super::{Style, decode, raw};
use crate::isa;
use crate::operand::distance;
use chiaro_isa::{Cx, Inst, Out, Role, Symbols, Value};

/// Of a line in most programs, no more.
const CHARACTERS: usize = 32;

/// Prints a program. What stands behind the last `end` and is empty is padding, which the
/// assembler adds again.
pub fn listing(words: &[u64], style: Style) -> String {
    lines(without_padding(words), style)
}

/// The same with every word, empty ones at the end included.
pub fn lines(words: &[u64], style: Style) -> String {
    let insts: Vec<Option<Inst>> = words.iter().map(|&word| decode(word, style.generation)).collect();
    let labels = Labels::of(&insts, style.generation);
    let mut next = labels.places.iter().peekable();
    let mut out = Out::with_room(words.len() * CHARACTERS);
    with_known(style.generation, |exact| {
        for (index, (&word, inst)) in words.iter().zip(&insts).enumerate() {
            if let Some((_, name)) = next.next_if(|(place, _)| *place == index as u64) {
                out.push_str(name);
                out.push_str(":\n");
            }
            let line = Line { index, style, labels: &labels };
            instruction((word, inst.as_ref()), &line, exact, &mut out);
            out.push('\n');
        }
    });
    out.into_string()
}

/// The program up to its last `end`, if only empty words follow it.
pub fn without_padding(words: &[u64]) -> &[u64] {
    let used = words.iter().rposition(|w| *w != 0).map_or(0, |last| last + 1);
    &words[..used]
}

/// Where an instruction stands, and how it is printed.
struct Line<'a> {
    index: usize,
    style: Style,
    labels: &'a Labels,
}

fn instruction((word, inst): (u64, Option<&Inst>), line: &Line<'_>, exact: &mut Exact, out: &mut Out) {
    let Line { index, style, labels } = *line;
    let cx = Cx { symbols: Some(labels), ..style.cx(index) };
    let start = out.len();
    let printed = inst.is_some_and(|inst| isa::isa(style.generation).print(inst, &cx, out));
    let mut comes_back = |inst: &Inst| exact.of(inst) && !narrow(inst, style);
    if printed && (style.compat || inst.is_some_and(&mut comes_back)) {
        return;
    }
    let text = out.as_str()[start..].to_owned();
    out.truncate(start);
    out.push_str(&raw(word));
    if printed {
        out.push_str(" ; ");
        out.push_str(&text);
    }
}

/// Whether a branch holds 16 bits, which a label does not bring back.
fn narrow(inst: &Inst, style: Style) -> bool {
    let held = held_distance(inst, style.generation);
    held.is_some_and(|n| i64::from(distance(n as u32)) != n)
}

/// The distance of a branch as its bits say it. Branches are of category 0.
fn held_distance(inst: &Inst, generation: u8) -> Option<i64> {
    if inst.word.0[0] >> 61 != 0 {
        return None;
    }
    let isa = isa::isa(generation);
    let target = isa.form(inst).format.fields.iter().find(|field| field.role == Role::Target)?;
    target.kind.decode(target.bits.gather(&inst.word), &isa.cx()).and_then(Value::int)
}

/// Names of the places that branches go to, in their order.
struct Labels {
    places: Vec<(u64, String)>,
}

impl Labels {
    fn of(insts: &[Option<Inst>], generation: u8) -> Labels {
        let of = |(index, inst): (usize, &Option<Inst>)| place(inst.as_ref()?, index, generation);
        let inside = |place: &usize| *place < insts.len();
        let mut places: Vec<usize> = insts.iter().enumerate().filter_map(of).filter(inside).collect();
        places.sort_unstable();
        places.dedup();
        Labels { places: places.into_iter().map(|place| (place as u64, format!("l{place}"))).collect() }
    }
}

/// The index that the instruction at `index` jumps to.
pub fn target(word: u64, index: usize, generation: u8) -> Option<usize> {
    if word >> 61 != 0 {
        return None;
    }
    place(&decode(word, generation)?, index, generation)
}

fn place(inst: &Inst, index: usize, generation: u8) -> Option<usize> {
    let n = held_distance(inst, generation)?;
    usize::try_from(index as i64 + i64::from(distance(n as u32))).ok()
}

impl Symbols for Labels {
    fn lookup(&self, _: &str) -> Option<Value> {
        None
    }
    fn name_at(&self, place: u64) -> Option<&str> {
        let at = self.places.binary_search_by_key(&place, |(place, _)| *place).ok()?;
        Some(&self.places[at].1)
    }
}
