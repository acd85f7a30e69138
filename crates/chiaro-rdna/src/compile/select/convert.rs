//! Conversions between numbers, and the same bits as another type.

use chiaro_ir::Op as Ir;
use chiaro_mach::Block;

use super::Select;
use super::float::of;
use super::part::{From, Kind, Part};
use super::value::{DOUBLE, FLOAT, HALF, WORD};
use crate::isa::Op;
use crate::isa::sop2::Sop2;
use crate::isa::vop1::Vop1;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;

/// The last bit that a double has of the largest pairs.
const LAST: u32 = 1 << 11;

impl Select<'_> {
    fn one_source(&mut self, at: Block, op: Vop1, a: Part, kind: Kind) -> Part {
        let source = if matches!(op, Vop1::CvtF32I32 | Vop1::CvtF32U32 | Vop1::CvtF64I32 | Vop1::CvtF64U32) {
            WORD
        } else {
            of(a.kind)
        };
        self.vector(at, Op::Vop1(op), &[(a, source)], kind)
    }

    /// A conversion of a scalar from so many bits to so many.
    pub(super) fn converted(&mut self, at: Block, op: Ir, a: Part, from: u8, to: u8) -> Option<Part> {
        match op {
            Ir::FToF => Some(self.resized(at, a, from, to)),
            Ir::FToS | Ir::FToU => self.float_to_integer(at, a, to, op == Ir::FToS),
            Ir::SToF | Ir::UToF => self.integer_to_float(at, a, from, to, op == Ir::SToF),
            Ir::SExt | Ir::ZExt => Some(self.stretched(at, a, (from, to), op == Ir::SExt)),
            Ir::FFrexpExponent => {
                let op = match a.kind {
                    Kind::Pair => Vop1::FrexpExpI32F64,
                    Kind::Short => Vop1::FrexpExpI16F16,
                    _ => Vop1::FrexpExpI32F32,
                };
                let made = self.one_source(at, op, a, Kind::Word);
                Some(if from == 16 { self.extended(at, made, 16, true) } else { made })
            }
            _ => None,
        }
    }

    /// A float of another width.
    fn resized(&mut self, at: Block, a: Part, from: u8, to: u8) -> Part {
        match (from, to) {
            (16, 32) => self.vector(at, Op::Vop1(Vop1::CvtF32F16), &[(a, HALF)], Kind::Word),
            (32, 16) => self.vector(at, Op::Vop1(Vop1::CvtF16F32), &[(a, FLOAT)], Kind::Short),
            (32, 64) => self.vector(at, Op::Vop1(Vop1::CvtF64F32), &[(a, FLOAT)], Kind::Pair),
            (64, 32) => self.vector(at, Op::Vop1(Vop1::CvtF32F64), &[(a, DOUBLE)], Kind::Word),
            (16, 64) => {
                let word = self.resized(at, a, 16, 32);
                self.resized(at, word, 32, 64)
            }
            (64, 16) => {
                let word = self.word_with_rest(at, a);
                self.resized(at, word, 32, 16)
            }
            _ => a,
        }
    }

    /// A double as a word toward zero, odd where anything is lost: what is rounded again later is rounded as the double.
    fn word_with_rest(&mut self, at: Block, a: Part) -> Part {
        let word = self.resized(at, a, 64, 32);
        let back = self.resized(at, word, 32, 64);
        let is_larger = self.less_float(at, a.absolute(), back.absolute());
        let differs = self.comparison(at, Ir::FNe, [a, back]).unwrap_or(Part::truth(false));
        let one = |s: &mut Self, bool: Part| s.choice(at, bool, [Part::number(1), Part::number(0)]);
        let (step, rest) = (one(self, is_larger), one(self, differs));
        let nearer = self.integer(at, Ir::ISub, &[word, step], 32).unwrap_or(word);
        self.integer(at, Ir::Or, &[nearer, rest], 32).unwrap_or(nearer)
    }

    /// The low word of a pair that becomes a double and then a word: of large ones the last bits are one, so that they
    /// are rounded once.
    fn low_with_rest(&mut self, at: Block, a: Part, is_signed: bool) -> Part {
        let mut two = |op: Ir, a: Part, b: Part| self.integer(at, op, &[a, b], 32).unwrap_or(a);
        let (low, mut high) = (a.half(0), a.half(1));
        if is_signed {
            let sign = two(Ir::AShr, high, Part::number(31));
            high = two(Ir::Xor, high, sign);
        }
        let (last, kept) =
            (two(Ir::And, low, Part::number(LAST - 1)), two(Ir::And, low, Part::number(!(LAST - 1))));
        // Below, all bits are exact in a double, and some of them count in a word.
        let is_large = self.comparison(at, Ir::ULe, [Part::number(32), high]).unwrap_or(Part::truth(false));
        let has_rest = self.comparison(at, Ir::INe, [last, Part::number(0)]).unwrap_or(Part::truth(false));
        let rest = self.choice(at, has_rest, [Part::number(LAST), Part::number(0)]);
        let odd = self.integer(at, Ir::Or, &[kept, rest], 32).unwrap_or(kept);
        self.choice(at, is_large, [odd, low])
    }

    fn float_to_integer(&mut self, at: Block, a: Part, to: u8, is_signed: bool) -> Option<Part> {
        if to == 64 {
            return Some(self.float_to_long(at, a, is_signed));
        }
        let word = match a.kind {
            Kind::Short => self.resized(at, a, 16, 32),
            _ => a,
        };
        let op = match (word.kind, is_signed) {
            (Kind::Pair, true) => Vop1::CvtI32F64,
            (Kind::Pair, false) => Vop1::CvtU32F64,
            (_, true) => Vop1::CvtI32F32,
            (_, false) => Vop1::CvtU32F32,
        };
        let made = self.one_source(at, op, word, Kind::Word);
        if to == 32 {
            return Some(made);
        }
        // Narrow results saturate as well.
        let most = if is_signed { (1u32 << (to - 1)) - 1 } else { (1u32 << to) - 1 };
        let least = if is_signed { !most } else { 0 };
        let op = Op::Vop3(if is_signed { Vop3::Med3I32 } else { Vop3::Med3U32 });
        let bounds = [(made, WORD), (Part::number(least), WORD), (Part::number(most), WORD)];
        Some(Part { kind: Kind::Short, ..self.vector(at, op, &bounds, Kind::Word) })
    }

    /// Of the whole number the part above 32 bits, then what is left.
    fn float_to_long(&mut self, at: Block, a: Part, is_signed: bool) -> Part {
        let pair = match a.kind {
            Kind::Pair => a,
            Kind::Short => self.resized(at, a, 16, 64),
            _ => self.resized(at, a, 32, 64),
        };
        let whole = self.vector(at, Op::Vop1(Vop1::TruncF64), &[(pair, DOUBLE)], Kind::Pair);
        let minus32 = Part::number(-32i32 as u32);
        let scaled =
            self.vector(at, Op::Vop3(Vop3::LdexpF64), &[(whole, DOUBLE), (minus32, WORD)], Kind::Pair);
        let high = match is_signed {
            true => self.vector(at, Op::Vop1(Vop1::FloorF64), &[(scaled, DOUBLE)], Kind::Pair),
            false => scaled,
        };
        // What both conversions make of too large numbers are the largest words: what is left is counted from there.
        let (to, back) = match is_signed {
            true => (Vop1::CvtI32F64, Vop1::CvtF64I32),
            false => (Vop1::CvtU32F64, Vop1::CvtF64U32),
        };
        let high = self.one_source(at, to, high, Kind::Word);
        let taken = self.one_source(at, back, high, Kind::Pair);
        let factor = Part::long((-4_294_967_296.0_f64).to_bits());
        let rest = [(taken, DOUBLE), (factor, DOUBLE), (whole, DOUBLE)];
        let low = self.vector(at, Op::Vop3(Vop3::FmaF64), &rest, Kind::Pair);
        let low = self.one_source(at, Vop1::CvtU32F64, low, Kind::Word);
        self.joined(at, [low, high])
    }

    fn integer_to_float(&mut self, at: Block, a: Part, from: u8, to: u8, is_signed: bool) -> Option<Part> {
        let a = if from < 32 { self.extended(at, a, from, is_signed) } else { a };
        if from == 64 {
            let high = if is_signed { Vop1::CvtF64I32 } else { Vop1::CvtF64U32 };
            let high = self.one_source(at, high, a.half(1), Kind::Pair);
            let scaled = self.vector(
                at,
                Op::Vop3(Vop3::LdexpF64),
                &[(high, DOUBLE), (Part::number(32), WORD)],
                Kind::Pair,
            );
            let low = if to == 64 { a.half(0) } else { self.low_with_rest(at, a, is_signed) };
            let low = self.one_source(at, Vop1::CvtF64U32, low, Kind::Pair);
            let sum = self.vector(at, Op::Vop3(Vop3::AddF64), &[(scaled, DOUBLE), (low, DOUBLE)], Kind::Pair);
            return Some(self.resized(at, sum, 64, to));
        }
        if to == 64 {
            let op = if is_signed { Vop1::CvtF64I32 } else { Vop1::CvtF64U32 };
            return Some(self.one_source(at, op, a, Kind::Pair));
        }
        let op = if is_signed { Vop1::CvtF32I32 } else { Vop1::CvtF32U32 };
        let made = self.one_source(at, op, a, Kind::Word);
        Some(self.resized(at, made, 32, to))
    }

    /// An integer with more bits, or the low ones of it.
    fn stretched(&mut self, at: Block, a: Part, (from, to): (u8, u8), is_signed: bool) -> Part {
        let low = if a.kind == Kind::Pair { a.half(0) } else { a };
        let narrowed = |part: Part| match part.from {
            From::Number(bits) if to < 32 => Part::new(From::Number(bits & ((1 << to) - 1)), Kind::Short),
            _ => Part { kind: if to < 32 { Kind::Short } else { Kind::Word }, ..part },
        };
        if to <= from {
            return if to == 64 { a } else { narrowed(low) };
        }
        let word = if from < 32 { self.extended(at, low, from, is_signed) } else { low };
        if to == 64 { self.lengthened(at, word, is_signed) } else { narrowed(word) }
    }

    /// The same bits as scalars of other kinds.
    pub(super) fn recast(
        &mut self,
        at: Block,
        parts: &[Part],
        kinds: &[Kind],
        bits: [u8; 2],
    ) -> Option<Vec<Part>> {
        if parts.len() == kinds.len() && parts.iter().zip(kinds).all(|(part, kind)| part.kind == *kind) {
            return Some(parts.to_vec());
        }
        let parts: Vec<Part> = parts.iter().map(|&part| self.plain(at, part)).collect();
        let words: Vec<Part> = match bits[0] {
            64 => parts.iter().flat_map(|part| [part.half(0), part.half(1)]).collect(),
            32 => parts,
            16 => parts.chunks(2).map(|two| self.packed(at, two, 16)).collect(),
            8 => parts.chunks(4).map(|four| self.packed(at, four, 8)).collect(),
            _ => return None,
        };
        let all: Vec<Part> = match bits[1] {
            64 => {
                words.chunks(2).map(|two| self.joined(at, [two[0], *two.get(1).unwrap_or(&two[0])])).collect()
            }
            32 => words,
            narrow @ (8 | 16) => {
                let each = 32 / u32::from(narrow);
                let mut all = Vec::new();
                for word in words {
                    for n in 0..each {
                        let part = match n {
                            0 => word,
                            _ => {
                                self.integer(at, Ir::LShr, &[word, Part::number(n * u32::from(narrow))], 32)?
                            }
                        };
                        let part = match part.from {
                            From::Number(bits) => {
                                Part::new(From::Number(bits & ((1 << narrow) - 1)), Kind::Short)
                            }
                            _ => Part { kind: Kind::Short, ..part },
                        };
                        all.push(part);
                    }
                }
                all
            }
            _ => return None,
        };
        (all.len() >= kinds.len()).then(|| all[..kinds.len()].to_vec())
    }

    /// Narrow numbers in one word, the first lowest.
    pub(super) fn packed(&mut self, at: Block, parts: &[Part], bits: u8) -> Part {
        if let (&[low, high], 16) = (parts, bits)
            && (self.is_vector(low) || self.is_vector(high))
        {
            // Bytes 1, 0 of the second word below those of the first.
            let halves = [high, low].map(|part| (Part { kind: Kind::Word, ..part }, WORD));
            let pick = (Part::number(0x0504_0100), WORD);
            return self.vector(at, Op::Vop3(Vop3::PermB32), &[halves[0], halves[1], pick], Kind::Word);
        }
        let mut made = Part::number(0);
        for (n, &part) in parts.iter().enumerate() {
            let is_last = (n + 1) * usize::from(bits) == 32;
            // What is above the last one is shifted out.
            let word = match is_last {
                true => Part { kind: Kind::Word, ..part },
                false => self.extended(at, part, bits, false),
            };
            let by = n as u32 * u32::from(bits);
            made = self.combined(at, made, word, by);
        }
        made
    }

    /// A word shifted left, or another one.
    fn combined(&mut self, at: Block, low: Part, word: Part, by: u32) -> Part {
        if low.bits() == Some(0) {
            return self.shifted(at, word, by);
        }
        if self.is_scalar(low) && self.is_scalar(word) {
            let moved = self.shifted(at, word, by);
            return self.scalar(at, Op::Sop2(Sop2::OrB32), &[low, moved], Kind::Word);
        }
        if by == 0 {
            return self.vector(at, Op::Vop2(Vop2::OrB32), &[(low, WORD), (word, WORD)], Kind::Word);
        }
        self.vector(
            at,
            Op::Vop3(Vop3::LshlOrB32),
            &[(word, WORD), (Part::number(by), WORD), (low, WORD)],
            Kind::Word,
        )
    }
}
