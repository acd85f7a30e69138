//! Inputs at the same location hold the same words: OpenGL lets attributes overlap.

use std::collections::HashMap;

use super::{Sample, parts, put};
use crate::interp::{Exact, Interpreter};
use crate::{Module, Space, Ty, Type};

/// Gives each component of a location one word, that of the first variable which has it.
pub(super) fn share(sample: &mut Sample, module: &Module, layout: &Interpreter<'_, Exact>) {
    let inputs = module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Input);
    let located = inputs.filter_map(|(i, g)| Some((i, g, g.binding.location?)));
    let mut words: Vec<HashMap<(u32, u32), u32>> = vec![HashMap::new(); sample.lanes];
    for (i, global, location) in located {
        let Some(rows) = sample.attributes.get_mut(&crate::GlobalRef(i as u32)) else { continue };
        let mut cells = Vec::new();
        place(module, layout, global.ty, 0, &mut (location, global.binding.component), &mut cells);
        for (words, bytes) in words.iter_mut().zip(rows) {
            for &(at, cell) in &cells {
                let Some(&[a, b, c, d]) = bytes.get(at..at + 4).and_then(|room| room.as_array()) else {
                    continue;
                };
                let word = *words.entry(cell).or_insert(u32::from_le_bytes([a, b, c, d]));
                put(bytes, at, word);
            }
        }
    }
}

/// Byte offset of every scalar of a type, with its location and component. A vector and a scalar take a
/// location each, in an array as well.
fn place(
    module: &Module,
    layout: &Interpreter<'_, Exact>,
    ty: Ty,
    at: usize,
    next: &mut (u32, u32),
    cells: &mut Vec<(usize, (u32, u32))>,
) {
    match module.types.get(ty) {
        Type::Array(..) | Type::Struct(..) => {
            for (part, offset) in parts(module, layout, ty) {
                place(module, layout, part, at + offset, next, cells);
            }
        }
        Type::Vector(..) => {
            let scalars = parts(module, layout, ty).zip(next.1..);
            cells.extend(scalars.map(|((_, offset), component)| (at + offset, (next.0, component))));
            next.0 += 1;
        }
        _ => {
            cells.push((at, *next));
            next.0 += 1;
        }
    }
}
