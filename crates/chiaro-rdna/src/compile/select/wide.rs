//! Integers of 64 bits, in pairs of registers (spec section 16).

use chiaro_ir::Op as Ir;
use chiaro_mach::Block;

use super::Select;
use super::part::{Kind, Part};
use super::value::{LONG, WORD};
use crate::compile::code::Modifiers;
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;

impl Select<'_> {
    /// An operation on integers of 64 bits.
    pub(super) fn long(&mut self, at: Block, op: Ir, args: &[Part]) -> Option<Part> {
        let a = self.plain(at, args[0]);
        let b = args.get(1).map_or(a, |&b| self.plain(at, b));
        let zero = Part::long(0);
        Some(match op {
            Ir::IAdd => self.long_sum(at, [a, b]),
            Ir::ISub => self.long_difference(at, [a, b]),
            Ir::INeg => self.long_difference(at, [zero, a]),
            Ir::IMul => self.long_product(at, [a, b]),
            Ir::And | Ir::Or | Ir::Xor => self.long_bits(at, op, [a, b])?,
            Ir::Not => self.long_bits(at, Ir::Xor, [a, Part::long(u64::MAX)])?,
            Ir::Shl | Ir::LShr | Ir::AShr => self.long_shift(at, op, a, b),
            Ir::UMin | Ir::UMax | Ir::SMin | Ir::SMax => {
                let less = if matches!(op, Ir::UMin | Ir::UMax) { Ir::ULt } else { Ir::SLt };
                let is_less = self.comparison(at, less, [a, b])?;
                let is_min = matches!(op, Ir::UMin | Ir::SMin);
                self.choice(at, is_less, if is_min { [a, b] } else { [b, a] })
            }
            Ir::IAbs => {
                let (minus, below) =
                    (self.long_difference(at, [zero, a]), self.comparison(at, Ir::SLt, [a, zero])?);
                self.choice(at, below, [minus, a])
            }
            _ => return None,
        })
    }

    fn is_long_of_wave(&self, parts: &[Part]) -> bool {
        parts.iter().all(|&part| self.is_scalar(part))
    }

    /// Low words, then high words with the carry between them.
    fn long_sum(&mut self, at: Block, [a, b]: [Part; 2]) -> Part {
        let (low, high) = ([a.half(0), b.half(0)], [a.half(1), b.half(1)]);
        if self.is_long_of_wave(&[a, b]) {
            let halves = [
                self.scalar(at, Op::Sop2(Sop2::AddU32), &low, Kind::Word),
                self.scalar(at, Op::Sop2(Sop2::AddcU32), &high, Kind::Word),
            ];
            return self.joined(at, halves);
        }
        self.with_carry(at, [Op::Vop3(Vop3::AddCoU32), Op::Vop2(Vop2::AddCoCiU32)], [low, high])
    }

    fn long_difference(&mut self, at: Block, [a, b]: [Part; 2]) -> Part {
        let (low, high) = ([a.half(0), b.half(0)], [a.half(1), b.half(1)]);
        if self.is_long_of_wave(&[a, b]) {
            let halves = [
                self.scalar(at, Op::Sop2(Sop2::SubU32), &low, Kind::Word),
                self.scalar(at, Op::Sop2(Sop2::SubbU32), &high, Kind::Word),
            ];
            return self.joined(at, halves);
        }
        self.with_carry(at, [Op::Vop3(Vop3::SubCoU32), Op::Vop2(Vop2::SubCoCiU32)], [low, high])
    }

    fn with_carry(&mut self, at: Block, [first, second]: [Op; 2], [low, high]: [[Part; 2]; 2]) -> Part {
        let size = Kind::Mask.size(self.wave);
        let carry = self.new_scalar(size);
        let uses = self.sources(at, first, &low.map(|part| (part, WORD)));
        let low = self.new_vector(1);
        self.push(at, first, &[low, carry], &uses, Modifiers::default());
        // The carry is one of the two scalars that an instruction reads.
        let high = high.map(|part| {
            if part.bits().is_some_and(|bits| bits <= 64) {
                part
            } else {
                Self::part(self.in_vector(at, part), Kind::Word)
            }
        });
        let mut uses = self.sources(at, second, &high.map(|part| (part, WORD)));
        uses.push(carry);
        let (result, unused) = (self.new_vector(1), self.new_scalar(size));
        self.push(at, second, &[result, unused], &uses, Modifiers::default());
        self.joined(at, [low, result].map(|operand| Self::part(operand, Kind::Word)))
    }

    /// The product of the low words is wide; those of a low and a high word add to its upper half.
    fn long_product(&mut self, at: Block, [a, b]: [Part; 2]) -> Part {
        let product = self.wide_product(at, [a.half(0), b.half(0)], false);
        let crosses = [[a.half(0), b.half(1)], [a.half(1), b.half(0)]];
        let mut high = product.half(1);
        for cross in crosses.into_iter().filter(|cross| cross.iter().all(|part| part.bits() != Some(0))) {
            if let Some(product) = self.integer(at, Ir::IMul, &cross, 32) {
                high = self.sum(at, high, product);
            }
        }
        self.joined(at, [product.half(0), high])
    }

    /// All 64 bits of a product of words.
    pub(super) fn wide_product(&mut self, at: Block, words: [Part; 2], is_signed: bool) -> Part {
        if self.is_long_of_wave(&words) {
            let high = if is_signed { Sop2::MulHiI32 } else { Sop2::MulHiU32 };
            let halves = [Sop2::MulI32, high].map(|op| self.scalar(at, Op::Sop2(op), &words, Kind::Word));
            return self.joined(at, halves);
        }
        let op = Op::Vop3(if is_signed { Vop3::MadI64I32 } else { Vop3::MadU64U32 });
        let uses = self.sources(at, op, &[(words[0], WORD), (words[1], WORD), (Part::long(0), LONG)]);
        let (def, carry) = (self.new_vector(2), self.new_scalar(Kind::Mask.size(self.wave)));
        self.push(at, op, &[def, carry], &uses, Modifiers::default());
        Self::part(def, Kind::Pair)
    }

    fn long_bits(&mut self, at: Block, op: Ir, [a, b]: [Part; 2]) -> Option<Part> {
        if self.is_long_of_wave(&[a, b]) {
            let op = match op {
                Ir::And => Sop2::AndB64,
                Ir::Or => Sop2::OrB64,
                _ => Sop2::XorB64,
            };
            return Some(self.scalar(at, Op::Sop2(op), &[a, b], Kind::Pair));
        }
        let low = self.integer(at, op, &[a.half(0), b.half(0)], 32)?;
        let high = self.integer(at, op, &[a.half(1), b.half(1)], 32)?;
        Some(self.joined(at, [low, high]))
    }

    fn long_shift(&mut self, at: Block, op: Ir, a: Part, by: Part) -> Part {
        let by = if by.kind == Kind::Pair { by.half(0) } else { by };
        let (lanes, wave) = match op {
            Ir::Shl => (Vop3::LshlrevB64, Sop2::LshlB64),
            Ir::LShr => (Vop3::LshrrevB64, Sop2::LshrB64),
            _ => (Vop3::AshrrevI64, Sop2::AshrI64),
        };
        match self.is_long_of_wave(&[a, by]) {
            true => self.scalar(at, Op::Sop2(wave), &[a, by], Kind::Pair),
            false => self.vector(at, Op::Vop3(lanes), &[(by, WORD), (a, LONG)], Kind::Pair),
        }
    }

    /// A word as a pair.
    pub(super) fn lengthened(&mut self, at: Block, a: Part, is_signed: bool) -> Part {
        let high = match (is_signed, a.bits()) {
            (false, _) => Part::number(0),
            (true, Some(bits)) => Part::number((bits as u32 as i32 >> 31) as u32),
            (true, None) => self.integer(at, Ir::AShr, &[a, Part::number(31)], 32).unwrap_or(a),
        };
        self.joined(at, [a, high])
    }

    /// How many bits of a pair are set.
    pub(super) fn long_count(&mut self, at: Block, a: Part) -> Part {
        if self.is_scalar(a) {
            return self.scalar(at, Op::Sop1(Sop1::Bcnt1I32B64), &[a], Kind::Word);
        }
        let low = self.vector(
            at,
            Op::Vop3(Vop3::BcntU32B32),
            &[(a.half(0), WORD), (Part::number(0), WORD)],
            Kind::Word,
        );
        self.vector(at, Op::Vop3(Vop3::BcntU32B32), &[(a.half(1), WORD), (low, WORD)], Kind::Word)
    }
}
