//! Rules of functions: the steps of reciprocal, root, exponential and logarithm belong together.

use super::operands::{Result, result};
use super::{Check, rules};
use crate::isa::selector::{Select, Unit};
use crate::isa::word::{self, Field, Word};
use crate::isa::{Add0, Complex, Mul0, Pass};
use crate::regs::{IDENT, UNUSED};

/// Where a value comes from, moves looked through.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Origin {
    /// Attribute or uniform: bank, index (with offset), component.
    Loaded(u8, u32, u8),
    /// A unit of an instruction.
    Computed(usize, Unit),
    /// A register, or anything else that is not followed.
    Other,
}

/// Moves that are followed at most; programs are short.
const MOST_MOVES: usize = 512;

impl Check<'_> {
    pub(super) fn patterns(&mut self, at: usize) {
        let word = self.program[at];
        match Mul0::in_word(word) {
            Mul0::Complex1 => self.last_step(at, word),
            Mul0::Complex2 if word.get(word::MUL0_A) != word.get(word::MUL0_B) => {
                let detail = "complex2 takes its argument twice".to_owned();
                self.fail(at, &rules::PATTERN, word::MUL0_B.name, detail);
            }
            _ => {}
        }
        if Complex::in_word(word) == Complex::Exp2 && word.get(word::COMPLEX_A) != UNUSED {
            self.after_preexp2(at, word::COMPLEX_A);
        }
    }

    fn last_step(&mut self, at: usize, word: Word) {
        let expected = [
            (word::MUL0_A, Unit::Complex, "the complex unit's result"),
            (word::MUL0_B, Unit::Mul0, "complex2's result"),
            (word::MUL1_A, Unit::Complex, "the complex unit's result"),
        ];
        for (field, unit, what) in expected {
            if word.get(field) != Select::Result(unit, 1).first() {
                return self.fail(at, &rules::PATTERN, field.name, format!("expected {what}"));
            }
        }
        let Some(before) = at.checked_sub(1) else { return };
        let first = self.program[before];
        let Result::First(function) = result(first, Word::IDLE, Unit::Complex) else {
            let detail = "the instruction before starts no function".to_owned();
            return self.fail(at, &rules::PATTERN, word::MUL0_A.name, detail);
        };
        if Mul0::in_word(first) != Mul0::Complex2 {
            let detail = "the instruction before has no complex2".to_owned();
            return self.fail(at, &rules::PATTERN, word::MUL0_B.name, detail);
        }
        if function == Complex::Exp2 {
            self.after_preexp2(at, word::MUL1_B);
        }
        let arguments = [(before, word::COMPLEX_A), (before, word::MUL0_A), (at, word::MUL1_B)];
        let [a, b, c] = arguments.map(|(at, field)| self.origin(at, field));
        let differ = |a, b| a != b && a != Origin::Other && b != Origin::Other;
        if differ(a, b) || differ(b, c) || differ(a, c) {
            let detail = "an earlier step takes another argument".to_owned();
            self.fail(at, &rules::ARGUMENT, word::MUL1_B.name, detail);
        }
    }

    /// The operand is preexp2's result.
    fn after_preexp2(&mut self, at: usize, field: Field) {
        let Origin::Computed(from, Unit::Pass) = self.origin(at, field) else {
            return self.fail(at, &rules::PATTERN, field.name, "exp2 works on preexp2's result".into());
        };
        if Pass::in_word(self.program[from]) != Pass::Preexp2 {
            self.fail(at, &rules::PATTERN, field.name, "exp2 works on preexp2's result".into());
        }
    }

    /// Where an operand's value comes from.
    pub(super) fn origin(&self, mut at: usize, mut field: Field) -> Origin {
        for _ in 0..MOST_MOVES {
            let word = self.program[at];
            let (unit, back) = match Select::of(word.get(field), is_b(field)) {
                Select::Port0 { component, back } => {
                    let Some(from) = at.checked_sub(usize::from(back)) else { return Origin::Other };
                    let word = self.program[from];
                    return match word.get(word::PORT0_ATTRIBUTE) {
                        1 => Origin::Loaded(1, word.get(word::PORT0_INDEX), component),
                        _ => Origin::Other,
                    };
                }
                Select::Load(c) => {
                    let address = word.get(word::LOAD_ADDRESS) | word.get(word::LOAD_OFFSET) << 9;
                    return Origin::Loaded(2, address, c);
                }
                Select::Result(unit, back) => (unit, back),
                _ => return Origin::Other,
            };
            let Some(from) = at.checked_sub(usize::from(back)) else { return Origin::Other };
            match moved(self.program[from], unit) {
                Some(through) => (at, field) = (from, through),
                None => return Origin::Computed(from, unit),
            }
        }
        Origin::Other
    }
}

fn is_b(field: Field) -> bool {
    matches!(field, word::MUL0_B | word::MUL1_B | word::ADD0_B | word::ADD1_B)
}

/// The operand that a unit copies, if a copy is what it does.
fn moved(word: Word, unit: Unit) -> Option<Field> {
    let mul = Mul0::in_word(word);
    let copies = |b, neg, sign| word.get(b) == IDENT && word.get(neg) == sign;
    let add = Add0::in_word(word) == Add0::Add;
    let (is_copy, field) = match unit {
        Unit::Mul0 => (mul == Mul0::Mul && copies(word::MUL0_B, word::MUL0_NEG, 0), word::MUL0_A),
        Unit::Mul1 => (
            matches!(mul, Mul0::Mul | Mul0::Complex2) && copies(word::MUL1_B, word::MUL1_NEG, 0),
            word::MUL1_A,
        ),
        Unit::Add0 => {
            let positive = word.get(word::ADD0_NEG_A) == 0;
            (add && positive && copies(word::ADD0_B, word::ADD0_NEG_B, 1), word::ADD0_A)
        }
        Unit::Add1 => {
            let positive = word.get(word::ADD1_NEG_A) == 0;
            (add && positive && copies(word::ADD1_B, word::ADD1_NEG_B, 1), word::ADD1_A)
        }
        Unit::Pass => (Pass::in_word(word) == Pass::Mov, word::PASS_A),
        Unit::Complex => (Complex::in_word(word) == Complex::Mov, word::COMPLEX_A),
    };
    is_copy.then_some(field)
}
