//! Integers of up to 32 bits: on the scalar unit where all operands are scalars, else in lanes.
//!
//! Narrow integers are computed in whole registers; what looks at the bits above them extends them first.

use chiaro_ir::Op as Ir;
use chiaro_mach::Block;

use super::Select;
use super::part::{From, Kind, Part};
use super::value::WORD;
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::vop1::Vop1;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;
use crate::isa::vopc::Vopc;

/// An operation on words: in lanes and of the wave.
struct Both {
    lanes: Op,
    wave: Op,
    /// Whether sources may change places.
    is_exchangeable: bool,
}

fn both(lanes: Op, wave: Sop2) -> Both {
    Both { lanes, wave: Op::Sop2(wave), is_exchangeable: true }
}

/// Operations of two sources that may change places.
fn binary(op: Ir) -> Option<Both> {
    use {Sop2 as S, Vop2 as V, Vop3 as L};
    Some(match op {
        Ir::IAdd => both(Op::Vop2(V::AddNcU32), S::AddI32),
        Ir::ISub => Both { is_exchangeable: false, ..both(Op::Vop2(V::SubNcU32), S::SubI32) },
        Ir::IMul => both(Op::Vop3(L::MulLoU32), S::MulI32),
        Ir::UMulHigh => both(Op::Vop3(L::MulHiU32), S::MulHiU32),
        Ir::SMulHigh => both(Op::Vop3(L::MulHiI32), S::MulHiI32),
        Ir::UMin => both(Op::Vop2(V::MinU32), S::MinU32),
        Ir::UMax => both(Op::Vop2(V::MaxU32), S::MaxU32),
        Ir::SMin => both(Op::Vop2(V::MinI32), S::MinI32),
        Ir::SMax => both(Op::Vop2(V::MaxI32), S::MaxI32),
        Ir::And => both(Op::Vop2(V::AndB32), S::AndB32),
        Ir::Or => both(Op::Vop2(V::OrB32), S::OrB32),
        Ir::Xor => both(Op::Vop2(V::XorB32), S::XorB32),
        _ => return None,
    })
}

/// Shifts: in lanes the amount comes first.
fn shift(op: Ir) -> Option<(Vop2, Sop2)> {
    Some(match op {
        Ir::Shl => (Vop2::LshlrevB32, Sop2::LshlB32),
        Ir::LShr => (Vop2::LshrrevB32, Sop2::LshrB32),
        Ir::AShr => (Vop2::AshrrevI32, Sop2::AshrI32),
        _ => return None,
    })
}

fn unary(op: Ir) -> Option<(Op, Sop1)> {
    Some(match op {
        Ir::Not => (Op::Vop1(Vop1::NotB32), Sop1::NotB32),
        Ir::BitReverse => (Op::Vop1(Vop1::BfrevB32), Sop1::BrevB32),
        Ir::FindLsb => (Op::Vop1(Vop1::FfblB32), Sop1::Ff1I32B32),
        _ => return None,
    })
}

/// How narrow operands are extended before an operation; `None` where what is above them does not matter.
fn extension(op: Ir) -> Option<bool> {
    match op {
        Ir::UMulHigh | Ir::UMin | Ir::UMax | Ir::LShr | Ir::BitCount | Ir::FindUMsb | Ir::BitExtractU => {
            Some(false)
        }
        Ir::UDiv | Ir::URem | Ir::UAddCarry | Ir::USubBorrow | Ir::FindLsb => Some(false),
        Ir::SMulHigh | Ir::SMin | Ir::SMax | Ir::AShr | Ir::FindSMsb | Ir::IAbs | Ir::ISign => Some(true),
        Ir::BitExtractS | Ir::SDiv | Ir::SRem | Ir::SMod => Some(true),
        _ => None,
    }
}

