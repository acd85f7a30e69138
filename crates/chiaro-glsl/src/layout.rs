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
        // Addresses, and the handles of textures. [GL_ARB_bindless_texture]
        Type::Reference(_) | Type::Opaque(_) => Extent { size: 8, align: 8 },
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

#[cfg(test)]
mod tests {
    use super::{Extents, Rules, array_stride, extent, matrix_stride, placed};
    use crate::numeric::Num;
    use crate::qualifier::{Layout, Packing};
    use crate::token::Symbol;
    use crate::ty::{Length, Member, Scalar, Struct, StructId, Type, Types};

    const PACKINGS: [Packing; 3] = [Packing::Std140, Packing::Std430, Packing::Scalar];

    fn rules(packing: Packing) -> Rules {
        Rules { packing, row_major: false }
    }

    /// Size, alignment, and the stride of an array, in std140, std430 and scalar layout, from
    /// the rules of the specification. [OpenGL 4.6, 7.6.2.2; GL_EXT_scalar_block_layout]
    #[test]
    fn numbers_and_arrays_lie_as_the_specification_has_it() {
        use Scalar::{Double, Float, Float16, Int, Int64};
        let matrix = |scalar, columns, rows| Type::Matrix { scalar, columns, rows };
        for (ty, size, align, stride) in [
            (Type::Scalar(Float), [4, 4, 4], [4, 4, 4], [16, 4, 4]),
            (Type::Scalar(Double), [8, 8, 8], [8, 8, 8], [16, 8, 8]),
            (Type::Scalar(Float16), [2, 2, 2], [2, 2, 2], [16, 2, 2]),
            (Type::Vector(Int, 2), [8, 8, 8], [8, 8, 4], [16, 8, 8]),
            (Type::Vector(Float, 3), [12, 12, 12], [16, 16, 4], [16, 16, 12]),
            (Type::Vector(Float, 4), [16, 16, 16], [16, 16, 4], [16, 16, 16]),
            (Type::Vector(Double, 3), [24, 24, 24], [32, 32, 8], [32, 32, 24]),
            (Type::Vector(Int64, 2), [16, 16, 16], [16, 16, 8], [16, 16, 16]),
            (matrix(Float, 2, 2), [32, 16, 16], [16, 8, 4], [32, 16, 16]),
            (matrix(Float, 3, 3), [48, 48, 36], [16, 16, 4], [48, 48, 36]),
            (matrix(Float, 4, 3), [64, 64, 48], [16, 16, 4], [64, 64, 48]),
            (matrix(Float, 3, 4), [48, 48, 48], [16, 16, 4], [48, 48, 48]),
            (matrix(Double, 2, 3), [64, 64, 48], [32, 32, 8], [64, 64, 48]),
        ] {
            let types = Types::default();
            for (n, packing) in PACKINGS.into_iter().enumerate() {
                let found = extent(&types, &ty, rules(packing), &mut Extents::new());
                assert_eq!((found.size, found.align), (size[n], align[n]), "{ty:?} in {packing:?}");
                let found = array_stride(&types, &ty, rules(packing), &mut Extents::new());
                assert_eq!(found, stride[n], "array of {ty:?} in {packing:?}");
            }
        }
    }

    #[test]
    fn row_major_matrices_lie_by_their_rows() {
        // A matrix of 4 columns and 2 rows: two rows of four, or four columns of two.
        let num = Num { scalar: Scalar::Float, columns: 4, rows: 2 };
        for (packing, by_column, by_row) in
            [(Packing::Std140, 16, 16), (Packing::Std430, 8, 16), (Packing::Scalar, 8, 16)]
        {
            let stride = |row_major| matrix_stride(num, Rules { packing, row_major });
            assert_eq!((stride(false), stride(true)), (by_column, by_row), "{packing:?}");
            let size = |row_major| {
                extent(&Types::default(), &num.ty(), Rules { packing, row_major }, &mut Extents::new()).size
            };
            assert_eq!((size(false), size(true)), (4 * by_column, 2 * by_row), "{packing:?}");
        }
    }

    /// `struct S { vec3 a; float b; vec2 c[2]; }`, then `{ float x; S s; mat3 m; S more[2]; }`.
    #[test]
    fn structures_start_and_end_where_their_members_ask() {
        let mut types = Types::default();
        let member = |ty| Member { name: Symbol(0), ty, precision: None, precise: false };
        let [float, vec2, vec3] =
            [Type::Scalar(Scalar::Float), Type::Vector(Scalar::Float, 2), Type::Vector(Scalar::Float, 3)]
                .map(|ty| types.intern(ty));
        let pairs = types.intern(Type::Array(vec2, Length::Known(2)));
        let inner = Struct { name: Symbol(0), members: [vec3, float, pairs].map(member).into() };
        types.structs.push(inner.clone());
        let s = types.intern(Type::Struct(StructId(0)));
        let m = types.intern(Type::Matrix { scalar: Scalar::Float, columns: 3, rows: 3 });
        let more = types.intern(Type::Array(s, Length::Known(2)));
        let outer = Struct { name: Symbol(0), members: [float, s, m, more].map(member).into() };
        for (packing, inside, outside) in [
            (Packing::Std140, [0, 12, 16], [0, 16, 64, 112]),
            (Packing::Std430, [0, 12, 16], [0, 16, 48, 96]),
            (Packing::Scalar, [0, 12, 16], [0, 4, 36, 72]),
        ] {
            let starts = |of: &Struct| -> Vec<u64> {
                let layouts = vec![Layout::default(); of.members.len()];
                let members = placed(&types, of, &layouts, rules(packing), &mut Extents::new());
                members.into_iter().map(|(offset, _)| offset).collect()
            };
            assert_eq!(starts(&inner), inside, "{packing:?}");
            assert_eq!(starts(&outer), outside, "{packing:?}");
        }
    }
}
