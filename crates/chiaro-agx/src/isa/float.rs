//! Floats (spec 5, 6.1).

use super::integer::selected;
use super::layout::*;
use crate::operand::flow::SELECT_FLOAT;
use crate::operand::modifier::binary;
use chiaro_isa::{Format, at, bit, operations};

operations! {
    /// Floats.
    pub enum Float => ROWS {
        /// A * B + C, rounded to 32 bits, then to the size of D.
        Fmadd32 "fmadd32" [THREE 0x3a] F32 APPLEGPU;
        /// A * B + C of halves, rounded once.
        Fmadd16 "fmadd16" [THREE_HALVES 0x36] F16 APPLEGPU;
        /// A + B.
        Fadd32 "fadd32" [TWO 0x2a] F32 APPLEGPU;
        /// A + B of halves.
        Fadd16 "fadd16" [TWO_HALVES 0x26] F16 APPLEGPU;
        /// A * B.
        Fmul32 "fmul32" [TWO 0x1a] F32 APPLEGPU;
        /// A * B of halves.
        Fmul16 "fmul16" [TWO_HALVES 0x16] F16 APPLEGPU;
        /// Rounds down.
        Floor "floor" [UNARY 0x00] IC APPLEGPU;
        /// 1 / sqrt(A) such that A times it is sqrt(A), also of 0 and infinity.
        RsqrtSpecial "rsqrt_special" [UNARY 0x01] RSQRT APPLEGPU;
        /// Difference within the quad along x.
        Dfdx "dfdx" [DERIVATIVE 0x04] UNTIMED APPLEGPU;
        /// Difference within the quad along y.
        Dfdy "dfdy" [DERIVATIVE 0x06] UNTIMED APPLEGPU;
        /// 1 / A, off by one unit in the last place at times.
        Rcp "rcp" [UNARY 0x08] RCP APPLEGPU;
        /// 1 / sqrt(A).
        Rsqrt "rsqrt" [UNARY 0x09] RSQRT APPLEGPU;
        /// First half of a sine: a quarter turn to -1..1.
        SinPt1 "sin_pt_1" [UNARY 0x0a] IC APPLEGPU;
        /// Base 2 logarithm.
        Log2 "log2" [UNARY 0x0c] IC APPLEGPU;
        /// 2 to the power of A.
        Exp2 "exp2" [UNARY 0x0d] IC APPLEGPU;
        /// Second half of a sine: sin(x) / x.
        SinPt2 "sin_pt_2" [UNARY 0x0e] IC APPLEGPU;
        /// Rounds up.
        Ceil "ceil" [UNARY 0x10] UNTIMED APPLEGPU;
        /// Rounds toward zero.
        Trunc "trunc" [UNARY 0x20] UNTIMED APPLEGPU;
        /// Rounds to the nearest integer, to the even one between two.
        Rint "rint" [UNARY 0x30] UNTIMED APPLEGPU;
        /// Unknown function of one source.
        Funop "funop" [UNARY_OTHER 0x0a] UNTIMED APPLEGPU;
        /// A cc B ? X : Y, bit for bit.
        Fcmpsel "fcmpsel" [SELECT 0x02] SCIB APPLEGPU;
    }
}

const FLOATS: Format = Format { length: by_15(4, 6), opcode: at(0..=5), ..Format::EMPTY };

layout!(
    THREE = FLOATS,
    [SATURATE, result(60), float("A", 16, 58), float("B", 28, 56), float("C", 40, 54)],
    "{S} {D}, {A}, {B}, {C}",
    name: "float of three sources", length: by_15(6, 8),
);
layout!(
    THREE_HALVES = FLOATS,
    [SATURATE, result(60), half("A", 16, 58), half("B", 28, 56), half("C", 40, 54)],
    "{S} {D}, {A}, {B}, {C}",
    name: "half float of three sources", length: by_15(6, 8),
);
layout!(
    TWO = FLOATS,
    [SATURATE, result(44), float("A", 16, 42), float("B", 28, 40)],
    "{S} {D}, {A}, {B}",
    name: "float of two sources",
);
layout!(
    TWO_HALVES = FLOATS,
    [SATURATE, result(44), half("A", 16, 42), half("B", 28, 40)],
    "{S} {D}, {A}, {B}",
    name: "half float of two sources",
);
layout!(
    /// The function lies on both sides of the short length.
    UNARY = FLOATS,
    [SATURATE, result(44), float("A", 16, 42)],
    "{S} {D}, {A}",
    name: "float of one source", opcode: at(28..=33), fixed: &[(at(0..=5), 0x0a), (at(34..=41), 0)],
);
layout!(
    DERIVATIVE = FLOATS,
    [
        SATURATE, result(44), float("A", 16, 42),
        modify("kill", bit(46), &binary(1), "by its name: helper lanes end here [unknown]"),
    ],
    "{S} {D}, {A}[, kill {kill}]" | "{S} {D}, {A}",
    name: "derivative", opcode: at(28..=33), fixed: &[(at(0..=5), 0x0a), (at(34..=41), 0)],
);
layout!(
    UNARY_OTHER = FLOATS,
    [SATURATE, result(44), float("A", 16, 42), mystery("code", at(28..=33), &binary(6))],
    "{S} {D}, {A}, {code}",
    name: "unknown float of one source", fixed: &[(at(34..=41), 0)],
);
layout!(
    SELECT = Format::EMPTY,
    [
        modify("cc", at(61..=63), &SELECT_FLOAT, "condition"), result(76),
        float("A", 16, 74), float("B", 28, 72), selected("X", 40, 70), selected("Y", 52, 68),
    ],
    " {cc}, {D}, {A}, {B}, {X}, {Y}",
    name: "float select", length: by_15(8, 10), opcode: at(0..=6),
);
