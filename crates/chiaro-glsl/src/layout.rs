//! Offsets, strides and sizes of what stands in blocks: std140, std430, scalar.
//!
//! [OpenGL 4.6, 7.6.2.2; GL_EXT_scalar_block_layout]

use std::collections::HashMap;

use crate::numeric::Num;
use crate::qualifier::{Layout, Packing};
use crate::ty::{Length, Member, Reference, Scalar, Struct, Type, Types};

/// Alignment of a structure, array or column under std140.
const VEC4: u64 = 16;

/// How something in a block is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Rules {
    pub(crate) packing: Packing,
    pub(crate) row_major: bool,
}

/// Bytes that a type takes, and what its start is a multiple of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    pub(crate) size: u64,
    pub(crate) align: u64,
}

/// Extents of structures, so that each is worked out once.
pub(crate) type Extents = HashMap<(u32, Rules), Extent>;

/// The extent of a type. An array without a size takes no room. Saturates where nothing real
/// is so large.
pub(crate) fn extent(types: &Types, ty: &Type, rules: Rules, known: &mut Extents) -> Extent {
    match *ty {
        Type::Array(elem, length) => {
            let stride = array_stride(types, types.get(elem), rules, known);
            let count = match length {
                Length::Known(count) => u64::from(count),
                Length::Unsized => 0,
                // Offsets stay where they are, whatever the host sets.
                Length::Spec(_, default) => u64::from(default),
            };
            let align = elem_align(types, types.get(elem), rules, known);
            Extent { size: stride.saturating_mul(count), align }
        }
        Type::Struct(id) => {
            if let Some(&extent) = known.get(&(id.0, rules)) {
                return extent;
            }
            let extent = structure(types, types.structure(id), rules, known);
            known.insert((id.0, rules), extent);
            extent
        }
        Type::Reference(_) => Extent { size: 8, align: 8 },
        Type::Coop(scalar, id) => open_vector(scalar, types.coop(id).numbers.first(), rules),
        _ => numeric(ty, rules),
    }
}

fn numeric(ty: &Type, rules: Rules) -> Extent {
    let Some(num) = Num::of(ty) else { return Extent { size: 4, align: 4 } };
    if num.is_matrix() {
        let lines = if rules.row_major { num.rows } else { num.columns };
        let stride = matrix_stride(num, rules);
        let align = vector(line(num, rules), rules).align.max(least_align(rules));
        return Extent { size: stride * u64::from(lines), align };
    }
    vector(num, rules)
}

fn vector(num: Num, rules: Rules) -> Extent {
    let scalar = u64::from(num.scalar.bits() / 8);
    let size = scalar * u64::from(num.rows);
    let align = match num.rows {
        _ if rules.packing == Packing::Scalar => scalar,
        // As [glslang] has it, which GL_EXT_long_vector was written with.
        rows => scalar * u64::from(rows).next_power_of_two(),
    };
    Extent { size, align }
}

/// A vector of as many components as a number says by default.
fn open_vector(scalar: Scalar, count: Option<&Length>, rules: Rules) -> Extent {
    let (Some(Length::Known(count) | Length::Spec(_, count)), scalar) = (count, u64::from(scalar.bits() / 8))
    else {
        return Extent { size: 4, align: 4 };
    };
    let count = u64::from(*count);
    let align = match rules.packing {
        Packing::Scalar => scalar,
        _ => scalar.saturating_mul(count.next_power_of_two()),
    };
    Extent { size: scalar.saturating_mul(count), align }
}

/// A column, or a row where matrices are stored by row.
fn line(num: Num, rules: Rules) -> Num {
    Num::vector(num.scalar, if rules.row_major { num.columns } else { num.rows })
}

fn least_align(rules: Rules) -> u64 {
    if rules.packing == Packing::Std140 { VEC4 } else { 1 }
}

/// Bytes from line to line of a matrix.
pub(crate) fn matrix_stride(num: Num, rules: Rules) -> u64 {
    let line = vector(line(num, rules), rules);
    line.size.next_multiple_of(line.align.max(least_align(rules)))
}

fn elem_align(types: &Types, elem: &Type, rules: Rules, known: &mut Extents) -> u64 {
    extent(types, elem, rules, known).align.max(least_align(rules))
}

/// Bytes from element to element.
pub(crate) fn array_stride(types: &Types, elem: &Type, rules: Rules, known: &mut Extents) -> u64 {
    let size = extent(types, elem, rules, known).size;
    next_multiple(size, elem_align(types, elem, rules, known))
}

fn structure(types: &Types, of: &Struct, rules: Rules, known: &mut Extents) -> Extent {
    let (mut end, mut align) = (0u64, least_align(rules));
    for member in &of.members {
        let one = extent(types, types.get(member.ty), rules, known);
        end = next_multiple(end, one.align).saturating_add(one.size);
        align = align.max(one.align);
    }
    // The extension's structures end where their last member ends, as in C their size is
    // rounded up all the same.
    Extent { size: next_multiple(end, align), align }
}

/// Where each member of a block starts, and its extent. `layouts` are what the members' own
/// qualifiers say.
pub(crate) fn placed(
    types: &Types,
    of: &Struct,
    layouts: &[Layout],
    rules: Rules,
    known: &mut Extents,
) -> Vec<(u64, Extent)> {
    let mut end = 0u64;
    let place = |(i, member): (usize, &Member)| {
        let given = layouts.get(i);
        let rules = Rules { row_major: given.map_or(rules.row_major, |l| l.row_major), ..rules };
        let one = extent(types, types.get(member.ty), rules, known);
        let align = given.and_then(|l| l.align).map_or(one.align, |a| one.align.max(a.into()));
        let start = given.and_then(|l| l.offset).map_or(end, u64::from);
        let offset = next_multiple(start, align);
        end = offset.saturating_add(one.size);
        (offset, one)
    };
    of.members.iter().enumerate().map(place).collect()
}

/// Bytes from a block to the next one that an address reaches; `None` if it ends with an open
/// array.
pub(crate) fn reference_stride(types: &Types, reference: &Reference) -> Option<u64> {
    let structure = types.structure(reference.pointee?);
    let open = |ty| matches!(types.get(ty), Type::Array(_, Length::Unsized));
    if structure.members.last().is_some_and(|member| open(member.ty)) {
        return None;
    }
    let rules = Rules { packing: reference.packing, row_major: false };
    let members = placed(types, structure, &reference.members, rules, &mut Extents::new());
    let end = members.last().map_or(0, |(offset, extent)| offset.saturating_add(extent.size));
    Some(next_multiple(end, reference.align.into()))
}

/// The next multiple, or the largest number there is.
pub(crate) fn next_multiple(n: u64, of: u64) -> u64 {
    n.checked_next_multiple_of(of.max(1)).unwrap_or(u64::MAX)
}
