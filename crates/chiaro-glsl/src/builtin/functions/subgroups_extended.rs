//! Functions of subgroups for numbers of 8, 16 and 64 bits, each size with its extension.
//! [GL_EXT_shader_subgroup_extended_types_*]

use super::*;
use crate::intrinsic::Intrinsic::Subgroup;
use spirv::{GroupOperation, Op};

const INT8: When = When::with(&["GL_EXT_shader_subgroup_extended_types_int8"]);
const INT16: When = When::with(&["GL_EXT_shader_subgroup_extended_types_int16"]);
const INT64: When = When::with(&["GL_EXT_shader_subgroup_extended_types_int64"]);
const FLOAT16: When = When::with(&["GL_EXT_shader_subgroup_extended_types_float16"]);

/// Functions that move or compare values of a generic type.
macro_rules! moves {
    ($($when:ident: $($ty:ident)+;)*) => {
        functions! { $( $when => {
            "subgroupAllEqual" Subgroup(Op::GroupNonUniformAllEqual, None) => $( B1($ty) )|+;
            "subgroupBroadcast" Subgroup(Op::GroupNonUniformBroadcast, None) => $( $ty($ty, U1) )|+;
            "subgroupBroadcastFirst" Subgroup(Op::GroupNonUniformBroadcastFirst, None) => $( $ty($ty) )|+;
            "subgroupShuffle" Subgroup(Op::GroupNonUniformShuffle, None) => $( $ty($ty, U1) )|+;
            "subgroupShuffleXor" Subgroup(Op::GroupNonUniformShuffleXor, None) => $( $ty($ty, U1) )|+;
            "subgroupShuffleUp" Subgroup(Op::GroupNonUniformShuffleUp, None) => $( $ty($ty, U1) )|+;
            "subgroupShuffleDown" Subgroup(Op::GroupNonUniformShuffleDown, None) => $( $ty($ty, U1) )|+;
            "subgroupQuadBroadcast" Subgroup(Op::GroupNonUniformQuadBroadcast, None) => $( $ty($ty, U1) )|+;
        } )* }
    };
}

pub(super) static MOVES: &[Row] = moves! {
    INT8: C UC;
    INT16: S US;
    INT64: L UL;
    FLOAT16: H;
};

const fn group(op: Op, operation: GroupOperation) -> crate::intrinsic::Intrinsic {
    Subgroup(op, Some(operation))
}

/// Sums and the like: of all, up to here, before here, and of clusters.
#[rustfmt::skip]
macro_rules! sums {
    ($($when:ident: $($ty:ident)+;)*) => {
        functions! { $( $when => {
            "subgroupAdd" group(Op::GroupNonUniformIAdd, GroupOperation::Reduce) => $( $ty($ty) )|+;
            "subgroupInclusiveAdd" group(Op::GroupNonUniformIAdd, GroupOperation::InclusiveScan) => $( $ty($ty) )|+;
            "subgroupExclusiveAdd" group(Op::GroupNonUniformIAdd, GroupOperation::ExclusiveScan) => $( $ty($ty) )|+;
            "subgroupClusteredAdd" group(Op::GroupNonUniformIAdd, GroupOperation::ClusteredReduce) => $( $ty($ty, U1) )|+;
            "subgroupMul" group(Op::GroupNonUniformIMul, GroupOperation::Reduce) => $( $ty($ty) )|+;
            "subgroupInclusiveMul" group(Op::GroupNonUniformIMul, GroupOperation::InclusiveScan) => $( $ty($ty) )|+;
            "subgroupExclusiveMul" group(Op::GroupNonUniformIMul, GroupOperation::ExclusiveScan) => $( $ty($ty) )|+;
            "subgroupClusteredMul" group(Op::GroupNonUniformIMul, GroupOperation::ClusteredReduce) => $( $ty($ty, U1) )|+;
            "subgroupMin" group(Op::GroupNonUniformSMin, GroupOperation::Reduce) => $( $ty($ty) )|+;
            "subgroupInclusiveMin" group(Op::GroupNonUniformSMin, GroupOperation::InclusiveScan) => $( $ty($ty) )|+;
            "subgroupExclusiveMin" group(Op::GroupNonUniformSMin, GroupOperation::ExclusiveScan) => $( $ty($ty) )|+;
            "subgroupClusteredMin" group(Op::GroupNonUniformSMin, GroupOperation::ClusteredReduce) => $( $ty($ty, U1) )|+;
            "subgroupMax" group(Op::GroupNonUniformSMax, GroupOperation::Reduce) => $( $ty($ty) )|+;
            "subgroupInclusiveMax" group(Op::GroupNonUniformSMax, GroupOperation::InclusiveScan) => $( $ty($ty) )|+;
            "subgroupExclusiveMax" group(Op::GroupNonUniformSMax, GroupOperation::ExclusiveScan) => $( $ty($ty) )|+;
            "subgroupClusteredMax" group(Op::GroupNonUniformSMax, GroupOperation::ClusteredReduce) => $( $ty($ty, U1) )|+;
        } )* }
    };
}

/// Bit by bit, which floats have not.
#[rustfmt::skip]
macro_rules! bitwise {
    ($($when:ident: $($ty:ident)+;)*) => {
        functions! { $( $when => {
            "subgroupAnd" group(Op::GroupNonUniformBitwiseAnd, GroupOperation::Reduce) => $( $ty($ty) )|+;
            "subgroupInclusiveAnd" group(Op::GroupNonUniformBitwiseAnd, GroupOperation::InclusiveScan) => $( $ty($ty) )|+;
            "subgroupExclusiveAnd" group(Op::GroupNonUniformBitwiseAnd, GroupOperation::ExclusiveScan) => $( $ty($ty) )|+;
            "subgroupClusteredAnd" group(Op::GroupNonUniformBitwiseAnd, GroupOperation::ClusteredReduce) => $( $ty($ty, U1) )|+;
            "subgroupOr" group(Op::GroupNonUniformBitwiseOr, GroupOperation::Reduce) => $( $ty($ty) )|+;
            "subgroupInclusiveOr" group(Op::GroupNonUniformBitwiseOr, GroupOperation::InclusiveScan) => $( $ty($ty) )|+;
            "subgroupExclusiveOr" group(Op::GroupNonUniformBitwiseOr, GroupOperation::ExclusiveScan) => $( $ty($ty) )|+;
            "subgroupClusteredOr" group(Op::GroupNonUniformBitwiseOr, GroupOperation::ClusteredReduce) => $( $ty($ty, U1) )|+;
            "subgroupXor" group(Op::GroupNonUniformBitwiseXor, GroupOperation::Reduce) => $( $ty($ty) )|+;
            "subgroupInclusiveXor" group(Op::GroupNonUniformBitwiseXor, GroupOperation::InclusiveScan) => $( $ty($ty) )|+;
            "subgroupExclusiveXor" group(Op::GroupNonUniformBitwiseXor, GroupOperation::ExclusiveScan) => $( $ty($ty) )|+;
            "subgroupClusteredXor" group(Op::GroupNonUniformBitwiseXor, GroupOperation::ClusteredReduce) => $( $ty($ty, U1) )|+;
        } )* }
    };
}

/// By the instruction of signed integers.
pub(super) static SUMS: &[Row] = sums! {
    INT8: C UC;
    INT16: S US;
    INT64: L UL;
    FLOAT16: H;
};

/// By the instruction of integers.
pub(super) static BITWISE: &[Row] = bitwise! {
    INT8: C UC;
    INT16: S US;
    INT64: L UL;
};
