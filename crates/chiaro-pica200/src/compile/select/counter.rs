//! Counters of loops that LOOP runs: which loops those are is [`crate::compile::legalize::counted`]'s to say.

use super::state::{Answer, Repr, Select};
use chiaro_ir::{Def, Inst, Op, Value};

impl Select<'_> {
    /// A constant integer, with its sign.
    fn integer(&self, value: Value) -> Option<i64> {
        let Def::Constant(c) = self.f.def(value) else { return None };
        let ty = self.f.ty(value);
        let bits = self.module.constants.bits(c)?;
        let width = u32::from(self.module.types.bits(ty)?);
        self.module.types.is_int(ty).then(|| (bits << (64 - width)) as i64 >> (64 - width))
    }

    /// Arithmetic that keeps a counter a counter.
    pub(super) fn counter_arithmetic(&mut self, inst: Inst) -> Answer<Option<Repr>> {
        let op = self.f.op(inst);
        if !matches!(op, Op::IAdd | Op::ISub | Op::IMul) {
            return Ok(None);
        }
        let [a, b] = self.f.args(inst)[..] else { return Ok(None) };
        let (a, b, swapped) = match (self.integer(a), self.integer(b)) {
            (None, Some(n)) => (a, n, false),
            (Some(n), None) => (b, n, true),
            _ => return Ok(None),
        };
        let Repr::Counter(l, factor, term) = self.repr(a)? else { return Ok(None) };
        let Ok(n) = i32::try_from(b) else { return Ok(None) };
        let (factor, term) = match op {
            Op::IAdd => (Some(factor), term.checked_add(n)),
            Op::ISub if !swapped => (Some(factor), term.checked_sub(n)),
            Op::IMul => (factor.checked_mul(n), term.checked_mul(n)),
            _ => return Ok(None),
        };
        Ok(factor.zip(term).map(|(factor, term)| Repr::Counter(l, factor, term)))
    }
}
