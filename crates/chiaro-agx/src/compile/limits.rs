//! Types that the machine has no operations for, told by the lines that ask for them. It runs before the passes,
//! which know no such types either, on what the entry point reaches.

use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::{Function, FunctionRef, Module, Op, Step, Ty, Type, Walk};

/// Lines that are told.
const MOST: usize = 8;

/// What of an entry point the machine cannot do because of its type.
pub(super) fn refused(module: &Module, entry: &str) -> Vec<Diagnostic> {
    let mut told: Vec<(Option<Span>, &'static Refusal)> = Vec::new();
    for f in reached(module, entry) {
        let f = module.function(f);
        for step in Walk::new(f) {
            let Step::Inst(inst) = step else { continue };
            let values = f.args(inst).iter().copied().chain(f.results(inst));
            let found = values.map(|value| f.ty(value)).find_map(|ty| refusal(module, ty));
            let Some(refusal) = found else { continue };
            let span = f.inst(inst).span;
            let line = |span: Option<Span>| span.map(|span| (span.file, span.start));
            if told.len() < MOST && !told.iter().any(|(other, _)| line(*other) == line(span)) {
                told.push((span, refusal));
            }
        }
    }
    told.into_iter()
        .map(|(span, refusal)| Diagnostic::error(span, refusal.message).help(refusal.help))
        .collect()
}

/// A type that is not there.
struct Refusal {
    message: &'static str,
    help: &'static str,
}

static DOUBLE: Refusal = Refusal {
    message: "AGX has no floats of 64 bits: this needs them",
    help: "use floats of 32 bits, or a pair of them for a sum and its error",
};
static RAYS: Refusal = Refusal {
    message: "AGX has no units for rays: this needs an acceleration structure",
    help: "walk the tree in a buffer",
};

/// Why a type is refused; structures and arrays because of what is in them.
fn refusal(module: &Module, ty: Ty) -> Option<&'static Refusal> {
    match module.types.get(ty) {
        Type::Float(64) => Some(&DOUBLE),
        Type::AccelerationStructure => Some(&RAYS),
        Type::Vector(elem, _) | Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => refusal(module, *elem),
        // What a buffer holds beside what is used does not matter.
        _ => None,
    }
}

/// The functions that an entry point calls, itself first.
fn reached(module: &Module, entry: &str) -> Vec<FunctionRef> {
    let mut all: Vec<FunctionRef> = module.entry(entry).map(|entry| entry.function).into_iter().collect();
    let mut next = 0;
    while let Some(&f) = all.get(next) {
        next += 1;
        for callee in callees(module.function(f)) {
            if !all.contains(&callee) {
                all.push(callee);
            }
        }
    }
    all
}

fn callees(f: &Function) -> Vec<FunctionRef> {
    let callee = |step: Step| match step {
        Step::Inst(inst) => match f.op(inst) {
            Op::Call(callee) => Some(callee),
            _ => None,
        },
        _ => None,
    };
    Walk::new(f).filter_map(callee).collect()
}
