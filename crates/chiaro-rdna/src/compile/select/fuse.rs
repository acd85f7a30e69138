//! Several operations of the IR in one instruction, where nothing else reads what is between them.

use chiaro_ir as ir;
use chiaro_ir::{Def, Op as Ir};
use chiaro_mach::Block;

use super::Select;
use super::part::{Kind, Part};
use super::value::{FLOAT, Of, WORD};
use crate::isa::Op;
use crate::isa::vop3::Vop3;

/// Operands of the instruction, in terms of the inner operation's and the outer one's other operand.
#[derive(Clone, Copy)]
enum Order {
    /// Inner first, inner second, outer.
    Inner,
    /// The same, where the inner second is a number of places.
    Shift,
}

/// The instruction of an outer and an inner operation on words.
fn fusion(outer: Ir, inner: Ir) -> Option<(Vop3, Order, Of)> {
    use Order::{Inner, Shift};
    use Vop3 as V;
    Some(match (outer, inner) {
        (Ir::IAdd, Ir::Shl) => (V::LshlAddU32, Shift, WORD),
        (Ir::IAdd, Ir::IAdd) => (V::Add3U32, Inner, WORD),
        (Ir::Or, Ir::Shl) => (V::LshlOrB32, Shift, WORD),
        (Ir::Or, Ir::And) => (V::AndOrB32, Inner, WORD),
        (Ir::Or, Ir::Or) => (V::Or3B32, Inner, WORD),
        (Ir::Xor, Ir::Xor) => (V::Xor3B32, Inner, WORD),
        (Ir::UMin, Ir::UMin) => (V::Min3U32, Inner, WORD),
        (Ir::UMax, Ir::UMax) => (V::Max3U32, Inner, WORD),
        (Ir::SMin, Ir::SMin) => (V::Min3I32, Inner, WORD),
        (Ir::SMax, Ir::SMax) => (V::Max3I32, Inner, WORD),
        (Ir::FMin, Ir::FMin) => (V::Min3F32, Inner, FLOAT),
        (Ir::FMax, Ir::FMax) => (V::Max3F32, Inner, FLOAT),
        _ => return None,
    })
}

