//! Across lanes: ballots, shuffles, reductions, scans, matrices (spec 7).

use super::layout::*;
use crate::operand::alu::{DEST_PAIR, FLOAT_PAIR, LONG};
use crate::operand::flow;
use crate::operand::modifier::binary;
use chiaro_isa::{Bits, Field, Format, Length, at, bit, operations, split, src};

operations! {
    /// Across lanes.
    pub enum Simd => ROWS {
        /// Which active lanes have A cc B.
        IcmpBallot "icmp_ballot" [BALLOT 1] SCIB2 APPLEGPU;
        /// Which active lanes of the quad have A cc B; the result has to be cut to 4 bits.
        IcmpQuadBallot "icmp_quad_ballot" [BALLOT 0] SCIB2 APPLEGPU;
        /// As icmp_ballot, of floats.
        FcmpBallot "fcmp_ballot" [FLOAT_BALLOT 1] SCIB2 APPLEGPU;
        /// As icmp_quad_ballot, of floats.
        FcmpQuadBallot "fcmp_quad_ballot" [FLOAT_BALLOT 0] SCIB2 APPLEGPU;
        /// A of lane B.
        SimdShuffle "simd_shuffle" [SHUFFLE 0b0_00_01] SCIB2 APPLEGPU;
        /// A of the lane whose number differs in the bits of B.
        SimdShuffleXor "simd_shuffle_xor" [SHUFFLE 0b0_01_01] UNTIMED APPLEGPU;
        /// A of the lane B below.
        SimdShuffleUp "simd_shuffle_up" [SHUFFLE 0b0_10_01] UNTIMED APPLEGPU;
        /// A of the lane B below, around the end.
        SimdShuffleRotateUp "simd_shuffle_rotate_up" [SHUFFLE 0b1_10_01] UNTIMED APPLEGPU;
        /// A of the lane B above.
        SimdShuffleDown "simd_shuffle_down" [SHUFFLE 0b0_11_01] UNTIMED APPLEGPU;
        /// A of lane B of the quad.
        QuadShuffle "quad_shuffle" [SHUFFLE 0b0_00_00] SCIB2 APPLEGPU;
        /// A of the lane of the quad whose number differs in the bits of B.
        QuadShuffleXor "quad_shuffle_xor" [SHUFFLE 0b0_01_00] UNTIMED APPLEGPU;
        /// A of the lane B below in the quad.
        QuadShuffleUp "quad_shuffle_up" [SHUFFLE 0b0_10_00] UNTIMED APPLEGPU;
        /// A of the lane B below in the quad, around its end.
        QuadShuffleRotateUp "quad_shuffle_rotate_up" [SHUFFLE 0b1_10_00] UNTIMED APPLEGPU;
        /// A of the lane B above in the quad.
        QuadShuffleDown "quad_shuffle_down" [SHUFFLE 0b0_11_00] UNTIMED APPLEGPU;
        /// Unknown shuffle.
        SimdShufOp "simd_shuf_op" [SHUFFLE_OTHER 0, SHUFFLE_ABOVE 1] UNTIMED APPLEGPU;
        /// Product and sum of 8x8 matrices, two elements in each lane.
        SimdMatrixFmadd32 "simd_matrix_fmadd32" [MATRIX 1] UNTIMED APPLEGPU;
        /// As simd_matrix_fmadd32, of halves.
        SimdMatrixFmadd16 "simd_matrix_fmadd16" [MATRIX 0] UNTIMED APPLEGPU;
        /// A of all active lanes of the quad, and-ed.
        QuadAnd "quad_and" [REDUCE_TO 0x0_0000] REDUCE APPLEGPU;
        /// Or-ed over the quad.
        QuadOr "quad_or" [REDUCE_TO 0x0_1000] REDUCE APPLEGPU;
        /// Xor-ed over the quad.
        QuadXor "quad_xor" [REDUCE_TO 0x0_2000] REDUCE APPLEGPU;
        /// Sum over the quad.
        QuadIadd "quad_iadd" [REDUCE_TO 0x1_0000] REDUCE APPLEGPU;
        /// Float sum over the quad.
        QuadFadd "quad_fadd" [REDUCE_TO 0x0_0004] REDUCE APPLEGPU;
        /// Float product over the quad.
        QuadFmul "quad_fmul" [REDUCE_TO 0x0_1004] REDUCE APPLEGPU;
        /// Least unsigned of the quad.
        QuadMinU "quad_min.u" [REDUCE_TO 0x1_6000] REDUCE APPLEGPU;
        /// Greatest unsigned of the quad.
        QuadMaxU "quad_max.u" [REDUCE_TO 0x1_7000] REDUCE APPLEGPU;
        /// Least signed of the quad.
        QuadMinS "quad_min.s" [REDUCE_TO 0x1_2000] REDUCE APPLEGPU;
        /// Greatest signed of the quad.
        QuadMaxS "quad_max.s" [REDUCE_TO 0x1_3000] REDUCE APPLEGPU;
        /// Least float of the quad.
        QuadMinF "quad_min.f" [REDUCE_TO 0x0_2004] REDUCE APPLEGPU;
        /// Greatest float of the quad.
        QuadMaxF "quad_max.f" [REDUCE_TO 0x0_3004] REDUCE APPLEGPU;
        /// Sum of the lanes below in the quad.
        QuadPrefixIadd "quad_prefix_iadd" [REDUCE_TO 0x1_0010] SCAN APPLEGPU;
        /// Float sum of the lanes below in the quad.
        QuadPrefixFadd "quad_prefix_fadd" [REDUCE_TO 0x0_0014] SCAN APPLEGPU;
        /// Float product of the lanes below in the quad.
        QuadPrefixFmul "quad_prefix_fmul" [REDUCE_TO 0x0_1014] SCAN APPLEGPU;
        /// A of all active lanes, and-ed.
        SimdAnd "simd_and" [REDUCE_TO 0x0_0008] REDUCE APPLEGPU;
        /// Or-ed over all lanes.
        SimdOr "simd_or" [REDUCE_TO 0x0_1008] REDUCE APPLEGPU;
        /// Xor-ed over all lanes.
        SimdXor "simd_xor" [REDUCE_TO 0x0_2008] REDUCE APPLEGPU;
        /// Sum over all lanes.
        SimdIadd "simd_iadd" [REDUCE_TO 0x1_0008] REDUCE APPLEGPU;
        /// Float sum over all lanes.
        SimdFadd "simd_fadd" [REDUCE_TO 0x0_000c] REDUCE APPLEGPU;
        /// Float product over all lanes.
        SimdFmul "simd_fmul" [REDUCE_TO 0x0_100c] REDUCE APPLEGPU;
        /// Least unsigned of all lanes.
        SimdMinU "simd_min.u" [REDUCE_TO 0x1_6008] REDUCE APPLEGPU;
        /// Greatest unsigned of all lanes.
        SimdMaxU "simd_max.u" [REDUCE_TO 0x1_7008] REDUCE APPLEGPU;
        /// Least signed of all lanes.
        SimdMinS "simd_min.s" [REDUCE_TO 0x1_2008] REDUCE APPLEGPU;
        /// Greatest signed of all lanes.
        SimdMaxS "simd_max.s" [REDUCE_TO 0x1_3008] REDUCE APPLEGPU;
        /// Least float of all lanes.
        SimdMinF "simd_min.f" [REDUCE_TO 0x0_200c] REDUCE APPLEGPU;
        /// Greatest float of all lanes.
        SimdMaxF "simd_max.f" [REDUCE_TO 0x0_300c] REDUCE APPLEGPU;
        /// Sum of the lanes below.
        SimdPrefixIadd "simd_prefix_iadd" [REDUCE_TO 0x1_0018] SCAN APPLEGPU;
        /// Float sum of the lanes below.
        SimdPrefixFadd "simd_prefix_fadd" [REDUCE_TO 0x0_001c] SCAN APPLEGPU;
        /// Float product of the lanes below.
        SimdPrefixFmul "simd_prefix_fmul" [REDUCE_TO 0x0_101c] SCAN APPLEGPU;
        /// And-ed over the lanes below.
        SimdPrefixAnd "simd_prefix_and" [REDUCE_TO 0x0_0018] SCAN APPLEGPU;
        /// Or-ed over the lanes below.
        SimdPrefixOr "simd_prefix_or" [REDUCE_TO 0x0_1018] SCAN APPLEGPU;
        /// Xor-ed over the lanes below.
        SimdPrefixXor "simd_prefix_xor" [REDUCE_TO 0x0_2018] SCAN APPLEGPU;
        /// Least signed of the lanes below.
        SimdPrefixMinS "simd_prefix_min.s" [REDUCE_TO 0x1_2018] SCAN APPLEGPU;
        /// Least unsigned of the lanes below.
        SimdPrefixMinU "simd_prefix_min.u" [REDUCE_TO 0x1_6018] SCAN APPLEGPU;
        /// Greatest signed of the lanes below.
        SimdPrefixMaxS "simd_prefix_max.s" [REDUCE_TO 0x1_3018] SCAN APPLEGPU;
        /// Greatest unsigned of the lanes below.
        SimdPrefixMaxU "simd_prefix_max.u" [REDUCE_TO 0x1_7018] SCAN APPLEGPU;
        /// Any other reduction or scan: by Mesa's bit pattern, those of section 7.3 that have no name here.
        SimdOp "simd_op" [REDUCE_OTHER 0x6f] SCAN APPLEGPU;
    }
}

