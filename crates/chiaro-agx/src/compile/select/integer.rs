//! Integers and bits (spec 4, 19.1). Integers of 8 bits are held in 16 with zeros above.

use chiaro_ir as ir;
use chiaro_ir::{Def, Op as Ir};
use chiaro_mach::{Block, Operand, What};

use super::Select;
use super::part::{From, Part, Widened};
use super::test::Test;
use crate::compile::code::Modifiers;
use crate::compile::code::condition::{BELOW, GREATER, LESS};
use crate::compile::code::table::{AND, AND_NOT, NOT, OR, XOR};
use crate::isa::Op;
use crate::isa::integer::Integer;

/// The largest shift that sums have.
const MOST_SHIFT: u64 = 4;

/// Distances by which 64 bits are shifted beyond a word.
const FAR: std::ops::Range<u64> = 33..64;

impl Select<'_> {
    pub(super) fn integer_op(
        &mut self,
        at: Block,
        inst: ir::Inst,
        (op, size): (Ir, u16),
        args: [Part; 3],
    ) -> Option<Part> {
        let ty = self.f.args(inst).first().map(|&v| self.f.ty(v))?;
        let is_bool = self.module.types.is_bool(ty);
        let [a, b, _] = args;
        if let Some(made) = self.turned(at, inst, op, size) {
            return Some(made);
        }
        Some(match op {
            Ir::And => self.mask(at, inst, size, [a, b]),
            Ir::Or => self.bits(at, size, OR, a, b),
            Ir::Xor => self.bits(at, size, XOR, a, b),
            Ir::Not if is_bool => self.bits(at, 1, XOR, a, Part::bool(true)),
            Ir::Not if size > 2 => self.long_bits(at, NOT, a, Part::new(From::Number(0), 4)),
            Ir::Not => {
                let made = self.bits(at, size, NOT, a, Part::new(From::Number(0), size));
                self.cut(at, ty, made)
            }
            Ir::SExt | Ir::ZExt => self.extended(at, inst, op, a, size),
            Ir::IAbs | Ir::ISign | Ir::UMin | Ir::UMax | Ir::SMin | Ir::SMax => {
                self.bounded(at, ty, (op, size), [a, b])
            }
            Ir::AShr | Ir::FindSMsb | Ir::BitExtractS if self.module.types.bits(ty) == Some(8) => {
                let wide = self.byte_extended(at, a);
                let made = self.bit_op(at, (op, size), [wide, args[1], args[2]], 8)?;
                self.cut(at, ty, made)
            }
            _ => {
                let width = self.module.types.bits(ty).unwrap_or(32);
                let made = match self.sum_op(at, inst, (op, size), args) {
                    Some(made) => made,
                    None => self.bit_op(at, (op, size), args, width)?,
                };
                self.cut(at, ty, made)
            }
        })
    }

    /// What a result of 8 bits has above them goes.
    fn cut(&mut self, at: Block, ty: ir::Ty, part: Part) -> Part {
        match self.module.types.bits(ty) {
            Some(8) => self.bits(at, 1, AND, part, Part::half(0xff)),
            _ => part,
        }
    }

    /// Sums, differences, products.
    fn sum_op(
        &mut self,
        at: Block,
        inst: ir::Inst,
        (op, size): (Ir, u16),
        [a, b, c]: [Part; 3],
    ) -> Option<Part> {
        let _ = c;
        Some(match op {
            Ir::IAdd => self.add(at, inst, size, [a, b]),
            Ir::ISub => self.subtract(at, inst, size, [a, b]),
            Ir::INeg => self.integer_two(at, Integer::Isub, size, Part::new(From::Number(0), size), a, 0),
            Ir::IMul if size == 2 && self.wants_high(inst).is_some() => {
                let is_signed = self.wants_high(inst)?;
                self.wide_product(at, a, b, is_signed).halves(0, 2)?
            }
            Ir::IMul => self.multiply(at, size, a, b),
            Ir::UMulHigh | Ir::SMulHigh if size == 2 => {
                let whole = self.wide_product(at, a, b, op == Ir::SMulHigh);
                whole.halves(2, 2)?
            }
            Ir::UAddCarry => {
                let sum = self.integer_two(at, Integer::Iadd, size, a, b, 0);
                self.flag(at, size, sum, a)
            }
            Ir::USubBorrow => self.flag(at, size, a, b),
            _ => return None,
        })
    }

    /// Whether somebody asks for the high word of the same product, and with signs.
    fn wants_high(&self, inst: ir::Inst) -> Option<bool> {
        let args = self.f.args(inst);
        self.high_products.iter().find(|(factors, _)| factors == args).map(|&(_, is_signed)| is_signed)
    }

    /// 1 where a is below b, else 0.
    fn flag(&mut self, at: Block, size: u16, a: Part, b: Part) -> Part {
        let (a, b) = (self.integer(at, a, false), self.integer(at, b, false));
        let below = Test { is_float: false, condition: BELOW, a, b };
        self.select(at, &below, Part::new(From::Number(1), size), Part::new(From::Number(0), size))
    }

    /// A sum or difference; the second source is shifted.
    pub(super) fn integer_two(
        &mut self,
        at: Block,
        op: Integer,
        size: u16,
        a: Part,
        b: Part,
        shift: u8,
    ) -> Part {
        // Small negative numbers are read from the other operation.
        if let (Integer::Iadd | Integer::Isub, Some(bits), 0) = (op, b.bits(), shift) {
            let minus = bits.wrapping_neg() & (u64::MAX >> (64 - 16 * b.size));
            if minus < 256 && bits >= 256 {
                let other = if op == Integer::Iadd { Integer::Isub } else { Integer::Iadd };
                return self.integer_two(at, other, size, a, Part::new(From::Number(minus), b.size), 0);
            }
        }
        let (a, b) = if op == Integer::Iadd && shift == 0 && a.bits().is_some() { (b, a) } else { (a, b) };
        let uses = [self.integer(at, a, true), self.integer(at, b, true)];
        self.make(at, Op::Integer(op), size, &uses, Modifiers { shift, ..Modifiers::default() })
    }

    /// a b + (c << shift).
    pub(super) fn integer_three(
        &mut self,
        at: Block,
        op: Integer,
        size: u16,
        parts: [Part; 3],
        shift: u8,
    ) -> Part {
        let uses = parts.map(|part| self.integer(at, part, true));
        self.make(at, Op::Integer(op), size, &uses, Modifiers { shift, ..Modifiers::default() })
    }

    /// The instruction and operands of an operation of one use that makes a value.
    fn made_by(&self, value: ir::Value, wanted: Ir, alone: bool) -> Option<[ir::Value; 2]> {
        let Def::Result(inst, 0) = self.f.def(value) else { return None };
        let &[a, b] = self.f.args(inst) else { return None };
        let is_own = (!alone || self.uses[value.0 as usize] == 1) && !self.is_moved(inst);
        let fits = self.f.op(inst) == wanted && is_own;
        (fits && self.sizes(self.f.ty(value)).len() == 1).then_some([a, b])
    }

    /// x and a shift that a sum can do, where a value is a shift left.
    fn shifted_by(&mut self, value: ir::Value) -> Option<(Part, u8)> {
        let [x, by] = self.made_by(value, Ir::Shl, false)?;
        let by = self.module.value_bits(self.f, by).filter(|by| (1..=MOST_SHIFT).contains(by))?;
        let x = self.scalar(x);
        (x.bits().is_none()).then_some((x, by as u8))
    }

    fn add(&mut self, at: Block, inst: ir::Inst, size: u16, [a, b]: [Part; 2]) -> Part {
        let args = self.f.args(inst).to_vec();
        if let Some(made) = self.long_sum(at, &args, size) {
            return made;
        }
        for (n, other) in [(1, a), (0, b)] {
            if size > 2 || self.sizes(self.f.ty(args[0])).len() != 1 {
                break;
            }
            if let Some((x, shift)) = self.shifted_by(args[n]) {
                return self.integer_two(at, Integer::Iadd, size, other, x, shift);
            }
            if let Some([x, y]) = self.made_by(args[n], Ir::IMul, true) {
                let (x, y) = (self.scalar(x), self.scalar(y));
                if power(x).is_none() && power(y).is_none() {
                    return self.integer_three(at, Integer::Imadd, size, [x, y, other], 0);
                }
            }
        }
        self.integer_two(at, Integer::Iadd, size, a, b, 0)
    }

    /// A product of words and a word, in 64 bits: one instruction.
    fn long_sum(&mut self, at: Block, args: &[ir::Value], size: u16) -> Option<Part> {
        let &[product, more] = args else { return None };
        let [x, y] = self.made_by(product, Ir::IMul, true).filter(|_| size == 4)?;
        let parts = [self.word_of(x)?, self.word_of(y)?, self.word_of(more)?];
        let uses = parts.map(|part| {
            let part = if part.held() < part.size { self.in_register(at, part) } else { part };
            self.integer(at, part, false)
        });
        Some(self.make(at, Op::Integer(Integer::Imadd), size, &uses, Modifiers::default()))
    }

    /// The word that 64 bits are, with zeros above.
    fn word_of(&mut self, value: ir::Value) -> Option<Part> {
        if let Some(bits) = self.module.value_bits(self.f, value) {
            return u32::try_from(bits).ok().map(Part::number);
        }
        let Def::Result(inst, 0) = self.f.def(value) else { return None };
        let word = *self.f.args(inst).first().filter(|_| self.f.op(inst) == Ir::ZExt)?;
        (self.sizes(self.f.ty(word)) == [2]).then(|| self.scalar(word))
    }

    fn subtract(&mut self, at: Block, inst: ir::Inst, size: u16, [a, b]: [Part; 2]) -> Part {
        let args = self.f.args(inst).to_vec();
        if size <= 2 && self.sizes(self.f.ty(args[0])).len() == 1 {
            if let Some((x, shift)) = self.shifted_by(args[1]) {
                return self.integer_two(at, Integer::Isub, size, a, x, shift);
            }
            if let Some([x, y]) = self.made_by(args[0], Ir::IMul, true) {
                let (x, y) = (self.scalar(x), self.scalar(y));
                return self.integer_three(at, Integer::Imsub, size, [x, y, b], 0);
            }
        }
        self.integer_two(at, Integer::Isub, size, a, b, 0)
    }

    fn multiply(&mut self, at: Block, size: u16, a: Part, b: Part) -> Part {
        if size > 2 {
            return self.long_product(at, a, b);
        }
        let (a, b) = if a.bits().is_some() { (b, a) } else { (a, b) };
        if let Some(by) = power(b).filter(|_| a.bits().is_none()) {
            return self.shift_left(at, size, a, Part::number(by.into()));
        }
        if let Some(bits) = b.bits() {
            // One more or less than a power of two: a sum with a shift.
            let zero_to =
                |n: u64| n.is_power_of_two() && (1..=MOST_SHIFT).contains(&n.trailing_zeros().into());
            let width = 16 * u32::from(size);
            let minus = 1u64.wrapping_sub(bits) & (u64::MAX >> (64 - width));
            if bits > 1 && zero_to(bits - 1) {
                return self.integer_two(at, Integer::Iadd, size, a, a, (bits - 1).trailing_zeros() as u8);
            }
            if zero_to(minus) {
                return self.integer_two(at, Integer::Isub, size, a, a, minus.trailing_zeros() as u8);
            }
        }
        self.integer_three(at, Integer::Imadd, size, [a, b, Part::new(From::Number(0), size)], 0)
    }

    /// All 64 bits of a product, which are computed once for both halves.
    pub(super) fn wide_product(&mut self, at: Block, a: Part, b: Part, is_signed: bool) -> Part {
        if let Some(&known) = self.products.get(&(at, a, b, is_signed)) {
            return known;
        }
        let side = |s: &mut Self, part: Part| {
            let part = if part.held() < part.size { s.in_register(at, part) } else { part };
            let used = s.integer(at, part, false);
            let is_read = !matches!(used.what, What::Imm(_)) && is_signed;
            used.bits(if is_read { crate::compile::code::sign::EXTEND } else { 0 })
        };
        let uses = [side(self, a), side(self, b), Operand::imm(0)];
        let made = self.make(at, Op::Integer(Integer::Imadd), 4, &uses, Modifiers::default());
        self.products.insert((at, a, b, is_signed), made);
        made
    }

    /// Low words multiplied, and both mixed products added to the high word.
    fn long_product(&mut self, at: Block, a: Part, b: Part) -> Part {
        let [a, b] = [a, b].map(|x| if x.bits().is_some() { x } else { self.in_register(at, x) });
        let half = |part: Part, n: u16| part.halves(2 * n, 2).unwrap_or(Part::number(0));
        let low = self.wide_product(at, half(a, 0), half(b, 0), false);
        // Apart, so that the high word is free when it has been added to.
        let words = self.split(at, Self::place(low), 2);
        let [low, mut high] = [words[0], words[1]];
        for [x, y] in [[half(a, 0), half(b, 1)], [half(a, 1), half(b, 0)]] {
            if x.bits() != Some(0) && y.bits() != Some(0) {
                high = self.integer_three(at, Integer::Imadd, 2, [x, y, high], 0);
            }
        }
        self.joined(at, &[low, high])
    }

    /// A truth table of two sources, bit by bit.
    pub(super) fn bits(&mut self, at: Block, size: u16, table: u8, a: Part, b: Part) -> Part {
        if size > 2 {
            return self.long_bits(at, table, a, b);
        }
        // Tables of the second source alone do not work: numbers stand second (spec 4).
        let (table, a, b) = match a.bits().is_some() && b.bits().is_none() {
            true => (table & 0b1001 | (table & 0b0100) >> 1 | (table & 0b0010) << 1, b, a),
            false => (table, a, b),
        };
        let uses = [self.integer(at, a, false), self.integer(at, b, false)];
        self.make(at, Op::Integer(Integer::Bitop), size, &uses, Modifiers { table, ..Modifiers::default() })
    }

    fn long_bits(&mut self, at: Block, table: u8, a: Part, b: Part) -> Part {
        let (a, b) = (self.in_register(at, a), self.in_register(at, b));
        let halves: Vec<Part> = (0..2)
            .filter_map(|n| Some((a.halves(2 * n, 2)?, b.halves(2 * n, 2)?)))
            .map(|(a, b)| self.bits(at, 2, table, a, b))
            .collect();
        self.joined(at, &halves)
    }

    /// Bits of two sources of which some are complemented, or the whole is: one truth table does it all.
    fn turned(&mut self, at: Block, inst: ir::Inst, op: Ir, size: u16) -> Option<Part> {
        let ty = self.f.ty(self.f.result_of(inst)?);
        if !self.is_part() || size > 2 || !matches!(self.module.types.bits(ty), Some(16 | 32)) {
            return None;
        }
        let whole = |s: &Self, value: ir::Value, wanted: Ir| match s.f.def(value) {
            Def::Result(inner, 0) if s.f.op(inner) == wanted && s.uses[value.0 as usize] == 1 => {
                Some(inner).filter(|&inner| !s.is_moved(inner))
            }
            _ => None,
        };
        let args = self.f.args(inst).to_vec();
        let (inner, op, is_turned) = match op {
            Ir::Not => {
                let found = [Ir::And, Ir::Or, Ir::Xor]
                    .into_iter()
                    .find_map(|op| Some((whole(self, args[0], op)?, op)));
                let (inner, op) = found?;
                (inner, op, true)
            }
            Ir::And | Ir::Or | Ir::Xor => (inst, op, false),
            _ => return None,
        };
        let sides = self.f.args(inner).to_vec();
        let turned = [0, 1].map(|n| whole(self, sides[n], Ir::Not));
        if !is_turned && turned == [None, None] {
            return None;
        }
        let [a, b] = [0, 1].map(|n| self.scalar(turned[n].map_or(sides[n], |not| self.f.args(not)[0])));
        if a.bits().is_some() || b.bits().is_some() {
            return None;
        }
        let [turn_a, turn_b] = turned.map(|not| not.is_some());
        // The digits are for neither, a alone, b alone, both.
        let table = [(false, false), (true, false), (false, true), (true, true)].into_iter().fold(
            0,
            |table, (x, y)| {
                let (x, y) = (x != turn_a, y != turn_b);
                let bit = match op {
                    Ir::And => x && y,
                    Ir::Or => x || y,
                    _ => x != y,
                };
                table << 1 | u8::from(bit != is_turned)
            },
        );
        Some(self.bits(at, size, table, a, b))
    }

    /// Bits of both: a field where one is a shift right and the other a run of ones, and what is complemented for
    /// nothing.
    fn mask(&mut self, at: Block, inst: ir::Inst, size: u16, [a, b]: [Part; 2]) -> Part {
        // The low half of a register is read by itself.
        for (part, mask) in [(a, b), (b, a)] {
            if let (2, Some(0xffff), Some(low)) = (size, mask.bits(), part.halves(0, 1))
                && let Some(low) = low.wider(Widened::Zero)
            {
                return low;
            }
        }
        let args = self.f.args(inst).to_vec();
        if self.sizes(self.f.ty(args[0])).len() == 1 && size <= 2 {
            let ones = b.bits().filter(|bits| (bits + 1).is_power_of_two() && *bits > 0);
            let shifted = self.made_by(args[0], Ir::LShr, true);
            if let (Some(ones), Some([x, by])) = (ones, shifted)
                && let Some(by) = self.module.value_bits(self.f, by)
            {
                let x = self.scalar(x);
                return self.field(
                    at,
                    Integer::Bfeil,
                    size,
                    [Part::number(0), x, Part::number(by as u32)],
                    ones.count_ones(),
                );
            }
            for (n, other) in [(1, a), (0, b)] {
                let Def::Result(maker, 0) = self.f.def(args[n]) else { continue };
                let is_bool = self.module.types.is_bool(self.f.ty(args[n]));
                if self.f.op(maker) == Ir::Not && !is_bool && self.uses[args[n].0 as usize] == 1 {
                    let x = self.scalar(self.f.args(maker)[0]);
                    return self.bits(at, size, AND_NOT, other, x);
                }
            }
        }
        self.bits(at, size, AND, a, b)
    }

    /// A bit field operation; 32 bits of mask are all.
    pub(super) fn field(&mut self, at: Block, op: Integer, size: u16, parts: [Part; 3], width: u32) -> Part {
        let uses = parts.map(|part| self.integer(at, part, false));
        let field = if width < 32 { width as u8 } else { 0 };
        self.make(at, Op::Integer(op), size, &uses, Modifiers { field, ..Modifiers::default() })
    }

    /// A distance below the width: the machine does not count modulo the width (spec 4.1).
    fn distance(&mut self, at: Block, by: Part, width: u16) -> Part {
        match by.bits() {
            Some(bits) => Part::number(bits as u32 & u32::from(width - 1)),
            None => {
                let mask = Part::new(From::Number(u64::from(width - 1)), by.size.min(2));
                let by = by.halves(0, by.size.min(2)).unwrap_or(by);
                self.bits(at, by.size, AND, by, mask)
            }
        }
    }

    pub(super) fn shift_left(&mut self, at: Block, size: u16, a: Part, by: Part) -> Part {
        match by.bits() {
            Some(0) => a,
            Some(n @ 1..=MOST_SHIFT) => {
                self.integer_two(at, Integer::Iadd, size, Part::new(From::Number(0), size), a, n as u8)
            }
            _ => self.field(at, Integer::Bfi, size, [Part::number(0), a, by], 32),
        }
    }

    pub(super) fn shift_right(&mut self, at: Block, size: u16, a: Part, by: Part, is_signed: bool) -> Part {
        match (by.bits(), is_signed) {
            (Some(0), _) => a,
            (_, false) => self.field(at, Integer::Bfeil, size, [Part::number(0), a, by], 32),
            _ => {
                let a = if a.held() < a.size { self.in_register(at, a) } else { a };
                let uses = [self.integer(at, a, false), self.integer(at, by, false)];
                self.make(at, Op::Integer(Integer::Asr), size, &uses, Modifiers::default())
            }
        }
    }

    /// Shifts, fields, counts.
    fn bit_op(&mut self, at: Block, (op, size): (Ir, u16), [a, b, c]: [Part; 3], width: u8) -> Option<Part> {
        if size > 2 || a.size > 2 {
            return self.long_bit_op(at, op, a, b);
        }
        let by = |s: &mut Self| s.distance(at, b, width.into());
        Some(match op {
            Ir::Shl => {
                let by = by(self);
                self.shift_left(at, size, a, by)
            }
            Ir::LShr | Ir::AShr => {
                let by = by(self);
                self.shift_right(at, size, a, by, op == Ir::AShr)
            }
            Ir::BitCount => self.unary(at, Integer::Popcount, size, a),
            Ir::BitReverse => {
                let reversed = self.unary(at, Integer::Bitrev, 2, a);
                self.shift_right(at, size, reversed, Part::number(32 - u32::from(width)), false)
            }
            Ir::FindUMsb => self.unary(at, Integer::Ffs, size, a),
            Ir::FindLsb => {
                let minus =
                    self.integer_two(at, Integer::Isub, a.size, Part::new(From::Number(0), a.size), a, 0);
                let lowest = self.bits(at, a.size, AND, a, minus);
                self.unary(at, Integer::Ffs, size, lowest)
            }
            Ir::FindSMsb => {
                let sign = self.shift_right(at, a.size, a, Part::number(31), true);
                let differ = self.bits(at, a.size, XOR, a, sign);
                self.unary(at, Integer::Ffs, size, differ)
            }
            Ir::BitExtractU => self.extract(at, size, a, b, c),
            Ir::BitExtractS => self.extract_signed(at, size, a, b, c, width),
            _ => return None,
        })
    }

    fn unary(&mut self, at: Block, op: Integer, size: u16, a: Part) -> Part {
        let used = self.integer(at, a, false);
        self.make(at, Op::Integer(op), size, &[used], Modifiers::default())
    }

    /// So many bits from a place on.
    fn extract(&mut self, at: Block, size: u16, a: Part, offset: Part, count: Part) -> Part {
        match count.bits() {
            Some(0) => Part::new(From::Number(0), size),
            Some(width) => self.field(at, Integer::Bfeil, size, [Part::number(0), a, offset], width as u32),
            None => {
                let moved = self.shift_right(at, size, a, offset, false);
                let ones = self.ones(at, count);
                self.bits(at, size, AND, moved, ones)
            }
        }
    }

    /// So many ones: shifts do not wrap, so 32 of them are all.
    pub(super) fn ones(&mut self, at: Block, count: Part) -> Part {
        let above = self.field(at, Integer::Bfi, 2, [Part::number(0), Part::number(1), count], 32);
        self.integer_two(at, Integer::Isub, 2, above, Part::number(1), 0)
    }

    /// Up to the top, and down again with the sign; nothing of no bits.
    fn extract_signed(
        &mut self,
        at: Block,
        size: u16,
        a: Part,
        offset: Part,
        count: Part,
        width: u8,
    ) -> Part {
        let all = Part::number(width.into());
        if let (Some(offset), Some(count)) = (offset.bits(), count.bits()) {
            if count == 0 {
                return Part::new(From::Number(0), size);
            }
            let left = u64::from(width).saturating_sub(offset + count) as u32;
            let up = self.shift_left(at, size, a, Part::number(left));
            return self.shift_right(at, size, up, Part::number(u32::from(width) - count as u32), true);
        }
        let above = self.integer_two(at, Integer::Isub, 2, all, count, 0);
        let left = self.integer_two(at, Integer::Isub, 2, above, offset, 0);
        let up = self.shift_left(at, size, a, left);
        let down = self.shift_right(at, size, up, above, true);
        let none = self.is_number(at, count, 0);
        self.select(at, &none, Part::new(From::Number(0), size), down)
    }

    /// Base, insert, offset, count: what a field of the base becomes.
    pub(super) fn insert_bits(&mut self, at: Block, [base, insert, offset, count]: [Part; 4]) -> Part {
        match count.bits() {
            Some(0) => base,
            Some(width) => self.field(at, Integer::Bfi, base.size, [base, insert, offset], width as u32),
            None => {
                let ones = self.ones(at, count);
                let mask = self.field(at, Integer::Bfi, 2, [Part::number(0), ones, offset], 32);
                let moved = self.field(at, Integer::Bfi, 2, [Part::number(0), insert, offset], 32);
                let differ = self.bits(at, 2, XOR, base, moved);
                let inside = self.bits(at, 2, AND, differ, mask);
                self.bits(at, base.size, XOR, base, inside)
            }
        }
    }

    /// A signed byte in 16 bits.
    pub(super) fn byte_extended(&mut self, at: Block, a: Part) -> Part {
        if let Some(bits) = a.bits() {
            return Part::half(bits as u8 as i8 as u16);
        }
        let up = self.shift_left(at, 1, a, Part::number(8));
        self.shift_right(at, 1, up, Part::number(8), true)
    }

    /// To another size, with zeros or with the sign.
    fn extended(&mut self, at: Block, inst: ir::Inst, op: Ir, a: Part, size: u16) -> Part {
        let types = &self.module.types;
        let ty = |value: ir::Value| types.bits(self.f.ty(value)).unwrap_or(32);
        let (from, to) = (ty(self.f.args(inst)[0]), self.f.result_of(inst).map_or(32, ty));
        let is_signed = op == Ir::SExt;
        if let Some(bits) = a.bits() {
            let sign = 64 - u32::from(from);
            let wide = if is_signed { ((bits << sign) as i64 >> sign) as u64 } else { bits << sign >> sign };
            return Part::new(From::Number(wide & (u64::MAX >> (64 - u32::from(to)))), size);
        }
        let a = if from == 8 && is_signed && to > 8 { self.byte_extended(at, a) } else { a };
        match (from.max(16), to) {
            (_, 8) => {
                let low = self.low_half(at, a);
                if from == 8 { low } else { self.bits(at, 1, AND, low, Part::half(0xff)) }
            }
            (16, 16) => a,
            (32 | 64, 16) => self.low_half(at, a),
            (64, 32) => match self.high_shifted(at, self.f.args(inst)[0]) {
                Some(high) => high,
                None => {
                    let a = self.in_register(at, a);
                    a.halves(0, 2).unwrap_or(a)
                }
            },
            (16, 32) => {
                let widened = if is_signed { Widened::Sign } else { Widened::Zero };
                a.wider(widened).unwrap_or(a)
            }
            (from, 64) => self.lengthened(at, a, from, is_signed),
            _ => a,
        }
    }

    /// The low word of what 64 bits are where they are shifted by more than a word: that of their high word.
    fn high_shifted(&mut self, at: Block, value: ir::Value) -> Option<Part> {
        let [long, by] = self.made_by(value, Ir::LShr, false)?;
        let far = self.module.value_bits(self.f, by).filter(|by| FAR.contains(by))?;
        let long = self.scalar(long);
        let high = self.in_register(at, long).halves(2, 2)?;
        Some(self.shift_right(at, 2, high, Part::number(far as u32 - 32), false))
    }

    fn low_half(&mut self, at: Block, a: Part) -> Part {
        if a.widened == Widened::Zero || a.widened == Widened::Sign {
            return Part { size: 1, widened: Widened::No, ..a };
        }
        let a = self.in_register(at, a);
        a.halves(0, 1).unwrap_or(a)
    }

    fn lengthened(&mut self, at: Block, a: Part, from: u8, is_signed: bool) -> Part {
        let low = if from == 16 {
            a.wider(if is_signed { Widened::Sign } else { Widened::Zero }).unwrap_or(a)
        } else {
            a
        };
        let low = self.in_register(at, low);
        let high = match is_signed {
            true => self.shift_right(at, 2, low, Part::number(31), true),
            false => Part::number(0),
        };
        self.joined(at, &[low, high])
    }

    /// Signs and bounds by selects.
    fn bounded(&mut self, at: Block, ty: ir::Ty, (op, size): (Ir, u16), [a, b]: [Part; 2]) -> Part {
        let is_signed = matches!(op, Ir::SMin | Ir::SMax | Ir::IAbs | Ir::ISign);
        let [a, b] = match is_signed && self.module.types.bits(ty) == Some(8) {
            true => [a, b].map(|x| self.byte_extended(at, x)),
            false => [a, b],
        };
        let zero = Part::new(From::Number(0), size);
        let compare = |s: &mut Self, condition: u8, a: Part, b: Part| {
            let [a, b] =
                [a, b].map(|x| if is_signed && x.held() < x.size { s.in_register(at, x) } else { x });
            if let Some(test) = s.long_order(at, condition, a, b) {
                return test;
            }
            let (a, b) = (s.integer(at, a, false), s.integer(at, b, false));
            Test { is_float: false, condition, a, b }
        };
        let made = match op {
            Ir::IAbs => {
                let minus = self.integer_two(at, Integer::Isub, size, zero, a, 0);
                let negative = compare(self, LESS, a, zero);
                self.select(at, &negative, minus, a)
            }
            Ir::ISign => {
                let ones = Part::new(From::Number(u64::MAX >> (64 - 16 * size)), size);
                let negative = compare(self, LESS, a, zero);
                let below = self.select(at, &negative, ones, zero);
                let positive = compare(self, GREATER, a, zero);
                self.select(at, &positive, Part::new(From::Number(1), size), below)
            }
            _ => {
                let condition = match op {
                    Ir::UMin => BELOW,
                    Ir::UMax => 2,
                    Ir::SMin => LESS,
                    _ => GREATER,
                };
                let test = compare(self, condition, a, b);
                self.select(at, &test, a, b)
            }
        };
        self.cut(at, ty, made)
    }

    /// Shifts of 64 bits, of words.
    fn long_bit_op(&mut self, at: Block, op: Ir, a: Part, by: Part) -> Option<Part> {
        let a = self.in_register(at, a);
        let (low, high) = (a.halves(0, 2)?, a.halves(2, 2)?);
        if let (Ir::LShr, Some(far)) = (op, by.bits().filter(|by| FAR.contains(by))) {
            let lower = self.shift_right(at, 2, high, Part::number(far as u32 - 32), false);
            return Some(self.joined(at, &[lower, Part::number(0)]));
        }
        let by = self.distance(at, by, 64);
        let (shl, shr) = (Integer::Shlhi, Integer::Shrhi);
        let less = |s: &mut Self| s.integer_two(at, Integer::Isub, 2, by, Part::number(32), 0);
        let is_far = |s: &mut Self| {
            let (a, b) = (s.integer(at, by, false), s.integer(at, Part::number(32), false));
            Test { is_float: false, condition: BELOW, a, b }.inverse()
        };
        let zero = Part::number(0);
        Some(match op {
            Ir::Shl => {
                // What crosses the middle comes from the low word, in either case.
                let own = self.field(at, Integer::Bfi, 2, [zero, high, by], 32);
                let crossing = self.field(at, shl, 2, [zero, low, by], 32);
                let upper = self.bits(at, 2, OR, own, crossing);
                let lower = self.field(at, Integer::Bfi, 2, [zero, low, by], 32);
                self.joined(at, &[lower, upper])
            }
            Ir::LShr => {
                let own = self.field(at, Integer::Bfeil, 2, [zero, low, by], 32);
                let crossing = self.field(at, shr, 2, [zero, high, by], 32);
                let lower = self.bits(at, 2, OR, own, crossing);
                let upper = self.field(at, Integer::Bfeil, 2, [zero, high, by], 32);
                self.joined(at, &[lower, upper])
            }
            Ir::AShr => {
                let own = self.field(at, Integer::Bfeil, 2, [zero, low, by], 32);
                let crossing = self.field(at, shr, 2, [zero, high, by], 32);
                let near = self.bits(at, 2, OR, own, crossing);
                let rest = less(self);
                let beyond = self.shift_right(at, 2, high, rest, true);
                let far = is_far(self);
                let lower = self.select(at, &far, beyond, near);
                let upper = self.shift_right(at, 2, high, by, true);
                self.joined(at, &[lower, upper])
            }
            _ => return None,
        })
    }
}

/// The power of two that a number is.
fn power(part: Part) -> Option<u8> {
    let bits = part.bits().filter(|bits| bits.is_power_of_two())?;
    Some(bits.trailing_zeros() as u8)
}
