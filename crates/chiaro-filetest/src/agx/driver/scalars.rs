//! Types as the scalars that they consist of.

use chiaro_ir::interp::{Exact, Interpreter, float_value};
use chiaro_ir::{Module, Ty, Type};

/// A scalar of a type: where it is, and what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::agx) struct Scalar {
    pub(in crate::agx) at: usize,
    pub(in crate::agx) is_float: bool,
    pub(in crate::agx) width: u8,
}

impl Scalar {
    /// The number that bits are.
    pub(in crate::agx) fn value(self, bits: u64) -> f64 {
        let shift = 64 - u32::from(self.width);
        match self.is_float {
            true => float_value(bits, self.width),
            false => ((bits << shift) as i64 >> shift) as f64,
        }
    }
}

/// The scalars of a type, runtime arrays with so many elements.
pub(in crate::agx) fn scalars(module: &Module, ty: Ty, elements: u32) -> Vec<Scalar> {
    let Some(entry) = module.entries.first() else { return Vec::new() };
    let mut found = Vec::new();
    let layout = Interpreter::new(module, entry);
    walk(&layout, module, (ty, 0), elements, &mut found);
    found
}

fn walk(
    layout: &Interpreter<'_, Exact>,
    module: &Module,
    (ty, at): (Ty, usize),
    elements: u32,
    found: &mut Vec<Scalar>,
) {
    let types = &module.types;
    let count = match types.get(ty) {
        Type::RuntimeArray(..) => Some(elements),
        _ => types.part_count(ty),
    };
    match count {
        Some(count) => {
            for n in 0..count {
                let part = match types.get(ty) {
                    Type::RuntimeArray(element, _) => Some(*element),
                    _ => types.part(ty, n),
                };
                let Some(part) = part else { continue };
                walk(layout, module, (part, at + layout.offset_of(ty, n) as usize), elements, found);
            }
        }
        None => {
            let width = layout.size_of(ty) as u8 * 8;
            found.push(Scalar { at, is_float: types.is_float(ty), width });
        }
    }
}
