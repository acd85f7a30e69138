//! Members of buffers as a container names them.

use chiaro_ir::{Field, Module, Scalar as Is, Ty, fields};

use super::place::part_offset;
use crate::container::file::{Held, Member, Scalar};

/// Bits that a bool takes in memory here.
const BOOL: u8 = 16;

/// Adds the members of a buffer of a type.
pub(super) fn add_members(module: &Module, ty: Ty, buffer: &Held, all: &mut Vec<Member>) {
    let member = |field: Field| Member {
        set: buffer.set,
        binding: buffer.binding,
        path: field.path,
        offset: field.offset,
        scalar: match field.scalar {
            Is::Float => Scalar::Float,
            Is::Int => Scalar::Int,
            Is::Bool => Scalar::Bool,
        },
        bits: field.bits,
        rows: field.rows,
    };
    all.extend(fields(module, ty, BOOL, &|ty, n| part_offset(module, ty, n)).into_iter().map(member));
}
