//! Which parts of variables a function reads and writes, and where.

use chiaro_diag::Span;
use chiaro_ir::{ConstantKind, Def, Function, GlobalRef, Module, Op, Value, Walk};

/// An access to a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Touch {
    pub(crate) variable: GlobalRef,
    /// The indices that lead to the part, up to the first that is computed; those into vectors included.
    pub(crate) path: Vec<u32>,
    pub(crate) is_store: bool,
    pub(crate) span: Option<Span>,
}

impl Touch {
    /// Whether it concerns a part of a variable, or something that the part belongs to.
    pub(crate) fn meets(&self, variable: GlobalRef, path: &[u32]) -> bool {
        self.variable == variable && self.path.iter().zip(path).all(|(a, b)| a == b)
    }
}

/// All accesses of a function to variables of the module.
pub(crate) fn touched(module: &Module, f: &Function) -> Vec<Touch> {
    let mut found = Vec::new();
    for inst in Walk::insts(f) {
        let op = f.op(inst);
        if op == Op::Access {
            continue;
        }
        for &pointer in f.args(inst) {
            if let Some(variable) = module.variable_of(f, pointer) {
                let (path, span) = (path(module, f, pointer), f.inst(inst).span);
                found.push(Touch { variable, path, is_store: op == Op::Store, span });
            }
        }
    }
    found
}

/// The indices of a pointer, up to the first that is computed; those into vectors included.
pub(crate) fn path(module: &Module, f: &Function, pointer: Value) -> Vec<u32> {
    let (mut at, mut indices) = (pointer, Vec::new());
    while let Def::Result(inst, _) = f.def(at)
        && f.op(inst) == Op::Access
    {
        let (base, more) = f.args(inst).split_at(1);
        indices.extend(more.iter().rev());
        at = base[0];
    }
    let number = |v: &Value| match f.def(*v) {
        Def::Constant(c) if !matches!(module.constants.get(c), ConstantKind::Global(_)) => {
            module.constants.bits(c).map(|n| n as u32)
        }
        _ => None,
    };
    indices.iter().rev().map_while(number).collect()
}