impl Select<'_> {
    /// An operation on integers of `bits` bits, 32 at most; the result has as many.
    pub(super) fn integer(&mut self, at: Block, op: Ir, args: &[Part], bits: u8) -> Option<Part> {
        let mut args: Vec<Part> = args.iter().map(|&arg| self.plain(at, arg)).collect();
        if let Some(is_signed) = extension(op).filter(|_| bits < 32) {
            args = args.into_iter().map(|arg| self.extended(at, arg, bits, is_signed)).collect();
        }
        let kind = if bits < 32 { Kind::Short } else { Kind::Word };
        let words: Vec<Part> = args
            .iter()
            .map(|&arg| if arg.kind == Kind::Short { Part { kind: Kind::Word, ..arg } } else { arg })
            .collect();
        let made = self.words(at, op, &words, bits)?;
        Some(Part { kind, ..made })
    }

    /// An operation on words.
    fn words(&mut self, at: Block, op: Ir, args: &[Part], bits: u8) -> Option<Part> {
        let of_wave = args.iter().all(|&arg| self.is_scalar(arg));
        let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
        if let Some(both) = binary(op) {
            return Some(self.two(at, &both, [a, b]));
        }
        if let Some((lanes, wave)) = shift(op) {
            // The amount counts modulo the width.
            let b = if bits < 32 {
                self.two(at, &binary(Ir::And)?, [b, Part::number(u32::from(bits) - 1)])
            } else {
                b
            };
            return Some(match of_wave {
                true => self.scalar(at, Op::Sop2(wave), &[a, b], Kind::Word),
                false => self.vector(at, Op::Vop2(lanes), &[(b, WORD), (a, WORD)], Kind::Word),
            });
        }
        if op == Ir::BitReverse && bits < 32 {
            let whole = self.words(at, op, &[a], 32)?;
            return self.words(at, Ir::LShr, &[whole, Part::number(32 - u32::from(bits))], 32);
        }
        if let Some((lanes, wave)) = unary(op) {
            return Some(match of_wave {
                true => self.scalar(at, Op::Sop1(wave), &[a], Kind::Word),
                false => self.vector(at, lanes, &[(a, WORD)], Kind::Word),
            });
        }
        self.several(at, op, args, of_wave)
    }

    /// One instruction for two words.
    fn two(&mut self, at: Block, both: &Both, [a, b]: [Part; 2]) -> Part {
        if self.is_scalar(a) && self.is_scalar(b) {
            return self.scalar(at, both.wave, &[a, b], Kind::Word);
        }
        if both.is_exchangeable {
            return self.exchangeable(at, both.lanes, [(a, WORD), (b, WORD)], Kind::Word);
        }
        if !self.is_vector(b) && self.is_vector(a) {
            if let Some(number) = b.bits() {
                let minus = Part::number((number as u32).wrapping_neg());
                return self.vector(at, Op::Vop2(Vop2::AddNcU32), &[(minus, WORD), (a, WORD)], Kind::Word);
            }
            return self.vector(at, Op::Vop2(Vop2::SubrevNcU32), &[(b, WORD), (a, WORD)], Kind::Word);
        }
        self.vector(at, both.lanes, &[(a, WORD), (b, WORD)], Kind::Word)
    }

    /// A sum of words.
    pub(super) fn sum(&mut self, at: Block, a: Part, b: Part) -> Part {
        match (a.bits(), b.bits()) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(x), Some(y)) => Part::number((x as u32).wrapping_add(y as u32)),
            _ => self.two(at, &both(Op::Vop2(Vop2::AddNcU32), Sop2::AddI32), [a, b]),
        }
    }

    /// A word shifted left by a number.
    pub(super) fn shifted(&mut self, at: Block, a: Part, by: u32) -> Part {
        match (a.bits(), by) {
            (_, 0) => a,
            (Some(x), _) => Part::number((x as u32) << by),
            _ if self.is_scalar(a) => {
                self.scalar(at, Op::Sop2(Sop2::LshlB32), &[a, Part::number(by)], Kind::Word)
            }
            _ => self.vector(
                at,
                Op::Vop2(Vop2::LshlrevB32),
                &[(Part::number(by), WORD), (a, WORD)],
                Kind::Word,
            ),
        }
    }

    /// Operations that take several instructions in one of the units.
    fn several(&mut self, at: Block, op: Ir, args: &[Part], of_wave: bool) -> Option<Part> {
        let (a, zero) = (args[0], Part::number(0));
        let b = args.get(1).copied().unwrap_or(a);
        Some(match op {
            Ir::INeg => self.two(at, &binary(Ir::ISub)?, [zero, a]),
            Ir::IAbs if of_wave => self.scalar(at, Op::Sop1(Sop1::AbsI32), &[a], Kind::Word),
            Ir::IAbs => {
                let minus = self.two(at, &binary(Ir::ISub)?, [zero, a]);
                self.two(at, &binary(Ir::SMax)?, [a, minus])
            }
            Ir::ISign if of_wave => {
                let above = self.two(at, &binary(Ir::SMax)?, [a, Part::number(u32::MAX)]);
                self.two(at, &binary(Ir::SMin)?, [above, Part::number(1)])
            }
            Ir::ISign => {
                let bounds = [Part::number(u32::MAX), a, Part::number(1)].map(|part| (part, WORD));
                self.vector(at, Op::Vop3(Vop3::Med3I32), &bounds, Kind::Word)
            }
            Ir::BitCount if of_wave => self.scalar(at, Op::Sop1(Sop1::Bcnt1I32B32), &[a], Kind::Word),
            Ir::BitCount => {
                self.vector(at, Op::Vop3(Vop3::BcntU32B32), &[(a, WORD), (zero, WORD)], Kind::Word)
            }
            Ir::FindUMsb | Ir::FindSMsb => self.highest(at, a, op == Ir::FindSMsb, of_wave),
            Ir::UAddCarry => {
                let sum = self.sum(at, a, b);
                self.number_of_comparison(at, [sum, a])
            }
            Ir::USubBorrow => self.number_of_comparison(at, [a, b]),
            Ir::BitExtractU | Ir::BitExtractS => self.field(at, args, op == Ir::BitExtractS),
            Ir::BitInsert => self.inserted(at, args),
            _ => return None,
        })
    }

    /// 1 where the first is less, unsigned.
    fn number_of_comparison(&mut self, at: Block, args: [Part; 2]) -> Part {
        let less = self.comparison(at, Ir::ULt, args).unwrap_or(Part::truth(false));
        match less.kind {
            Kind::Truth => Part { kind: Kind::Word, ..less },
            _ => self.chosen(at, less, [Part::number(1), Part::number(0)]),
        }
    }

    /// The number of the highest bit, from how many stand above it; -1 where there is none.
    fn highest(&mut self, at: Block, a: Part, is_signed: bool, of_wave: bool) -> Part {
        let (lanes, wave) = match is_signed {
            true => (Vop1::FfbhI32, Sop1::FlbitI32),
            false => (Vop1::FfbhU32, Sop1::FlbitI32B32),
        };
        let above = match of_wave {
            true => self.scalar(at, Op::Sop1(wave), &[a], Kind::Word),
            false => self.vector(at, Op::Vop1(lanes), &[(a, WORD)], Kind::Word),
        };
        let (all, top) = (Part::number(u32::MAX), Part::number(31));
        let minus = Both { is_exchangeable: false, ..both(Op::Vop2(Vop2::SubNcU32), Sop2::SubI32) };
        let place = self.two(at, &minus, [top, above]);
        if of_wave {
            self.test(at, Op::Sopc(crate::isa::sopc::Sopc::CmpEqU32), [above, all]);
            return self.scalar(at, Op::Sop2(Sop2::CselectB32), &[all, place], Kind::Word);
        }
        let none = self.compared(at, Op::Vopc(Vopc::CmpEqU32), &[(all, WORD), (above, WORD)]);
        self.chosen(at, none, [all, place])
    }

    /// A field of a word: the word, the lowest bit, how many.
    fn field(&mut self, at: Block, args: &[Part], is_signed: bool) -> Part {
        let &[a, from, count] = args else { return Part::undef(Kind::Word) };
        if let (Some(0), Some(32)) = (from.bits(), count.bits()) {
            return a;
        }
        if let (Some(from), Some(count)) = (from.bits(), count.bits())
            && self.is_scalar(a)
        {
            let op = if is_signed { Sop2::BfeI32 } else { Sop2::BfeU32 };
            let place = Part::number(from as u32 & 31 | (count as u32 & 63) << 16);
            return self.scalar(at, Op::Sop2(op), &[a, place], Kind::Word);
        }
        let op = Op::Vop3(if is_signed { Vop3::BfeI32 } else { Vop3::BfeU32 });
        let made = self.vector(at, op, &[(a, WORD), (from, WORD), (count, WORD)], Kind::Word);
        match count.bits() {
            Some(_) => made,
            // The width has five bits there: all of them are none.
            None => self.unless_whole(at, count, [a, made]),
        }
    }

    /// The first where so many bits are all of a word.
    fn unless_whole(&mut self, at: Block, count: Part, [whole, part]: [Part; 2]) -> Part {
        let is_whole = self.comparison(at, Ir::ULe, [Part::number(32), count]).unwrap_or(Part::truth(false));
        let (whole, part) = (self.in_vector(at, whole), self.in_vector(at, part));
        self.choice(at, is_whole, [whole, part].map(|operand| Self::part(operand, Kind::Word)))
    }

    /// Bits of the second word in the first: base, insert, the lowest bit, how many.
    fn inserted(&mut self, at: Block, args: &[Part]) -> Part {
        let &[base, insert, from, count] = args else { return Part::undef(Kind::Word) };
        if count.bits() == Some(32) {
            return insert;
        }
        let mask = match (from.bits(), count.bits()) {
            (Some(from), Some(count)) => Part::number((((1u64 << count.min(32)) - 1) << (from & 31)) as u32),
            _ => self.vector(at, Op::Vop3(Vop3::BfmB32), &[(count, WORD), (from, WORD)], Kind::Word),
        };
        let moved = match from.bits() {
            Some(by) => self.shifted(at, insert, by as u32 & 31),
            None => self.vector(at, Op::Vop2(Vop2::LshlrevB32), &[(from, WORD), (insert, WORD)], Kind::Word),
        };
        let made =
            self.vector(at, Op::Vop3(Vop3::BfiB32), &[(mask, WORD), (moved, WORD), (base, WORD)], Kind::Word);
        match count.bits() {
            Some(_) => made,
            None => self.unless_whole(at, count, [insert, made]),
        }
    }

    /// A narrow integer as a word, with zeros or its sign above.
    pub(super) fn extended(&mut self, at: Block, a: Part, bits: u8, is_signed: bool) -> Part {
        let (width, places) = (u32::from(bits), 32 - u32::from(bits));
        if let From::Number(number) = a.from {
            let high = (number as u32) << places;
            return Part::number(if is_signed { (high as i32 >> places) as u32 } else { high >> places });
        }
        let a = Part { kind: Kind::Word, ..a };
        if self.is_scalar(a) {
            return match is_signed {
                true => {
                    let op = if bits == 8 { Sop1::SextI32I8 } else { Sop1::SextI32I16 };
                    self.scalar(at, Op::Sop1(op), &[a], Kind::Word)
                }
                false => {
                    self.scalar(at, Op::Sop2(Sop2::AndB32), &[a, Part::number((1 << width) - 1)], Kind::Word)
                }
            };
        }
        match is_signed {
            true => {
                let field = [(a, WORD), (Part::number(0), WORD), (Part::number(width), WORD)];
                self.vector(at, Op::Vop3(Vop3::BfeI32), &field, Kind::Word)
            }
            false => {
                let mask = Part::number((1 << width) - 1);
                self.vector(at, Op::Vop2(Vop2::AndB32), &[(mask, WORD), (a, WORD)], Kind::Word)
            }
        }
    }
}
