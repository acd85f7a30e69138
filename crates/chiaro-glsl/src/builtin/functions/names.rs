//! Names of the patterns that forms are written in: `F` for `genType`, `VF` for vectors, `F1` to
//! `F4` for `float` to `vec4`, `OF` for an `out` one, and likewise for other scalars.

#![allow(dead_code, reason = "the set is complete, the tables need not name each")]

use crate::builtin::pattern::{Pattern, Shape, pattern, written};
use crate::ty::Scalar;

/// No value.
pub(super) const VOID: Pattern = pattern(Shape::Void, Scalar::Float);

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
