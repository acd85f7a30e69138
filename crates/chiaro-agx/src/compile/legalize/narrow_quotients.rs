//! Quotients of narrow integers as products of floats, which hold all of them: a reciprocal that is two units of its last
//! place too large is never too small, and far from the next quotient (spec 19.1).
//!
//! ```text
//! %2: i16 = udiv %0, %1     ->     %3: f32 = utof %0, %4: f32 = utof %1
//!                                  %5 = fdiv 1.0, %4, %6 = %5 and two units more
//!                                  %7 = fmul %3, %6, %2: i16 = zext (ftou %7)
//! ```
//!
//! A quotient by 0 has all bits set, what is left by it is the number itself.

use chiaro_diag::Span;
use chiaro_ir::{
    ConstantKind, Def, Draft, Forward, Function, FunctionRef, Inst, Module, Op, Step, Tour, Ty, Type, Value,
};
use chiaro_opt::{Changed, Cx};

/// Units of the last place that a reciprocal is off, and one more.
const NUDGE: u64 = 2;

/// Divides integers of 8 and 16 bits by one another.
pub(super) fn narrow_quotients(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let (mut tour, mut draft, mut forward) = (Tour::new(), Draft::new(), Forward::new());
    let mut changed = false;
    while let Some(step) = tour.step(module.function(f)) {
        match step {
            Step::Open(_, _, block) => draft.open(module.function(f), block),
            Step::Close(_, _, block) => draft.close(module.function_mut(f), block),
            Step::Inst(inst) => {
                forward.apply_to(module.function_mut(f), inst);
                match divides(module, module.function(f), inst) {
                    Some(signed) => {
                        let made = Quotient { module, f, draft: &mut draft, span: None, signed }.of(inst);
                        if let Some(result) = module.function(f).result_of(inst) {
                            forward.set(result, made);
                        }
                        changed = true;
                    }
                    None => draft.push(inst),
                }
            }
            _ => {}
        }
    }
    forward.apply(module.function_mut(f));
    changed.into()
}

/// Whether an instruction divides narrow integers by what is no number, and with signs. Quotients of numbers are
/// products anyway.
fn divides(module: &Module, f: &Function, inst: Inst) -> Option<bool> {
    let signed = match f.op(inst) {
        Op::UDiv | Op::URem => false,
        Op::SDiv | Op::SRem => true,
        _ => return None,
    };
    let &[_, divisor] = f.args(inst) else { return None };
    let is_narrow = matches!(module.types.get(f.ty(divisor)), Type::Int(8 | 16));
    (is_narrow && !matches!(f.def(divisor), Def::Constant(_))).then_some(signed)
}

/// A quotient while it is made.
struct Quotient<'a> {
    module: &'a mut Module,
    f: FunctionRef,
    draft: &'a mut Draft,
    span: Option<Span>,
    signed: bool,
}

impl Quotient<'_> {
    fn of(mut self, inst: Inst) -> Value {
        let f = self.module.function(self.f);
        let (op, args, ty) = (f.op(inst), f.args(inst).to_vec(), f.ty(f.args(inst)[0]));
        self.span = f.inst(inst).span;
        let (float, word) = (self.ty(Type::Float(32)), self.ty(Type::Int(32)));
        let to_float = if self.signed { Op::SToF } else { Op::UToF };
        let [x, y] = [0, 1].map(|n| self.value(to_float, &[args[n]], float));
        let one = self.number(1f32.to_bits().into(), float);
        let inverse = self.value(Op::FDiv, &[one, y], float);
        let bits = self.value(Op::Bitcast, &[inverse], word);
        let nudge = self.number(NUDGE, word);
        let bits = self.value(Op::IAdd, &[bits, nudge], word);
        let inverse = self.value(Op::Bitcast, &[bits], float);
        let product = self.value(Op::FMul, &[x, inverse], float);
        let whole = self.value(if self.signed { Op::FToS } else { Op::FToU }, &[product], word);
        let quotient = self.value(Op::ZExt, &[whole], ty);
        if matches!(op, Op::URem | Op::SRem) {
            let multiple = self.value(Op::IMul, &[quotient, args[1]], ty);
            return self.value(Op::ISub, &[args[0], multiple], ty);
        }
        let (zero, bool) = (self.number(0, ty), self.ty(Type::Bool));
        let by_zero = self.value(Op::IEq, &[args[1], zero], bool);
        let width = self.module.types.bits(ty).unwrap_or(16);
        let ones = self.number(u64::MAX >> (64 - u32::from(width)), ty);
        self.value(Op::Select, &[by_zero, ones, quotient], ty)
    }

    fn ty(&mut self, ty: Type) -> Ty {
        self.module.types.intern(ty)
    }

    fn number(&mut self, bits: u64, ty: Ty) -> Value {
        let constant = self.module.constants.intern(ty, ConstantKind::Scalar(bits));
        self.module.function_mut(self.f).constant(constant, ty)
    }

    fn value(&mut self, op: Op, args: &[Value], ty: Ty) -> Value {
        let f = self.module.function_mut(self.f);
        let made = self.draft.value(f, (op, args), ty, self.span);
        if let Def::Result(inst, _) = f.def(made) {
            // The two units are counted from here.
            f.inst_mut(inst).flags.exact = true;
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::NUDGE;

    /// Every divisor with its first and last quotients, and some between, on both sides of each: with reciprocals that are
    /// a unit off.
    #[test]
    fn two_units_more_are_enough_and_not_too_many() {
        for (y, off) in (1..=0xffffu32).flat_map(|y| [-1, 0, 1].map(|off| (y, off))) {
            let inverse = (1.0 / y as f32).to_bits().wrapping_add_signed(off) + NUDGE as u32;
            let last = 0xffff / y;
            for quotient in [0, 1, 2, last / 3, last / 2, last.saturating_sub(1), last] {
                for x in [quotient * y, (quotient * y).saturating_sub(1), quotient * y + 1, 0xffff] {
                    let x = x.min(0xffff);
                    let product = x as f32 * f32::from_bits(inverse);
                    assert_eq!(product as u32, x / y, "{x} by {y}, {off} off");
                }
            }
        }
    }
}
