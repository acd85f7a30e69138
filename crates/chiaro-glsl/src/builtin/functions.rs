//! The functions of the language: rows by family, found by name.
//!
//! A row is a name, what it does, when it is there, and its forms. The notation of a form is
//! that of the specification: `F` is `genType` of floats, `F1` to `F4` are `float` to `vec4`,
//! `VF` a vector of 2 to 4, `OF` an `out` one; the letters for other scalars are `D`, `I`, `U`
//! and `B`. The tables of textures write `Texel(Texture, Coord)` for `gvec4 (gsampler, P)`.

mod devices;
mod gathers;
mod hits;
mod images;
mod invocations;
mod legacy;
mod math;
mod others;
mod rays;
mod scoped;
mod sized;
mod small;
mod sparse;
mod subgroups;
mod textures;

use std::sync::LazyLock;

use super::available::When;
use super::pattern::{Form, Pattern, Shape, pattern, written};
use crate::intrinsic::Intrinsic;
use crate::ty::Scalar;

/// Functions of one name that do the same and are there at the same time.
#[derive(Debug)]
pub struct Row {
    /// The name.
    pub name: &'static str,
    /// What they do.
    pub what: Intrinsic,
    /// When they are there.
    pub when: When,
    /// Result and parameters of each.
    pub forms: &'static [Form],
}

/// A list of rows: `when => { "name" What : Result(Params) | Result(Params); }`.
macro_rules! functions {
    ($( $when:expr => { $( $name:literal $what:expr => $( $result:ident ( $($param:ident),* ) )|+ ; )* } )*) => {
        &[ $( $( Row {
            name: $name,
            what: $what,
            when: $when,
            forms: &[ $( &[ $result, $($param),* ] ),+ ],
        } ),* ),* ]
    };
}
use functions;

/// One list of rows after another.
static FAMILIES: [&[Row]; 20] = [
    math::ROWS,
    textures::ROWS,
    legacy::ROWS,
    images::ROWS,
    images::OPERATIONS,
    others::ROWS,
    devices::ROWS,
    gathers::ROWS,
    gathers::GATHERS,
    gathers::HALF_ATOMICS,
    invocations::ROWS,
    rays::QUERIES,
    rays::TRACING,
    hits::NV,
    hits::EXT,
    subgroups::ROWS,
    sized::ROWS,
    sized::BYTES,
    sized::SHORTS,
    small::ROWS,
];

/// All lists.
fn families() -> impl Iterator<Item = &'static [Row]> {
    let values = subgroups::VALUES.iter().chain(subgroups::PARTS);
    FAMILIES.iter().chain(values).chain(subgroups::ARITHMETIC.iter().copied().flatten()).copied()
}

/// All rows, ordered by name. Made when the first source is checked.
static INDEX: LazyLock<Vec<&'static Row>> = LazyLock::new(|| {
    let mut rows: Vec<&Row> = families().flatten().chain(sparse::rows()).chain(scoped::rows()).collect();
    rows.sort_by_key(|row| row.name);
    rows
});

/// The rows of a name, whatever the version.
#[must_use]
pub fn named(name: &str) -> &'static [&'static Row] {
    let start = INDEX.partition_point(|row| row.name < name);
    let rest = INDEX.get(start..).unwrap_or_default();
    let count = rest.iter().take_while(|row| row.name == name).count();
    &rest[..count]
}

/// All names, for advice.
pub fn names() -> impl Iterator<Item = &'static Row> {
    INDEX.iter().copied()
}

const VOID: Pattern = pattern(Shape::Void, Scalar::Float);

#[allow(dead_code, reason = "the set is complete, the tables need not name each")]
mod names_of_patterns {
    use super::{Pattern, Scalar, Shape, pattern, written};
    /// Names for a scalar type: generic, vectors, each size, and the generic one written.
    macro_rules! public {
        ($( $scalar:ident: $gen:ident $vec:ident $one:ident $two:ident $three:ident $four:ident $out:ident; )*) => { $(
            pub(super) const $gen: Pattern = pattern(Shape::Gen, Scalar::$scalar);
            pub(super) const $vec: Pattern = pattern(Shape::Vec, Scalar::$scalar);
            pub(super) const $one: Pattern = pattern(Shape::Fixed(1), Scalar::$scalar);
            pub(super) const $two: Pattern = pattern(Shape::Fixed(2), Scalar::$scalar);
            pub(super) const $three: Pattern = pattern(Shape::Fixed(3), Scalar::$scalar);
            pub(super) const $four: Pattern = pattern(Shape::Fixed(4), Scalar::$scalar);
            pub(super) const $out: Pattern = written(Shape::Gen, Scalar::$scalar);
        )* };
    }
    public! {
        Float: F VF F1 F2 F3 F4 OF;
        Double: D VD D1 D2 D3 D4 OD;
        Int: I VI I1 I2 I3 I4 OI;
        Uint: U VU U1 U2 U3 U4 OU;
        Bool: B VB B1 B2 B3 B4 OB;
        Int64: L VL L1 L2 L3 L4 OL;
        Uint64: UL VUL UL1 UL2 UL3 UL4 OUL;
        Int8: C VC C1 C2 C3 C4 OC;
        Uint8: UC VUC UC1 UC2 UC3 UC4 OUC;
        Int16: S VS S1 S2 S3 S4 OS;
        Uint16: US VUS US1 US2 US3 US4 OUS;
        Float16: H VH H1 H2 H3 H4 OH;
    }
}
use names_of_patterns::*;
