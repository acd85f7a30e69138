//! Operands of an instruction, by the names of their fields.

use chiaro_isa::{Inst, Isa, Reg, Value};

/// An instruction whose fields are asked for.
pub(crate) struct Operands<'a> {
    pub(crate) isa: &'static Isa,
    pub(crate) inst: &'a Inst,
}

impl Operands<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        self.isa.value(self.inst, name, &self.isa.cx())
    }

    /// A register, or an immediate with what may stand behind it; a form without the field has none.
    pub(crate) fn reg(&self, name: &str) -> Option<Reg> {
        self.value(name).and_then(Value::reg)
    }

    /// A number; 0 where the form lacks the field.
    pub(crate) fn number(&self, name: &str) -> i64 {
        self.value(name).and_then(Value::int).unwrap_or(0)
    }

    /// A number, if the field holds one.
    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        self.value(name).and_then(Value::int)
    }

    /// Whether a bit is set.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.number(name) != 0
    }
}
