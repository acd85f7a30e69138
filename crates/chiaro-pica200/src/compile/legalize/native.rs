//! Native operations: those of the machine that the IR has no name for.
//!
//! Each is one machine operation (spec section 9); selection and this table name the same
//! micro-op that `exec.rs` writes for the word, so that IR and words cannot disagree.

use chiaro_ir::Op;
use chiaro_sim::Op as U;

/// A native operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Native {
    /// 1 / x, of a scalar.
    Rcp,
    /// 1 / sqrt(x), of a scalar.
    Rsq,
    /// 2 to the power of x, of a scalar.
    Ex2,
    /// Logarithm of x to base 2, of a scalar.
    Lg2,
    /// 1 where a < b, else 0; 0 for NaN. Component by component.
    Slt,
    /// 1 where a >= b, else 0; 0 for NaN. Component by component.
    Sge,
}

impl Native {
    /// All, in the order of their numbers.
    pub const ALL: [Native; 6] =
        [Native::Rcp, Native::Rsq, Native::Ex2, Native::Lg2, Native::Slt, Native::Sge];

    /// The operation of a number.
    #[must_use]
    pub fn of(number: u16) -> Option<Native> {
        Native::ALL.get(usize::from(number)).copied()
    }

    /// The operation of the IR.
    #[must_use]
    pub const fn op(self) -> Op {
        Op::Native(self as u16)
    }

    /// The machine's word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Native::Rcp => "rcp",
            Native::Rsq => "rsq",
            Native::Ex2 => "ex2",
            Native::Lg2 => "lg2",
            Native::Slt => "slt",
            Native::Sge => "sge",
        }
    }

    /// How many operands it takes.
    #[must_use]
    pub const fn operands(self) -> usize {
        if matches!(self, Native::Slt | Native::Sge) { 2 } else { 1 }
    }

    /// Whether it exists for scalars only.
    #[must_use]
    pub const fn is_scalar(self) -> bool {
        self.operands() == 1
    }

    /// What computes it, and whether that is a truth that stands for 1.
    pub(crate) const fn meaning(self) -> (U, bool) {
        match self {
            Native::Rcp => (U::Frcp, false),
            Native::Rsq => (U::Frsq, false),
            Native::Ex2 => (U::Fexp2, false),
            Native::Lg2 => (U::Flog2, false),
            Native::Slt => (U::Flt, true),
            // a >= b is b <= a: the operands change places.
            Native::Sge => (U::Fle, true),
        }
    }

    /// The operands in the order of [`meaning`](Self::meaning).
    pub(crate) fn ordered<T: Copy>(self, [a, b]: [T; 2]) -> [T; 2] {
        if self == Native::Sge { [b, a] } else { [a, b] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::legalize::float24::Float24;
    use chiaro_ir::interp::Domain;
    use chiaro_sim::{Code, Engine, FloatEnv, Prepared, Slot, State};

    /// The micro-ops of a native.
    fn lower(native: Native, d: Slot, operands: [Slot; 2], code: &mut Code) {
        let (op, is_truth) = native.meaning();
        let [a, b] = native.ordered(operands);
        match native.operands() {
            1 => code.each(op, &[d], &[&[a]]),
            _ => code.each(op, &[d], &[&[a], &[b]]),
        }
        if is_truth {
            let one = code.slots(1);
            code.imm(&[one], 1.0_f32.to_bits());
            code.each(U::And, &[d], &[&[d], &[one]]);
        }
    }

    #[test]
    fn micro_ops_and_interpreter_agree() {
        let env = FloatEnv::pica_hw24(chiaro_num::Rounding::NearestEven);
        let values = [0.0_f32, 1.0, -1.5, 0.3, 65536.0, f32::INFINITY, f32::NAN];
        for native in Native::ALL {
            let mut code = Code::new(env);
            let slots = code.slots(3).quad();
            lower(native, slots[0], [slots[1], slots[2]], &mut code);
            let mut state = State::new(code.slot_count(), 0);
            let prepared = Prepared::new(&code, Engine::best());
            for a in values {
                for b in values {
                    state.lanes_mut(slots[1]).0[0] = a.to_bits();
                    state.lanes_mut(slots[2]).0[0] = b.to_bits();
                    prepared.run(0..code.uops.len(), &mut state);
                    let bits = |x: f32| u64::from(x.to_bits());
                    let found = Float24::NEAREST.native(native as u16, [bits(a), bits(b), 0]);
                    assert_eq!(found, Some(u64::from(state.lanes(slots[0]).0[0])), "{native:?} {a} {b}");
                }
            }
        }
    }
}