const SIX: Format =
    Format { length: Length::Bytes(6), fixed: &[(at(0..=6), 0x6f), (bit(15), 0)], ..Format::EMPTY };
const EIGHT: Format = Format { length: Length::Bytes(8), ..Format::EMPTY };

const CONDITION: Bits = split([47..=47, 61..=63]);

/// A source whose type may say 64 bits, whatever that means here.
const fn across(name: &'static str, low: u8, high: u8) -> Field {
    src(name, place(low, high, 4, 0), &LONG, "source")
}

layout!(
    BALLOT = EIGHT,
    [result(44), modify("cc", CONDITION, &flow::INTEGER, "condition"), integer("A", 16, 42), integer("B", 28, 40)],
    " {D}, {cc}, {A}, {B}",
    name: "ballot", opcode: at(48..=60), fixed: &[(at(0..=6), 0x32), (at(26..=27), 0), (at(38..=39), 0)],
);
layout!(
    FLOAT_BALLOT = EIGHT,
    [result(44), modify("cc", CONDITION, &flow::FLOAT, "condition"), float("A", 16, 42), float("B", 28, 40)],
    " {D}, {cc}, {A}, {B}",
    name: "float ballot", opcode: at(48..=60), fixed: &[(at(0..=6), 0x22)],
);
layout!(
    SHUFFLE = SIX,
    [result(44), across("A", 16, 42), across("B", 28, 40)],
    " {D}, {A}, {B}",
    name: "shuffle", opcode: split([47..=47, 38..=39, 26..=27]),
);
layout!(
    SHUFFLE_OTHER = SIX,
    [
        mystery("op1", bit(47), &binary(1)), mystery("op2", at(38..=39), &binary(2)),
        mystery("op3", at(26..=27), &binary(2)), result(44), across("A", 16, 42), across("B", 28, 40),
    ],
    " {op1}, {op2}, {op3}, {D}, {A}, {B}",
    name: "unknown shuffle", opcode: bit(27),
);
layout!(
    /// What would be a matrix operation if it had bit 63.
    SHUFFLE_ABOVE = SIX,
    [
        mystery("op1", bit(47), &binary(1)), mystery("op2", at(38..=39), &binary(2)),
        mystery("op3", at(26..=27), &binary(2)), result(44), across("A", 16, 42), across("B", 28, 40),
    ],
    " {op1}, {op2}, {op3}, {D}, {A}, {B}",
    name: "unknown shuffle, no matrix", length: Length::Before { bytes: 6, clear: 63 }, opcode: bit(27),
);
layout!(
    MATRIX = EIGHT,
    [
        result_of(60, &DEST_PAIR),
        src("A", split([52..=53, 58..=59, 16..=21, 22..=25]), &FLOAT_PAIR, "source"),
        src("B", place(28, 56, 4, 2), &FLOAT_PAIR, "source"),
        src("C", place(40, 54, 4, 2), &FLOAT_PAIR, "source"),
    ],
    " {D}, {A}, {B}, {C}",
    name: "matrix", opcode: bit(26), fixed: &[(at(0..=6), 0x6f), (bit(15), 0), (bit(27), 1), (bit(63), 1)],
);
layout!(
    REDUCE_TO = SIX,
    [result(44), across("A", 16, 42)],
    " {D}, {A}",
    name: "reduction or scan", opcode: split([47..=47, 26..=41]), fixed: &[(at(0..=6), 0x6f), (bit(15), 1)],
);
layout!(
    REDUCE_OTHER = SIX,
    [
        mystery("op1", bit(47), &binary(1)), mystery("op2", at(26..=41), &binary(16)),
        result(44), across("A", 16, 42),
    ],
    " {op1}, {op2}, {D}, {A}",
    name: "other reduction or scan", opcode: at(0..=6), fixed: &[(bit(15), 1)],
);