impl Select<'_> {
    /// An operation together with one of those that make its operands.
    pub(super) fn fused(&mut self, at: Block, inst: ir::Inst, op: Ir, n: usize) -> Option<Part> {
        let result = self.f.result_of(inst)?;
        if n != 0 || self.kinds(self.f.ty(result)) != [Kind::Word] {
            return None;
        }
        let args = self.f.args(inst).to_vec();
        let whole = self.rotated(at, op, &args).or_else(|| self.cut_out(at, op, &args));
        if let Some(made) = whole.or_else(|| self.normalized(at, op, &args)) {
            return Some(made);
        }
        let &[a, b] = &args[..] else { return None };
        [(b, a), (a, b)].into_iter().find_map(|(inner, other)| self.fused_with(at, op, inner, other))
    }

    /// The operands of the operation that makes a value for this use alone, in lanes.
    fn inner(&mut self, value: ir::Value) -> Option<(Ir, Vec<ir::Value>)> {
        let Def::Result(inst, _) = self.f.def(value) else { return None };
        let part = self.one(value);
        let is_free = self.uses[value.0 as usize] == 1 && self.is_vector(part) && part.signs == 0;
        let is_exact = self.f.inst(inst).flags.exact;
        (is_free && !is_exact).then(|| (self.f.op(inst), self.f.args(inst).to_vec()))
    }

    fn fused_with(&mut self, at: Block, op: Ir, inner: ir::Value, other: ir::Value) -> Option<Part> {
        let (inner, args) = self.inner(inner)?;
        let (machine, order, of) = fusion(op, inner)?;
        let &[first, second] = &args[..] else { return None };
        if let Order::Shift = order {
            self.module.value_bits(self.f, second).filter(|&by| by < 32)?;
        }
        let parts = [first, second, other].map(|value| self.one(value));
        if of == WORD && parts.iter().any(|part| part.signs != 0) || !self.fits_bus(&parts) {
            return None;
        }
        let parts = parts.map(|part| (part, of));
        Some(self.vector(at, Op::Vop3(machine), &parts, Kind::Word))
    }

    /// A sum times a power of two, for an address.
    pub(super) fn scaled_sum(&mut self, at: Block, sum: ir::Value, power: u32) -> Option<Part> {
        let (Ir::IAdd, args) = self.inner(sum)? else { return None };
        let &[a, b] = &args[..] else { return None };
        let parts = [self.one(a), self.one(b), Part::number(power)];
        let is_plain = parts.iter().all(|part| part.kind == Kind::Word && part.signs == 0);
        let uses = parts.map(|part| (part, WORD));
        (is_plain && self.fits_bus(&parts))
            .then(|| self.vector(at, Op::Vop3(Vop3::AddLshlU32), &uses, Kind::Word))
    }

    /// Two numbers between bounds, as integers of 16 bits, side by side.
    fn normalized(&mut self, at: Block, op: Ir, args: &[ir::Value]) -> Option<Part> {
        let (Ir::Or, &[a, b]) = (op, args) else { return None };
        let upper = |value| self.made_by(value, Ir::Shl).filter(|args| self.is_number(args[1], 16));
        let (low, high) = upper(b).map(|args| (a, args[0])).or_else(|| Some((b, upper(a)?[0])))?;
        let masked = |value| self.made_by(value, Ir::And).filter(|args| self.is_number(args[1], 0xffff));
        let low = masked(low)?[0];
        let high = masked(high).map_or(high, |args| args[0]);
        let ((signed, low), (also_signed, high)) = (self.scaled_to_16(low)?, self.scaled_to_16(high)?);
        let op = if signed { Vop3::CvtPknormI16F32 } else { Vop3::CvtPknormU16F32 };
        let parts = [self.one(low), self.one(high)];
        let is_possible = signed == also_signed && self.fits_bus(&parts);
        is_possible.then(|| self.vector(at, Op::Vop3(op), &parts.map(|part| (part, FLOAT)), Kind::Word))
    }

    /// What is scaled to integers of 16 bits and rounded, and whether they have a sign.
    ///
    /// The machine keeps its own bounds, which are those of the source but for what is no number: that becomes 0, where
    /// the source has the lower bound.
    fn scaled_to_16(&self, value: ir::Value) -> Option<(bool, ir::Value)> {
        let (signed, rounded) = (self.made_by(value, Ir::FToS).map(|args| (true, args[0])))
            .or_else(|| self.made_by(value, Ir::FToU).map(|args| (false, args[0])))?;
        let (least, most): (f32, f32) = if signed { (-1.0, 32767.0) } else { (0.0, 65535.0) };
        let product = self.made_by(self.made_by(rounded, Ir::FRoundEven)?[0], Ir::FMul)?;
        let bounded = self.made_by(product[0], Ir::FClamp)?;
        let is = |value, number: f32| self.is_number(value, number.to_bits());
        let fits = is(product[1], most) && is(bounded[1], least) && is(bounded[2], 1.0);
        fits.then_some((signed, if signed { product[0] } else { bounded[0] }))
    }

    /// The operands of the operation that makes a value, if it is that one.
    fn made_by(&self, value: ir::Value, op: Ir) -> Option<&[ir::Value]> {
        let Def::Result(inst, _) = self.f.def(value) else { return None };
        (self.f.op(inst) == op).then(|| self.f.args(inst))
    }

    fn is_number(&self, value: ir::Value, bits: u32) -> bool {
        self.module.value_bits(self.f, value) == Some(bits.into())
    }

    /// Whether an instruction reads so many scalars and numbers at once.
    fn fits_bus(&self, parts: &[Part]) -> bool {
        let is_small = |part: &&Part| {
            part.bits().is_some_and(|bits| crate::operand::constant::Number::Word.code(bits as i64).is_some())
        };
        let mut scalars: Vec<&Part> =
            parts.iter().filter(|part| !self.is_vector(**part) && !is_small(part)).collect();
        scalars.dedup();
        let literals = scalars.iter().filter(|part| part.bits().is_some()).count();
        scalars.len() <= 2 && literals <= 1 && parts.iter().any(|&part| self.is_vector(part))
    }

    /// Both ends of a word shifted into each other.
    fn rotated(&mut self, at: Block, op: Ir, args: &[ir::Value]) -> Option<Part> {
        let (Ir::Or, &[a, b]) = (op, args) else { return None };
        let (x, y) = (self.inner(a)?, self.inner(b)?);
        let (left, right) = match (x.0, y.0) {
            (Ir::Shl, Ir::LShr) => (x.1, y.1),
            (Ir::LShr, Ir::Shl) => (y.1, x.1),
            _ => return None,
        };
        let by = |list: &[ir::Value]| self.module.value_bits(self.f, list[1]);
        let (up, down) = (by(&left)?, by(&right)?);
        if up + down != 32 {
            return None;
        }
        let parts = [left[0], right[0]].map(|value| self.one(value));
        let uses = [(parts[0], WORD), (parts[1], WORD), (Part::number(down as u32), WORD)];
        self.fits_bus(&parts).then(|| self.vector(at, Op::Vop3(Vop3::AlignbitB32), &uses, Kind::Word))
    }

    /// A field of a word: shifted right, and with a mask of ones.
    fn cut_out(&mut self, at: Block, op: Ir, args: &[ir::Value]) -> Option<Part> {
        let (Ir::And, &[a, b]) = (op, args) else { return None };
        let [value, mask] = if self.module.value_bits(self.f, b).is_some() { [a, b] } else { [b, a] };
        let mask = self.module.value_bits(self.f, mask)?;
        let (Ir::LShr, inner) = self.inner(value)? else { return None };
        let by = self.module.value_bits(self.f, inner[1])?;
        if !(mask + 1).is_power_of_two() || by > 31 {
            return None;
        }
        let word = self.one(inner[0]);
        let field = [
            (word, WORD),
            (Part::number(by as u32), WORD),
            (Part::number((mask + 1).trailing_zeros()), WORD),
        ];
        Some(self.vector(at, Op::Vop3(Vop3::BfeU32), &field, Kind::Word))
    }
}
