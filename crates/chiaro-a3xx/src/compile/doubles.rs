//! Types that the machine has no operations for, told by the first line that asks for them. It runs before the passes,
//! which know no such types either.

use chiaro_diag::Diagnostic;
use chiaro_ir::{Function, Module, Step, Ty, Type, Walk};

/// Floats of 64 bits that a module computes with.
pub(super) fn refused(module: &Module) -> Option<Diagnostic> {
    let first = |f: &Function| {
        let mut insts =
            Walk::new(f).filter_map(|step| if let Step::Inst(inst) = step { Some(inst) } else { None });
        insts.find(|&inst| f.results(inst).any(|value| is_double(module, f.ty(value))))
    };
    let span = module.functions.iter().find_map(|f| Some(f.inst(first(f)?).span))?;
    let error = Diagnostic::error(span, "A3xx has no floats of 64 bits: this needs them");
    Some(error.help("use floats of 32 bits, or a pair of them for a sum and its error"))
}

fn is_double(module: &Module, ty: Ty) -> bool {
    match module.types.get(ty) {
        Type::Float(64) => true,
        Type::Vector(elem, _) => is_double(module, *elem),
        _ => false,
    }
}
