//! Rules of operands: a result that is read exists, and is a number or goes to the next step of its
//! function.

use super::{Check, rules};
use crate::isa::selector::{OPERANDS, Select, Unit, is_busy, is_wide};
use crate::isa::word::{self, Field, Word};
use crate::isa::{Add0, Complex, Mul0, Pass};
use crate::regs::UNUSED;

/// What a unit's result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Result {
    /// The unit is idle.
    Nothing,
    /// A float.
    Number,
    /// First approximation of the function that this operation begins.
    First(Complex),
    /// complex2's.
    Second,
    /// complex1's of log2.
    RawLog,
    /// preexp2's.
    Exponent,
    /// Of an operation that writes an address register.
    Address,
    /// Multiplier 1 under a wide operation.
    Taken,
    /// Of an operation that nobody knows; reported elsewhere.
    Unknown,
}

/// What a unit computes in an instruction; `before` is the one that runs before it.
pub(super) fn result(word: Word, before: Word, unit: Unit) -> Result {
    if unit == Unit::Mul1 && is_wide(word) {
        return Result::Taken;
    }
    if !is_busy(word, unit) {
        return Result::Nothing;
    }
    match unit {
        Unit::Add0 | Unit::Add1 | Unit::Mul1 => Result::Number,
        Unit::Mul0 => match Mul0::in_word(word) {
            Mul0::Mul | Mul0::Select => Result::Number,
            Mul0::Complex2 => Result::Second,
            Mul0::Complex1 if Complex::in_word(before) == Complex::Log2 => Result::RawLog,
            Mul0::Complex1 => Result::Number,
            Mul0::Idle | Mul0::Op2 | Mul0::Op5 | Mul0::Op6 | Mul0::Op7 => Result::Unknown,
        },
        Unit::Pass => match Pass::in_word(word) {
            Pass::Preexp2 => Result::Exponent,
            Pass::Mov | Pass::Postlog2 | Pass::Clamp => Result::Number,
            Pass::Idle | Pass::Op0 | Pass::Op1 | Pass::Op3 | Pass::Op7 => Result::Unknown,
        },
        Unit::Complex => match Complex::in_word(word) {
            op @ (Complex::Exp2 | Complex::Log2 | Complex::Rsqrt | Complex::Rcp) => Result::First(op),
            Complex::Mov => Result::Number,
            Complex::Addr01 => Result::Address,
            op if op.address().is_some() => Result::Address,
            _ => Result::Unknown,
        },
    }
}

/// Whether an operand is looked at by what its unit does.
pub(super) fn is_read(word: Word, field: Field, unit: Unit) -> bool {
    match unit {
        Unit::Add0 | Unit::Add1 => {
            let is_b = field == word::ADD0_B || field == word::ADD1_B;
            is_busy(word, unit) && !(is_b && Add0::in_word(word).is_unary())
        }
        Unit::Mul0 | Unit::Mul1 if is_wide(word) => true,
        Unit::Mul0 | Unit::Mul1 => is_busy(word, unit),
        Unit::Complex => Complex::in_word(word) != Complex::Nop,
        Unit::Pass => true,
    }
}

