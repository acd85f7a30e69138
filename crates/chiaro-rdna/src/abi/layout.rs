//! Bytes of types in memory: as the module says, or, where it does not, one scalar behind another.

use chiaro_ir::{Module, Space, Ty, Type};

/// A scalar in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Bytes from the start.
    pub offset: u32,
    /// Bits; bools take 32.
    pub bits: u8,
    /// Whether it is a bool.
    pub is_bool: bool,
}

/// Whether the module says how a type lies in variables of a space.
fn is_laid_out(space: Space) -> bool {
    matches!(space, Space::Uniform | Space::Storage | Space::PushConstant | Space::Device)
}

/// Bytes of a scalar.
fn scalar(module: &Module, ty: Ty) -> u32 {
    match module.types.get(ty) {
        Type::Int(bits) | Type::Float(bits) => u32::from(*bits) / 8,
        Type::Pointer(Space::Device, _) => 8,
        _ => 4,
    }
}

/// Bytes to which the start of a type is aligned where the module does not say it.
fn align(module: &Module, ty: Ty) -> u32 {
    match module.types.get(ty) {
        Type::Vector(elem, _) | Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => align(module, *elem),
        Type::Struct(_, members) => members.iter().map(|m| align(module, m.ty)).max().unwrap_or(1),
        _ => scalar(module, ty),
    }
}

/// Bytes that a type takes, up to the end of its last scalar.
#[must_use]
pub fn size(module: &Module, ty: Ty, space: Space) -> u32 {
    match module.types.get(ty) {
        Type::Vector(elem, n) => scalar(module, *elem) * u32::from(*n),
        Type::Array(_, n, _) => stride(module, ty, space).saturating_mul(*n),
        Type::RuntimeArray(..) | Type::Void => 0,
        Type::Struct(_, members) => {
            let end = |n: usize| {
                part_offset(module, ty, n as u32, space).saturating_add(size(module, members[n].ty, space))
            };
            (0..members.len()).map(end).max().unwrap_or(0)
        }
        _ => scalar(module, ty),
    }
}

/// Bytes from one element of an array to the next, from one component of a vector to the next.
#[must_use]
pub fn stride(module: &Module, ty: Ty, space: Space) -> u32 {
    match module.types.get(ty) {
        Type::Vector(elem, _) => scalar(module, *elem),
        Type::Array(_, _, stride) | Type::RuntimeArray(_, stride) if is_laid_out(space) && *stride != 0 => {
            *stride
        }
        Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => {
            size(module, *elem, space).next_multiple_of(align(module, *elem).max(1))
        }
        _ => 0,
    }
}

/// Bytes from the start of a composite to its part number `n`.
#[must_use]
pub fn part_offset(module: &Module, ty: Ty, n: u32, space: Space) -> u32 {
    let Type::Struct(_, members) = module.types.get(ty) else {
        return stride(module, ty, space).saturating_mul(n);
    };
    if let Some(offset) = members.get(n as usize).and_then(|m| m.offset).filter(|_| is_laid_out(space)) {
        return offset;
    }
    let mut at = 0u32;
    for (i, member) in members.iter().enumerate() {
        at = at.next_multiple_of(align(module, member.ty).max(1));
        if i == n as usize {
            break;
        }
        at = at.saturating_add(size(module, member.ty, space));
    }
    at
}

/// The scalars of a type, in the order of its parts.
#[must_use]
pub fn leaves(module: &Module, ty: Ty, space: Space) -> Vec<Leaf> {
    let mut found = Vec::new();
    add(module, ty, space, 0, &mut found);
    found
}

fn add(module: &Module, ty: Ty, space: Space, at: u32, found: &mut Vec<Leaf>) {
    let Some(count) = module.types.part_count(ty) else {
        let is_bool = matches!(module.types.get(ty), Type::Bool);
        found.push(Leaf { offset: at, bits: (scalar(module, ty) * 8) as u8, is_bool });
        return;
    };
    for n in 0..count {
        if let Some(part) = module.types.part(ty, n) {
            add(module, part, space, at + part_offset(module, ty, n, space), found);
        }
    }
}
