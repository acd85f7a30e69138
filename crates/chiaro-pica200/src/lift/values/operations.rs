//! What micro-ops compute: an operation of the IR, or of those that no language has a call of one of our functions.

use chiaro_ir::Value;
use chiaro_sim::uop::Sum;
use chiaro_sim::{Op as U, Slot, Uop};

use super::slots::{Home, Part};
use super::{Made, Values};
use crate::exec::Components;
use crate::lift::helpers::{Helper, Narrow, Numbers};
use crate::lift::interface::is_ordinary;
use crate::lift::live::Variable;

/// No operand.
const NONE: Value = Value(u32::MAX);

impl Values<'_, '_> {
    pub(super) fn uop(&mut self, uop: &Uop) {
        let count = usize::from(uop.count);
        match uop.op {
            U::Dot => return self.dot(uop),
            U::Row => return self.row(uop),
            // A copy is another name.
            U::Mov => {
                let parts: Components<Part> = uop.a[..count].iter().map(|&slot| self.part(slot)).collect();
                for (&slot, part) in uop.d[..count].iter().zip(parts) {
                    self.change(slot, part);
                }
                return;
            }
            U::Imm => {
                let value = self.number(uop.d[0], uop.imm);
                uop.d[..count].iter().for_each(|&slot| self.write(&[slot], value));
                return;
            }
            _ => {}
        }
        let operands = uop.op.shape().operands.len();
        let args: Components<Value> = (0..operands).map(|k| self.gather(&uop.operand(k)[..count])).collect();
        let value = self.once(uop.op, &args);
        self.write(&uop.d[..count], value);
    }

    /// What an operation computes; within a run each is there once.
    fn once(&mut self, op: U, args: &[Value]) -> Value {
        let operands = std::array::from_fn(|n| args.get(n).copied().unwrap_or(NONE));
        self.made(Made::Op(op, operands), |s| s.computed(op, args))
    }

    /// A number in a slot: flags are bools.
    fn number(&mut self, slot: Slot, bits: u32) -> Value {
        match self.home(slot) {
            Home::Variable(Variable::Flag(_), _) => self.b.bool(bits != 0),
            _ => self.b.f32(f32::from_bits(bits)),
        }
    }

    fn computed(&mut self, op: U, args: &[Value]) -> Value {
        let narrow = match self.numbers {
            Numbers::Plain => self.as_written(op, args),
            Numbers::Binary32 => None,
            Numbers::Float24 { .. } => self.narrow(op, args),
        };
        narrow.unwrap_or_else(|| self.plain(op, args))
    }

    /// What a language has as the machine does, but for borders.
    fn as_written(&mut self, op: U, args: &[Value]) -> Option<Value> {
        Some(match (op, args) {
            (U::Fmul, &[a, b]) => self.b.fmul(a, b),
            (U::Fmad, &[a, b, c]) => {
                let product = self.b.fmul(a, b);
                self.b.fadd(product, c)
            }
            (U::Fmax, &[a, b]) => self.b.fmax(a, b),
            (U::Fmin, &[a, b]) => self.b.fmin(a, b),
            (U::Frsq, &[a]) => self.b.frsqrt(a),
            (U::FtoX86 | U::FtoS, &[a]) => self.whole(a),
            // Of an index whether it is in range, which it is.
            (U::And, &[_, b]) if self.is_int(b) => b,
            _ => return None,
        })
    }

    /// An index as an integer, of several each by itself: MOVA rounds it, of which a compiler knows.
    fn whole(&mut self, x: Value) -> Value {
        let (ty, int) = (self.b.ty(x), self.b.int_ty(32));
        match self.b.types().components(ty) {
            0 | 1 => self.b.convert(chiaro_ir::Op::FToS, x, int),
            count => {
                let parts: Components<Value> = (0..u32::from(count))
                    .map(|n| {
                        let part = self.b.extract(x, n);
                        self.b.convert(chiaro_ir::Op::FToS, part, int)
                    })
                    .collect();
                self.b.vector(&parts)
            }
        }
    }

    fn is_int(&mut self, x: Value) -> bool {
        let ty = self.b.ty(x);
        self.b.types().is_int(ty)
    }

    /// What float24 rounds, or reads in a way of its own.
    fn narrow(&mut self, op: U, args: &[Value]) -> Option<Value> {
        let what = match op {
            U::Ffloor => Narrow::Floor,
            U::Frcp => Narrow::Reciprocal,
            U::Frsq => Narrow::InverseRoot,
            U::Fpack => Narrow::Round,
            U::Fexp2 | U::Flog2 => {
                let value = self.plain(op, args);
                return Some(self.helpers.narrow(&mut self.b, Narrow::Round, &[value]));
            }
            // There is no negative zero.
            U::Fneg => {
                let ty = self.b.ty(args[0]);
                let zero = self.b.zero(ty);
                return Some(self.b.fsub(zero, args[0]));
            }
            _ => return None,
        };
        Some(self.helpers.narrow(&mut self.b, what, args))
    }