impl Check<'_> {
    pub(super) fn operands(&mut self, at: usize) {
        let word = self.program[at];
        self.opcodes(at, word);
        for (field, is_b, unit) in OPERANDS {
            if !is_read(word, field, unit) {
                continue;
            }
            match Select::of(word.get(field), is_b) {
                Select::Unknown(n) => {
                    self.fail(at, &rules::UNKNOWN, field.name, format!("selector {} is not known", 8 + n));
                }
                Select::Result(from, back) => self.read(at, field, from, back),
                Select::Port0 { back: 1, .. } if self.flow.back(at, 1).is_empty() => {
                    self.fail(at, &rules::BEFORE_START, field.name, "nothing is loaded before".into());
                }
                _ => {}
            }
        }
        if Mul0::in_word(word) == Mul0::Select {
            let strays = [(word::MUL1_B, UNUSED), (word::MUL0_NEG, 0), (word::MUL1_NEG, 0)];
            for (field, idle) in strays {
                if word.get(field) != idle {
                    let detail = format!("it is {}, not {idle}", word.get(field));
                    self.fail(at, &rules::SELECT_FIELDS, field.name, detail);
                }
            }
        }
    }

    fn opcodes(&mut self, at: usize, word: Word) {
        use {Complex as C, Mul0 as M, Pass as P};
        let is_passing = word.get(word::PASS_A) != UNUSED;
        let known = [
            (M::FIELD, matches!(M::in_word(word), M::Op2 | M::Op5 | M::Op6 | M::Op7)),
            (Add0::FIELD, Add0::in_word(word) == Add0::Op3),
            (C::FIELD, matches!(C::in_word(word), C::Op1 | C::Op6 | C::Op7 | C::Op8 | C::Op11)),
            (P::FIELD, is_passing && matches!(P::in_word(word), P::Op0 | P::Op1 | P::Op3 | P::Op7)),
            (word::LOAD_OFFSET, matches!(word.get(word::LOAD_OFFSET), 0 | 4..=6)),
        ];
        for (field, unknown) in known {
            if unknown {
                let detail = format!("nobody knows what {} does", word.get(field));
                self.fail(at, &rules::UNKNOWN, field.name, detail);
            }
        }
    }

    /// A result of one or two instructions before, on every path.
    fn read(&mut self, at: usize, field: Field, unit: Unit, back: u8) {
        let ways = self.flow.back(at, back);
        if ways.is_empty() {
            let detail = format!("it reads {} of {back} before, where there is nothing", unit.name());
            return self.fail(at, &rules::BEFORE_START, field.name, detail);
        }
        for way in ways {
            if way.crosses && !self.options.bypass_across_blocks {
                let detail =
                    format!("{} is computed by instruction {}, in another block", unit.name(), way.from);
                self.fail(at, &rules::ACROSS_BLOCKS, field.name, detail);
            }
            self.produced(at, field, unit, back, way.from);
        }
    }

    fn produced(&mut self, at: usize, field: Field, unit: Unit, back: u8, from: usize) {
        let word = self.program[from];
        let before = from.checked_sub(1).map_or(Word::IDLE, |before| self.program[before]);
        let what = result(word, before, unit);
        let here = self.program[at];
        let detail = |text: &str| format!("{} of instruction {from} {text}", unit.name());
        if unit == Unit::Mul0 && Mul0::in_word(word) == Mul0::Complex1 && back != 2 {
            return self.fail(
                at,
                &rules::COMPLEX1_DISTANCE,
                field.name,
                detail("is read one instruction later"),
            );
        }
        let (rule, why) = match what {
            Result::Nothing => (&rules::IDLE_UNIT, "computes nothing"),
            Result::Taken => (&rules::WIDE_RESULT, "is taken by multiplier 0"),
            Result::Address => (&rules::ADDRESS_RESULT, "writes an address register"),
            Result::Number | Result::Unknown => return,
            raw if goes_on(raw, here, field) => return,
            _ => (&rules::RAW_VALUE, "is a step of a function"),
        };
        self.fail(at, rule, field.name, detail(why));
    }
}

/// Whether an operand is a place where a raw value goes.
fn goes_on(raw: Result, word: Word, field: Field) -> bool {
    let mul = Mul0::in_word(word);
    match raw {
        Result::First(_) => mul == Mul0::Complex1 && (field == word::MUL0_A || field == word::MUL1_A),
        Result::Second => mul == Mul0::Complex1 && field == word::MUL0_B,
        Result::RawLog => field == word::PASS_A && Pass::in_word(word) == Pass::Postlog2,
        Result::Exponent => {
            field == word::COMPLEX_A && Complex::in_word(word) == Complex::Exp2
                || mul == Mul0::Complex2 && (field == word::MUL0_A || field == word::MUL0_B)
                || mul == Mul0::Complex1 && field == word::MUL1_B
        }
        _ => true,
    }
}
