//! Integers, bits and bools. Products are made of those of 16 bits. spec section 22.1.

use chiaro_ir as ir;
use chiaro_ir::{Op as Ir, Type};
use chiaro_mach::Block;

use super::Select;
use super::arith::Comparison;
use super::part::{From, Part};
use crate::compile::code::{Modifiers, relation, types};
use crate::isa::Op;
use crate::regs::mods;

/// The machine's operation for one of two sources.
fn plain(op: Ir) -> Option<Op> {
    Some(match op {
        Ir::IAdd => Op::AddU,
        Ir::ISub => Op::SubU,
        Ir::UMin => Op::MinU,
        Ir::UMax => Op::MaxU,
        Ir::SMin => Op::MinS,
        Ir::SMax => Op::MaxS,
        Ir::Shl => Op::ShlB,
        Ir::LShr => Op::ShrB,
        Ir::AShr => Op::AshrB,
        Ir::And => Op::AndB,
        Ir::Or => Op::OrB,
        Ir::Xor => Op::XorB,
        _ => return None,
    })
}

impl Select<'_> {
    /// A scalar operation on integers, bits or bools.
    pub(super) fn integer(
        &mut self,
        at: Block,
        inst: ir::Inst,
        op: Ir,
        [a, b, c]: [Part; 3],
    ) -> Option<Part> {
        if let Some(op) = plain(op) {
            return Some(self.int2(at, op, a, b));
        }
        Some(match op {
            Ir::Not if self.is_bool(inst) => self.int2(at, Op::SubU, Part::number(1), a),
            Ir::Not => self.int1(at, Op::NotB, a),
            Ir::INeg => self.int_signs(at, a, mods::NEG),
            Ir::IAbs => self.int_signs(at, a, mods::ABS),
            Ir::ISign => {
                let above = self.int2(at, Op::MaxS, a, Part::number(-1i32 as u32));
                self.int2(at, Op::MinS, above, Part::number(1))
            }
            Ir::IMul => self.product(at, a, b),
            Ir::BitCount => self.int1(at, Op::CbitsB, a),
            Ir::BitReverse => self.int1(at, Op::BfrevB, a),
            Ir::FindUMsb => self.highest_bit(at, a),
            Ir::FindLsb => {
                let minus = self.int_signs(at, a, mods::NEG);
                let lowest = self.int2(at, Op::AndB, a, minus);
                self.highest_bit(at, lowest)
            }
            Ir::FindSMsb => {
                let sign = self.int2(at, Op::AshrB, a, Part::number(31));
                let size = self.int2(at, Op::XorB, a, sign);
                self.highest_bit(at, size)
            }
            Ir::UAddCarry => {
                let sum = self.int2(at, Op::AddU, a, b);
                self.int_compare(at, Op::CmpsU, relation::LT, sum, a)
            }
            Ir::USubBorrow => self.int_compare(at, Op::CmpsU, relation::LT, a, b),
            Ir::UMulHigh => self.high_product(at, a, b),
            Ir::SMulHigh => self.signed_high_product(at, a, b),
            Ir::BitExtractU => self.extract_bits(at, Op::ShrB, [a, b, c]),
            Ir::BitExtractS => self.extract_bits(at, Op::AshrB, [a, b, c]),
            Ir::BitInsert => {
                let args = self.f.args(inst).to_vec();
                let count = self.scalar(*args.get(3)?);
                self.insert_bits(at, [a, b], c, count)
            }
            Ir::FFrexpExponent => self.exponent(at, a),
            Ir::SExt | Ir::ZExt if self.is_word(inst) => a,
            _ => return None,
        })
    }

    fn is_bool(&self, inst: ir::Inst) -> bool {
        self.f.result_of(inst).is_some_and(|value| self.module.types.is_bool(self.f.ty(value)))
    }

    /// Whether argument and result have 32 bits.
    fn is_word(&self, inst: ir::Inst) -> bool {
        let types = &self.module.types;
        let is_word = |value: ir::Value| matches!(types.get(types.scalar(self.f.ty(value))), Type::Int(32));
        self.f.result_of(inst).is_some_and(is_word) && self.f.args(inst).iter().all(|&v| is_word(v))
    }

    /// Sign and size of an integer.
    fn int_signs(&mut self, at: Block, a: Part, signs: u16) -> Part {
        let register = self.register(at, a);
        self.make(at, Op::AbsnegS, &[register.bits(signs.into())], Modifiers::default())
    }

    pub(super) fn int_compare(&mut self, at: Block, op: Op, relation: u8, a: Part, b: Part) -> Part {
        self.compare(at, Comparison { op, relation, is_float: false }, [a, b])
    }

    /// 31 less the zeros above; -1 for 0, which has 32.
    fn highest_bit(&mut self, at: Block, a: Part) -> Part {
        let zeros = self.int1(at, Op::ClzB, a);
        self.int2(at, Op::SubU, Part::number(31), zeros)
    }

    /// Low half of a product: products of halves, the crosswise ones shifted by 16. `madsh.m16` is
    /// c + (low half of a * high half of b << 16): a small factor stands first and needs one.
    pub(super) fn product(&mut self, at: Block, a: Part, b: Part) -> Part {
        let (a, b) = if matches!(a.from, From::Number(_)) { (b, a) } else { (a, b) };
        let low = self.int2(at, Op::MullU, a, b);
        let cross = self.three(at, Op::MadshM16, [b, a, low]);
        match b.bits() {
            Some(bits) if bits < 1 << 16 => cross,
            _ => self.three(at, Op::MadshM16, [a, b, cross]),
        }
    }

    /// High half of an unsigned product, from four products of 16 bits.
    fn high_product(&mut self, at: Block, a: Part, b: Part) -> Part {
        let sixteen = Part::number(16);
        let [a_high, b_high] = [a, b].map(|x| self.int2(at, Op::ShrB, x, sixteen));
        let low = self.int2(at, Op::MullU, a, b);
        let first = self.int2(at, Op::MullU, a_high, b);
        let second = self.int2(at, Op::MullU, a, b_high);
        let high = self.int2(at, Op::MullU, a_high, b_high);
        // The middle: first + (low >> 16) does not overflow, nor does its low half plus second.
        let carry = self.int2(at, Op::ShrB, low, sixteen);
        let middle = self.int2(at, Op::AddU, first, carry);
        let rest = self.int2(at, Op::AndB, middle, Part::number(0xffff));
        let other = self.int2(at, Op::AddU, second, rest);
        let [up, up2] = [middle, other].map(|x| self.int2(at, Op::ShrB, x, sixteen));
        let sum = self.int2(at, Op::AddU, high, up);
        self.int2(at, Op::AddU, sum, up2)
    }

    /// The unsigned one less each factor where the other is negative.
    fn signed_high_product(&mut self, at: Block, a: Part, b: Part) -> Part {
        let high = self.high_product(at, a, b);
        let thirty_one = Part::number(31);
        let [a_sign, b_sign] = [a, b].map(|x| self.int2(at, Op::AshrB, x, thirty_one));
        let less_b = self.int2(at, Op::AndB, a_sign, b);
        let less_a = self.int2(at, Op::AndB, b_sign, a);
        let rest = self.int2(at, Op::SubU, high, less_b);
        self.int2(at, Op::SubU, rest, less_a)
    }

    /// Bits shifted to the top, then down; nothing for a count of 0, which no shift makes.
    fn extract_bits(&mut self, at: Block, shift: Op, [base, offset, count]: [Part; 3]) -> Part {
        let room = self.int2(at, Op::SubU, Part::number(32), count);
        let up = self.int2(at, Op::SubU, room, offset);
        let top = self.int2(at, Op::ShlB, base, up);
        let bits = self.int2(at, shift, top, room);
        match count.bits() {
            Some(0) => Part::number(0),
            Some(_) => bits,
            None => self.three(at, Op::SelB32, [bits, count, Part::number(0)]),
        }
    }

    /// base + ((insert ^ base >> offset) & mask) << offset, with xor for the sum.
    fn insert_bits(&mut self, at: Block, [base, insert]: [Part; 2], offset: Part, count: Part) -> Part {
        let ones = Part::number(u32::MAX);
        let room = self.int2(at, Op::SubU, Part::number(32), count);
        let mask = self.int2(at, Op::ShrB, ones, room);
        let mask = self.int2(at, Op::ShlB, mask, offset);
        let shifted = self.int2(at, Op::ShlB, insert, offset);
        let changed = self.int2(at, Op::XorB, shifted, base);
        let changed = self.int2(at, Op::AndB, changed, mask);
        let made = self.int2(at, Op::XorB, base, changed);
        match count.bits() {
            Some(0) => base,
            Some(_) => made,
            None => self.three(at, Op::SelB32, [made, count, base]),
        }
    }

    /// The biased exponent less 126; 0 for 0.
    fn exponent(&mut self, at: Block, a: Part) -> Part {
        let size = self.float1(at, Op::AbsnegF, a.absolute());
        let biased = self.int2(at, Op::ShrB, size, Part::number(23));
        let power = self.int2(at, Op::SubU, biased, Part::number(126));
        self.three(at, Op::SelB32, [power, size, Part::number(0)])
    }

    /// An integer as the offset that a0.x takes: 16 bits in a half register.
    pub(super) fn narrow(&mut self, at: Block, a: Part) -> chiaro_mach::Operand {
        let a = self.register(at, a);
        let modifiers = Modifiers { types: (types::S32, types::S16), ..Modifiers::default() };
        self.make_half(at, Op::Cov, &[a], modifiers)
    }
}