    fn plain(&mut self, op: U, args: &[Value]) -> Value {
        match (op, args) {
            (U::Fadd, &[a, b]) => self.helpers.sum(&mut self.b, a, b),
            (U::Fmul, &[a, b]) => self.product(a, b),
            (U::Fmad, &[a, b, c]) => {
                let product = self.product(a, b);
                self.helpers.sum(&mut self.b, product, c)
            }
            (U::Fneg, &[a]) => self.b.fneg(a),
            (U::Ffloor, &[a]) => self.b.ffloor(a),
            (U::Fmax, &[a, b]) => {
                let is_first = self.b.flt(b, a);
                self.b.select(is_first, a, b)
            }
            (U::Fmin, &[a, b]) => {
                let is_first = self.b.flt(a, b);
                self.b.select(is_first, a, b)
            }
            (U::Frcp, &[a]) => self.reciprocal(a),
            (U::Frsq, &[a]) => {
                let root = self.b.fsqrt(a);
                self.reciprocal(root)
            }
            (U::Fexp2, &[a]) => self.b.fexp2(a),
            (U::Flog2, &[a]) => self.b.flog2(a),
            (U::Feq, &[a, b]) => self.b.feq(a, b),
            (U::Flt, &[a, b]) => self.b.flt(a, b),
            (U::Fle, &[a, b]) => self.b.fle(a, b),
            (U::Not, &[a]) => self.b.not(a),
            (U::FtoX86 | U::FtoS, &[a]) => self.index(a),
            (U::Add, &[a, b]) => self.b.iadd(a, b),
            (U::LtU, &[a, b]) => self.b.ult(a, b),
            (U::And, &[a, b]) => self.masked(a, b),
            _ => {
                debug_assert!(false, "`{}` has no form here", op.name());
                args[0]
            }
        }
    }

    /// An integer for indexing, which adds 0 for all numbers beyond -128 to 127: languages leave open
    /// what large ones become.
    fn index(&mut self, a: Value) -> Value {
        let ty = self.b.ty(a);
        let bounds = [-129.0, 128.0].map(|x| self.b.f32(x));
        let [low, high] = bounds.map(|x| self.b.splat(ty, x));
        let (is_above, is_below, zero) = (self.b.flt(low, a), self.b.flt(a, high), self.b.zero(ty));
        let below = self.b.select(is_below, a, zero);
        let near = self.b.select(is_above, below, zero);
        let int = self.b.int_ty(32);
        self.b.convert(chiaro_ir::Op::FToS, near, int)
    }

    fn reciprocal(&mut self, a: Value) -> Value {
        let (ty, one) = (self.b.ty(a), self.b.f32(1.0));
        let one = self.b.splat(ty, one);
        self.b.fdiv(one, a)
    }

    /// Truth and a value: that value, or 0. Otherwise bits of a number and a mask.
    fn masked(&mut self, a: Value, b: Value) -> Value {
        let (mask, ty) = (self.b.ty(a), self.b.ty(b));
        if self.b.types().is_bool(mask) {
            let zero = self.b.zero(ty);
            return self.b.select(a, b, zero);
        }
        let int = self.b.int_ty(32);
        let n = self.b.types().components(mask);
        let ints = self.b.types().vector(int, n);
        let [a, b] = [a, b].map(|x| self.b.bitcast(x, ints));
        let both = self.b.and(a, b);
        self.b.bitcast(both, mask)
    }

    /// A product by the rule that zero times infinity is zero, unless one side excludes both.
    fn product(&mut self, a: Value, b: Value) -> Value {
        let is_binary32 = self.numbers == Numbers::Binary32;
        if is_binary32 && (a == b || [a, b].into_iter().any(|side| is_ordinary(&mut self.b, side))) {
            return self.b.fmul(a, b);
        }
        let ty = self.b.ty(a);
        let n = self.b.types().components(ty);
        self.helpers.call(&mut self.b, Helper::Product(n), &[a, b])
    }

    fn dot(&mut self, uop: &Uop) {
        let count = usize::from(uop.count);
        let [a, b] = [uop.a, uop.b].map(|slots| self.gather(&slots[..count]));
        let in_pairs = uop.imm == Sum::Pairs as u32;
        let value = self.made(Made::Op(U::Dot, [a, b, NONE]), |s| match s.numbers {
            Numbers::Plain => s.b.fdot(a, b),
            _ => s.helpers.call(&mut s.b, Helper::Dot(uop.count, in_pairs), &[a, b]),
        });
        self.write(&uop.d[..1], value);
    }

    /// A c register by number: those that are not there are ones (spec section 10).
    fn row(&mut self, uop: &Uop) {
        let (offset, base) = (self.gather(&uop.a[..1]), uop.imm >> 8);
        let value = match self.numbers {
            Numbers::Plain => self.interface.element(&mut self.b, offset, base),
            _ => {
                let base = self.b.u32(base);
                let at = self.b.iadd(offset, base);
                self.interface.float_at(&mut self.b, at)
            }
        };
        let value = self.as_register(value);
        self.write(&uop.d, value);
    }
}
