//! Operands: every result that is read exists, is an ordinary number or goes where raw ones go.

use super::{Check, rules};
use crate::isa::selector::{OPERANDS, Select, Unit, is_busy, is_wide};
use crate::isa::word::{self, Field, Word};

/// What a unit's result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Result {
    /// The unit is idle.
    Nothing,
    /// A float.
    Number,
    /// First approximation, by complex opcode (2 to 5).
    First(u32),
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
    /// Of an operation that nobody knows; told elsewhere.
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
        Unit::Mul0 => match word.get(word::MUL_OP) {
            0 | 4 => Result::Number,
            3 => Result::Second,
            1 if before.get(word::COMPLEX_OP) == 3 => Result::RawLog,
            1 => Result::Number,
            _ => Result::Unknown,
        },
        Unit::Pass => match word.get(word::PASS_OP) {
            4 => Result::Exponent,
            2 | 5 | 6 => Result::Number,
            _ => Result::Unknown,
        },
        Unit::Complex => match word.get(word::COMPLEX_OP) {
            op @ 2..=5 => Result::First(op),
            9 => Result::Number,
            10 | 12..=15 => Result::Address,
            _ => Result::Unknown,
        },
    }
}

/// Whether an operand is looked at by what its unit does.
pub(super) fn is_read(word: Word, field: Field, unit: Unit) -> bool {
    match unit {
        Unit::Add0 | Unit::Add1 => {
            let is_b = field == word::ADD0_B || field == word::ADD1_B;
            let one_operand = matches!(word.get(word::ADD_OP), 1 | 2);
            is_busy(word, unit) && !(is_b && one_operand)
        }
        Unit::Mul0 | Unit::Mul1 if is_wide(word) => true,
        Unit::Mul0 | Unit::Mul1 => is_busy(word, unit),
        Unit::Complex => word.get(word::COMPLEX_OP) != 0,
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
        if word.get(word::MUL_OP) == 4 {
            let strays = [(word::MUL1_B, 21), (word::MUL0_NEG, 0), (word::MUL1_NEG, 0)];
            for (field, idle) in strays {
                if word.get(field) != idle {
                    let detail = format!("it is {}, not {idle}", word.get(field));
                    self.fail(at, &rules::SELECT_FIELDS, field.name, detail);
                }
            }
        }
    }

    fn opcodes(&mut self, at: usize, word: Word) {
        let known = [
            (word::MUL_OP, !matches!(word.get(word::MUL_OP), 0 | 1 | 3 | 4)),
            (word::ADD_OP, word.get(word::ADD_OP) == 3),
            (word::COMPLEX_OP, matches!(word.get(word::COMPLEX_OP), 1 | 6 | 7 | 8 | 11)),
            (word::PASS_OP, word.get(word::PASS_A) != 21 && matches!(word.get(word::PASS_OP), 0 | 1 | 3 | 7)),
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
        if unit == Unit::Mul0 && word.get(word::MUL_OP) == 1 && back != 2 {
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
    let mul = word.get(word::MUL_OP);
    match raw {
        Result::First(_) => mul == 1 && (field == word::MUL0_A || field == word::MUL1_A),
        Result::Second => mul == 1 && field == word::MUL0_B,
        Result::RawLog => field == word::PASS_A && word.get(word::PASS_OP) == 5,
        Result::Exponent => {
            field == word::COMPLEX_A && word.get(word::COMPLEX_OP) == 2
                || mul == 3 && (field == word::MUL0_A || field == word::MUL0_B)
                || mul == 1 && field == word::MUL1_B
        }
        _ => true,
    }
}
