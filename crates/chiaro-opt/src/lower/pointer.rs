//! Where pointers lead.

use chiaro_ir::{ConstantKind, Def, Function, GlobalRef, Module, Op, Value};

/// The global variable that a pointer leads into.
#[must_use]
pub fn root(module: &Module, f: &Function, mut pointer: Value) -> Option<GlobalRef> {
    loop {
        match f.def(pointer) {
            Def::Constant(c) => match module.constants.get(c) {
                ConstantKind::Global(g) => return Some(*g),
                _ => return None,
            },
            Def::Result(inst, _) if f.op(inst) == Op::Access => pointer = *f.args(inst).first()?,
            _ => return None,
        }
    }
}
