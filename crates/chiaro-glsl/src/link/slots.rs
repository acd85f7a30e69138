//! Locations: which are taken, and how many a type takes.

use std::collections::BTreeSet;

use crate::arrayed::is_arrayed;
use crate::hir::Global;
use crate::source::Stage;
use crate::ty::{Length, Scalar, Ty, Type, Types};

/// Locations that are looked at: no machine has as many.
const MOST: u32 = 1 << 12;

/// Locations that are taken.
#[derive(Default)]
pub(super) struct Slots(BTreeSet<u32>);

impl Slots {
    pub(super) fn take(&mut self, location: u32, size: u32) {
        let end = location.saturating_add(size.min(MOST));
        self.0.extend(location..end);
    }

    /// The lowest place with so many free ones in a row; they are taken then.
    pub(super) fn lowest(&mut self, size: u32) -> u32 {
        let (mut start, size) = (0u32, size.clamp(1, MOST));
        for &taken in &self.0 {
            if taken >= start.saturating_add(size) {
                break;
            }
            start = start.max(taken.saturating_add(1));
        }
        self.take(start, size);
        start
    }
}

/// Locations that an input or output of a stage takes: inputs of geometry shaders have an element
/// for each vertex, all at one place.
pub(super) fn taken(types: &Types, stage: Stage, global: &Global) -> u32 {
    match *types.get(global.ty) {
        Type::Array(elem, _) if is_arrayed(stage, global.storage, &global.layout) => size(types, elem),
        _ => size(types, global.ty),
    }
}

/// Locations that a type takes.
pub(crate) fn size(types: &Types, ty: Ty) -> u32 {
    // A sum over types on an own stack: with each the number of times it counts.
    let (mut sum, mut open, mut steps) = (0u32, vec![(ty, 1u32)], 0);
    while let Some((ty, times)) = open.pop() {
        steps += 1;
        if steps > MOST {
            return MOST;
        }
        // Three and four scalars of 64 bits take two. [GLSL 4.60, 4.4.1; GL_ARB_gpu_shader_int64]
        let wide = |scalar: Scalar, rows: u8| u32::from(scalar.bits() == 64 && rows > 2) + 1;
        match *types.get(ty) {
            Type::Array(elem, Length::Known(n)) => open.push((elem, times.saturating_mul(n))),
            Type::Array(elem, _) => open.push((elem, times)),
            Type::Struct(id) => {
                open.extend(types.structure(id).members.iter().map(|m| (m.ty, times)));
            }
            Type::Vector(scalar, rows) => sum = sum.saturating_add(times.saturating_mul(wide(scalar, rows))),
            Type::Matrix { scalar, columns, rows } => {
                let one = u32::from(columns) * wide(scalar, rows);
                sum = sum.saturating_add(times.saturating_mul(one));
            }
            _ => sum = sum.saturating_add(times),
        }
    }
    sum.clamp(1, MOST)
}

#[cfg(test)]
mod tests {
    use super::{Slots, size};
    use crate::ty::{Length, Scalar, Type, Types};

    /// Locations of varyings by type. [GLSL 4.60, 4.4.1]
    #[test]
    fn types_of_64_bits_take_two_locations_from_three_components_on() {
        let mut types = Types::default();
        let double = Scalar::Double;
        let matrix = |scalar, columns, rows| Type::Matrix { scalar, columns, rows };
        for (ty, locations) in [
            (Type::Scalar(double), 1),
            (Type::Vector(double, 2), 1),
            (Type::Vector(double, 3), 2),
            (Type::Vector(double, 4), 2),
            (Type::Vector(Scalar::Int64, 3), 2),
            (Type::Vector(Scalar::Float, 4), 1),
            (matrix(Scalar::Float, 4, 4), 4),
            (matrix(double, 2, 2), 2),
            (matrix(double, 3, 3), 6),
            (matrix(double, 3, 2), 3),
        ] {
            let one = types.intern(ty);
            assert_eq!(size(&types, one), locations, "{ty:?}");
            let three = types.intern(Type::Array(one, Length::Known(3)));
            assert_eq!(size(&types, three), 3 * locations, "array of {ty:?}");
            let open = types.intern(Type::Array(one, Length::Unsized));
            assert_eq!(size(&types, open), locations, "an element for each vertex, of {ty:?}");
        }
    }

    #[test]
    fn the_lowest_gap_that_is_wide_enough() {
        let mut slots = Slots::default();
        slots.take(0, 1);
        slots.take(3, 2);
        assert_eq!(slots.lowest(2), 1);
        assert_eq!(slots.lowest(1), 5);
        assert_eq!(slots.lowest(2), 6);
    }
}
