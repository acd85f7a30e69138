//! Members of buffers as a container names them.

use chiaro_ir::{Module, Ty, Type};

use super::place::{part_offset, size};
use crate::container::file::{Held, Member, Scalar};

/// Members that are named of all buffers of a program: what source could use by hand.
const MOST: usize = 4096;

/// Adds the members of a buffer of a type.
pub(super) fn add_members(module: &Module, ty: Ty, buffer: &Held, all: &mut Vec<Member>) {
    let root = Member { set: buffer.set, binding: buffer.binding, ..Member::default() };
    walk(module, ty, root, all);
}

fn walk(module: &Module, ty: Ty, at: Member, all: &mut Vec<Member>) {
    let scalar = |scalar: Scalar, bits: u8| Member { scalar, bits, ..at.clone() };
    if all.len() >= MOST {
        return;
    }
    match module.types.get(ty) {
        Type::Struct(_, members) => {
            for (n, member) in (0..).zip(members) {
                let dot = if at.path.is_empty() { "" } else { "." };
                let path = format!("{}{dot}{}", at.path, member.name);
                let offset = at.offset.saturating_add(part_offset(module, ty, n));
                walk(module, member.ty, Member { path, offset, ..at.clone() }, all);
            }
        }
        Type::Array(elem, ..) | Type::RuntimeArray(elem, _) | Type::Vector(elem, _) => {
            let mut inner = at.clone();
            inner.rows.push((module.types.part_count(ty).unwrap_or(0), part_offset(module, ty, 1)));
            if has_members(module, *elem) {
                inner.path.push_str("[]");
            }
            walk(module, *elem, inner, all);
        }
        Type::Bool => all.push(scalar(Scalar::Bool, 8 * size(module, ty) as u8)),
        Type::Float(bits) => all.push(scalar(Scalar::Float, *bits)),
        Type::Int(bits) => all.push(scalar(Scalar::Int, *bits)),
        Type::Pointer(..) => all.push(scalar(Scalar::Int, 64)),
        _ => {}
    }
}

/// Whether a type is a structure, or an array of some.
fn has_members(module: &Module, ty: Ty) -> bool {
    match module.types.get(ty) {
        Type::Struct(..) => true,
        Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => has_members(module, *elem),
        _ => false,
    }
}
