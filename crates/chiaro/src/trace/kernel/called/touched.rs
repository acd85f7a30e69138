//! Which words of what is handed over a stage looks at, and which it writes: others need not travel.

use std::collections::HashMap;
use std::ops::Range;

use chiaro_ir::{Builder, Function, GlobalRef, Inst, Module, Op, Ty, Value, Walk};

use super::super::words::{count, together};

/// By word of what is handed over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touched {
    /// What is there has to come.
    pub given: Vec<bool>,
    /// Something else may be there afterwards.
    pub written: Vec<bool>,
}

impl Touched {
    /// None of so many words.
    pub fn none(words: u32) -> Touched {
        let none = vec![false; words as usize];
        Touched { given: none.clone(), written: none }
    }

    /// Those of one more. What may be written comes, too: on some ways it stays.
    pub fn add(&mut self, other: &Touched) {
        (self.given.iter_mut().zip(&other.given)).for_each(|(own, other)| *own |= other);
        (self.written.iter_mut().zip(&other.written)).for_each(|(own, other)| *own |= other);
    }

    /// The words of a variable that a function touches.
    pub fn of(module: &Module, f: &Function, variable: GlobalRef) -> Touched {
        let ty = module.global(variable).ty;
        let words = count(module, ty).unwrap_or(0) as u32;
        let mut found = Touched::none(words);
        let mut places: HashMap<Value, (Range<usize>, Ty)> = HashMap::new();
        let whole = |value: &Value| module.variable_at(f, *value) == Some(variable);
        for inst in Walk::insts(f) {
            for (n, arg) in f.args(inst).iter().enumerate() {
                let place = match places.get(arg) {
                    Some(place) => place.clone(),
                    None if whole(arg) => (0..words as usize, ty),
                    None => continue,
                };
                match f.op(inst) {
                    Op::Access if n == 0 => {
                        let part = part(module, f, inst, place);
                        f.result_of(inst).map(|pointer| places.insert(pointer, part));
                    }
                    op => found.note(op, n, place.0),
                }
            }
        }
        found
    }

    fn note(&mut self, op: Op, operand: usize, words: Range<usize>) {
        let reads = !matches!((op, operand), (Op::Store | Op::Copy, 0));
        let writes = !matches!((op, operand), (Op::Load, _) | (Op::Copy, 1));
        for n in words {
            self.given[n] |= reads || writes;
            self.written[n] |= writes;
        }
    }
}

/// The words of a part, and its type; where an index is not known, those of the whole that it goes into.
fn part(
    module: &Module,
    f: &Function,
    inst: Inst,
    (mut words, mut ty): (Range<usize>, Ty),
) -> (Range<usize>, Ty) {
    let size = |ty: Ty| count(module, ty).unwrap_or(0);
    let mut is_known = true;
    for &index in &f.args(inst)[1..] {
        let number = module.value_bits(f, index).map(|n| n as u32);
        let next = module.types.part(ty, number.unwrap_or(0));
        is_known &= number.is_some();
        let Some(next) = next else { return (words, ty) };
        if let (true, Some(number)) = (is_known, number) {
            let before = (0..number).filter_map(|n| module.types.part(ty, n)).map(size).sum::<usize>();
            let first = words.start + before;
            words = first..(first + size(next)).min(words.end);
        }
        ty = next;
    }
    (words, ty)
}

impl Touched {
    /// What a call is given of some words, as one value; none for no words.
    pub fn give(&self, b: &mut Builder<'_>, words: &[Value]) -> Option<Value> {
        together(b, &chosen(words, &self.given))
    }

    /// All words, as far as a call is given them.
    pub fn take(&self, b: &mut Builder<'_>, given: Option<Value>) -> Vec<Value> {
        let word = b.int_ty(32);
        let nothing = vec![b.undef(word); self.given.len()];
        spliced(b, nothing, given, &self.given)
    }

    /// What a call gives back of some words.
    pub fn give_back(&self, b: &mut Builder<'_>, words: &[Value]) -> Option<Value> {
        together(b, &chosen(words, &self.written))
    }

    /// All words, those that a call has written as it gives them back.
    pub fn take_back(&self, b: &mut Builder<'_>, before: Vec<Value>, back: Option<Value>) -> Vec<Value> {
        spliced(b, before, back, &self.written)
    }
}

fn spliced(b: &mut Builder<'_>, mut words: Vec<Value>, parts: Option<Value>, which: &[bool]) -> Vec<Value> {
    let Some(parts) = parts else { return words };
    let places = words.iter_mut().zip(which).filter(|(_, is_meant)| **is_meant);
    for (n, (word, _)) in (0..).zip(places) {
        *word = b.extract(parts, n);
    }
    words
}

/// Of some values those that are meant.
fn chosen(all: &[Value], which: &[bool]) -> Vec<Value> {
    all.iter().zip(which).filter(|(_, is_meant)| **is_meant).map(|(value, _)| *value).collect()
}

/// How many are meant.
pub fn sum(which: &[bool]) -> u32 {
    which.iter().filter(|is_meant| **is_meant).count() as u32
}
