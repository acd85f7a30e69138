//! Types that small machines have no operations for, told by the lines that ask for them.

use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::{FunctionRef, Module, Ty, Type, Walk};

use crate::inline::reached;

/// Lines that are told.
const MOST: usize = 8;

/// A type that is not there: what it is, what asks for it, and what to do.
struct Missing {
    what: &'static str,
    this: &'static str,
    help: &'static str,
}

static DOUBLES: Missing = Missing {
    what: "floats of 64 bits",
    this: "them",
    help: "use floats of 32 bits, or a pair of them for a sum and its error",
};
static RAYS: Missing =
    Missing { what: "units for rays", this: "an acceleration structure", help: "walk the tree in a buffer" };

/// Refuses what a function, with all that it calls, asks of a machine that has neither floats of 64 bits nor units for
/// rays. It is for a module as it was read: passes know no such types either.
///
/// # Errors
/// A message for each line, eight at most.
pub fn missing_types(module: &Module, f: FunctionRef, machine: &str) -> Result<(), Vec<Diagnostic>> {
    let mut told: Vec<(Option<Span>, &'static Missing)> = Vec::new();
    let line = |span: Option<Span>| span.map(|span| (span.file, span.start));
    for f in reached(module, f).into_iter().map(|f| module.function(f)) {
        for inst in Walk::insts(f) {
            let values = f.args(inst).iter().copied().chain(f.results(inst));
            let found = values.map(|value| f.ty(value)).find_map(|ty| missing(module, ty));
            let span = f.inst(inst).span;
            if let Some(missing) = found
                && !told.iter().any(|(other, _)| line(*other) == line(span))
            {
                told.push((span, missing));
            }
            if told.len() == MOST {
                break;
            }
        }
    }
    let message =
        |missing: &Missing| format!("{machine} has no {}: this needs {}", missing.what, missing.this);
    let error =
        |&(span, missing): &(_, &Missing)| Diagnostic::error(span, message(missing)).help(missing.help);
    if told.is_empty() { Ok(()) } else { Err(told.iter().map(error).collect()) }
}

/// Why a type is refused; vectors and arrays because of what is in them. What a buffer holds beside what is used does
/// not matter.
fn missing(module: &Module, ty: Ty) -> Option<&'static Missing> {
    match module.types.get(ty) {
        Type::Float(64) => Some(&DOUBLES),
        Type::AccelerationStructure => Some(&RAYS),
        Type::Vector(elem, _) | Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => missing(module, *elem),
        _ => None,
    }
}
