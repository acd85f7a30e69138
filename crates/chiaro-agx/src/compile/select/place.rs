//! Places in variables, and how types lie in memory.
//!
//! Types of buffers say it themselves; what has no layout of its own is packed, each part at a multiple of 4 bytes.

use chiaro_ir::{Module, Ty, Type};

use super::part::Part;

/// A place: bytes from the start of the variable, and what is added at run time: an index and its bytes each.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) offset: i64,
    pub(super) terms: Vec<(Part, u32)>,
}

/// A scalar in memory: byte from the start, and bytes that it takes.
pub(super) type Cell = (u32, u8);

/// Bytes that a type takes.
pub(crate) fn size(module: &Module, ty: Ty) -> u32 {
    let types = &module.types;
    match types.get(ty) {
        Type::Bool => 2,
        Type::Int(bits) | Type::Float(bits) => u32::from(*bits) / 8,
        Type::Vector(elem, n) => size(module, *elem) * u32::from(*n),
        Type::Array(_, n, _) => part_offset(module, ty, 1).saturating_mul(*n),
        Type::Struct(_, members) => {
            let last = members.len().saturating_sub(1) as u32;
            members.last().map_or(0, |m| part_offset(module, ty, last).saturating_add(size(module, m.ty)))
        }
        Type::Pointer(..) => 8,
        _ => 0,
    }
}

/// Bytes up to the next multiple; as many as there can be where that is beyond all numbers: such sizes are refused.
pub(super) fn aligned(bytes: u32, to: u32) -> u32 {
    bytes.checked_next_multiple_of(to).unwrap_or(u32::MAX)
}

/// Bytes from the start of a composite to its part number `n`.
pub(crate) fn part_offset(module: &Module, ty: Ty, n: u32) -> u32 {
    let types = &module.types;
    match types.get(ty) {
        Type::Vector(elem, _) => size(module, *elem).saturating_mul(n),
        Type::Array(_, _, stride) | Type::RuntimeArray(_, stride) if *stride > 0 => stride.saturating_mul(n),
        Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => {
            aligned(size(module, *elem), 4).saturating_mul(n)
        }
        Type::Struct(_, members) => match members.get(n as usize).and_then(|m| m.offset) {
            Some(offset) => offset,
            None => {
                let before = members.iter().take(n as usize).map(|m| aligned(size(module, m.ty), 4));
                before.fold(0, u32::saturating_add)
            }
        },
        _ => 0,
    }
}

/// The scalars of a type in the order of its parts.
pub(crate) fn cells(module: &Module, ty: Ty) -> Vec<Cell> {
    let mut found = Vec::new();
    add_cells(module, ty, 0, &mut found);
    found
}

fn add_cells(module: &Module, ty: Ty, at: u32, found: &mut Vec<Cell>) {
    match module.types.part_count(ty) {
        None => found.push((at, size(module, ty) as u8)),
        Some(count) => {
            for n in 0..count {
                let part = module.types.part(ty, n).unwrap_or(ty);
                add_cells(module, part, at.saturating_add(part_offset(module, ty, n)), found);
            }
        }
    }
}
