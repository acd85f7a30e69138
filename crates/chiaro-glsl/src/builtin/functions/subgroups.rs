//! Functions among the invocations of a subgroup: `KHR_shader_subgroup_*`, and what came before
//! them (`ARB_shader_ballot`) and after (`NV_shader_subgroup_partitioned`).
//!
//! A function that takes any value has a list of forms for the types that every source may have,
//! and one more list for each extension that brings other widths.

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::When;
use crate::builtin::pattern::*;
use crate::intrinsic::Intrinsic::{MemoryBarrier, QuadSwap, Subgroup};
use crate::ty::Scalar;
use spirv::{GroupOperation, Op};

const BASIC: When = When::with(&[
    "GL_KHR_shader_subgroup_basic",
    "GL_KHR_shader_subgroup_vote",
    "GL_KHR_shader_subgroup_arithmetic",
    "GL_KHR_shader_subgroup_ballot",
    "GL_KHR_shader_subgroup_shuffle",
    "GL_KHR_shader_subgroup_shuffle_relative",
    "GL_KHR_shader_subgroup_clustered",
    "GL_KHR_shader_subgroup_quad",
    "GL_KHR_shader_subgroup_rotate",
    "GL_NV_shader_subgroup_partitioned",
]);
const VOTE: When = When::with(&["GL_KHR_shader_subgroup_vote"]);
const BALLOT: When = When::with(&["GL_KHR_shader_subgroup_ballot"]);
const SHUFFLE: When = When::with(&["GL_KHR_shader_subgroup_shuffle"]);
const RELATIVE: When = When::with(&["GL_KHR_shader_subgroup_shuffle_relative"]);
const ARITHMETICS: When = When::with(&["GL_KHR_shader_subgroup_arithmetic"]);
const CLUSTERED: When = When::with(&["GL_KHR_shader_subgroup_clustered"]);
const QUAD: When = When::with(&["GL_KHR_shader_subgroup_quad"]);
const QUAD_VOTE: When = When::with(&["GL_EXT_shader_quad_control"]);
const ROTATE: When = When::with(&["GL_KHR_shader_subgroup_rotate"]);
const PARTITIONED: When = When::with(&["GL_NV_shader_subgroup_partitioned"]);
const BALLOT_ARB: When = When::with(&["GL_ARB_shader_ballot"]);

const INT8: When = When::with(&["GL_EXT_shader_subgroup_extended_types_int8"]);
const INT16: When = When::with(&["GL_EXT_shader_subgroup_extended_types_int16"]);
const INT64: When = When::with(&["GL_EXT_shader_subgroup_extended_types_int64"]);
const FLOAT16: When = When::with(&["GL_EXT_shader_subgroup_extended_types_float16"]);

const C: Pattern = pattern(Shape::Gen, Scalar::Int8);
const UC: Pattern = pattern(Shape::Gen, Scalar::Uint8);
const S: Pattern = pattern(Shape::Gen, Scalar::Int16);
const US: Pattern = pattern(Shape::Gen, Scalar::Uint16);

const REDUCE: Option<GroupOperation> = Some(GroupOperation::Reduce);
const UP: Option<GroupOperation> = Some(GroupOperation::InclusiveScan);
const BEFORE: Option<GroupOperation> = Some(GroupOperation::ExclusiveScan);
const CLUSTER: Option<GroupOperation> = Some(GroupOperation::ClusteredReduce);

/// Functions of booleans and of ballots.
pub(super) static ROWS: &[Row] = functions! {
    BASIC => {
        "subgroupElect" Subgroup(Op::GroupNonUniformElect, None) => B1();
        "subgroupBarrier" Subgroup(Op::ControlBarrier, None) => VOID();
        "subgroupMemoryBarrier" MemoryBarrier => VOID();
        "subgroupMemoryBarrierBuffer" MemoryBarrier => VOID();
        "subgroupMemoryBarrierShared" MemoryBarrier => VOID();
        "subgroupMemoryBarrierImage" MemoryBarrier => VOID();
    }
    VOTE => {
        "subgroupAll" Subgroup(Op::GroupNonUniformAll, None) => B1(B1);
        "subgroupAny" Subgroup(Op::GroupNonUniformAny, None) => B1(B1);
    }
    QUAD_VOTE => {
        "subgroupQuadAll" Subgroup(Op::GroupNonUniformQuadAllKHR, None) => B1(B1);
        "subgroupQuadAny" Subgroup(Op::GroupNonUniformQuadAnyKHR, None) => B1(B1);
    }
    BALLOT => {
        "subgroupBallot" Subgroup(Op::GroupNonUniformBallot, None) => U4(B1);
        "subgroupInverseBallot" Subgroup(Op::GroupNonUniformInverseBallot, None) => B1(U4);
        "subgroupBallotBitExtract" Subgroup(Op::GroupNonUniformBallotBitExtract, None) => B1(U4, U1);
        "subgroupBallotBitCount" Subgroup(Op::GroupNonUniformBallotBitCount, REDUCE) => U1(U4);
        "subgroupBallotInclusiveBitCount" Subgroup(Op::GroupNonUniformBallotBitCount, UP) => U1(U4);
        "subgroupBallotExclusiveBitCount" Subgroup(Op::GroupNonUniformBallotBitCount, BEFORE) => U1(U4);
        "subgroupBallotFindLSB" Subgroup(Op::GroupNonUniformBallotFindLSB, None) => U1(U4);
        "subgroupBallotFindMSB" Subgroup(Op::GroupNonUniformBallotFindMSB, None) => U1(U4);
    }
    BALLOT_ARB => {
        "ballotARB" Subgroup(Op::SubgroupBallotKHR, None) => UL1(B1);
        "readInvocationARB" Subgroup(Op::SubgroupReadInvocationKHR, None) => F(F, U1) | I(I, U1) | U(U, U1);
        "readFirstInvocationARB" Subgroup(Op::SubgroupFirstInvocationKHR, None) => F(F) | I(I) | U(U);
    }
};

/// Functions that move values of some types, each feature there with an extension.
macro_rules! values {
    (
        vote: $vote:expr, ballot: $ballot:expr, shuffle: $shuffle:expr, relative: $relative:expr,
        quad: $quad:expr, rotate: $rotate:expr, partitioned: $partitioned:expr; $($t:ident)+
    ) => {
        functions! {
            $vote => {
                "subgroupAllEqual" Subgroup(Op::GroupNonUniformAllEqual, None) => $(B1($t))|+;
            }
            $ballot => {
                "subgroupBroadcast" Subgroup(Op::GroupNonUniformBroadcast, None) => $($t($t, U1))|+;
                "subgroupBroadcastFirst" Subgroup(Op::GroupNonUniformBroadcastFirst, None) => $($t($t))|+;
            }
            $shuffle => {
                "subgroupShuffle" Subgroup(Op::GroupNonUniformShuffle, None) => $($t($t, U1))|+;
                "subgroupShuffleXor" Subgroup(Op::GroupNonUniformShuffleXor, None) => $($t($t, U1))|+;
            }
            $relative => {
                "subgroupShuffleUp" Subgroup(Op::GroupNonUniformShuffleUp, None) => $($t($t, U1))|+;
                "subgroupShuffleDown" Subgroup(Op::GroupNonUniformShuffleDown, None) => $($t($t, U1))|+;
            }
            $quad => {
                "subgroupQuadBroadcast" Subgroup(Op::GroupNonUniformQuadBroadcast, None) => $($t($t, U1))|+;
                "subgroupQuadSwapHorizontal" QuadSwap(0) => $($t($t))|+;
                "subgroupQuadSwapVertical" QuadSwap(1) => $($t($t))|+;
                "subgroupQuadSwapDiagonal" QuadSwap(2) => $($t($t))|+;
            }
            $rotate => {
                "subgroupRotate" Subgroup(Op::GroupNonUniformRotateKHR, None) => $($t($t, U1))|+;
                "subgroupClusteredRotate" Subgroup(Op::GroupNonUniformRotateKHR, None) => $($t($t, U1, U1))|+;
            }
            $partitioned => {
                "subgroupPartitionNV" Subgroup(Op::GroupNonUniformPartitionEXT, None) => $(U4($t))|+;
            }
        }
    };
    ($when:expr; $($t:ident)+) => {
        values! {
            vote: $when, ballot: $when, shuffle: $when, relative: $when, quad: $when, rotate: $when,
            partitioned: $when; $($t)+
        }
    };
}

/// Movement of values.
pub(super) static VALUES: [&[Row]; 5] = [
    values! {
        vote: VOTE, ballot: BALLOT, shuffle: SHUFFLE, relative: RELATIVE, quad: QUAD, rotate: ROTATE,
        partitioned: PARTITIONED; F I U B D
    },
    values! { INT8; C UC },
    values! { INT16; S US },
    values! { INT64; L UL },
    values! { FLOAT16; H },
];

/// Sums and the like of some types: of all, up to here, before here, and of clusters.
macro_rules! arithmetic {
    (
        $all:expr, $clustered:expr, $($t:ident)+;
        $( $reduce:literal $up:literal $before:literal $cluster:literal $op:ident, )*
    ) => {
        arithmetic! { @rows $all, $clustered, ($($t)+) $( $reduce $up $before $cluster $op, )* }
    };
    (
        @rows $all:expr, $clustered:expr, $types:tt
        $( $reduce:literal $up:literal $before:literal $cluster:literal $op:ident, )*
    ) => {
        &[ $(
            arithmetic! { @one $all, $clustered, $types $reduce $up $before $cluster $op },
        )* ]
    };
    (
        @one $all:expr, $clustered:expr, ($($t:ident)+)
        $reduce:literal $up:literal $before:literal $cluster:literal $op:ident
    ) => {
        functions! {
            $all => {
                $reduce Subgroup(Op::$op, REDUCE) => $($t($t))|+;
                $up Subgroup(Op::$op, UP) => $($t($t))|+;
                $before Subgroup(Op::$op, BEFORE) => $($t($t))|+;
            }
            $clustered => {
                $cluster Subgroup(Op::$op, CLUSTER) => $($t($t, U1))|+;
            }
        }
    };
}

/// The names of arithmetic, by the instruction of signed integers, for some types.
macro_rules! sums {
    ($all:expr, $clustered:expr; $($t:ident)+) => {
        arithmetic! { $all, $clustered, $($t)+;
            "subgroupAdd" "subgroupInclusiveAdd" "subgroupExclusiveAdd" "subgroupClusteredAdd" GroupNonUniformIAdd,
            "subgroupMul" "subgroupInclusiveMul" "subgroupExclusiveMul" "subgroupClusteredMul" GroupNonUniformIMul,
            "subgroupMin" "subgroupInclusiveMin" "subgroupExclusiveMin" "subgroupClusteredMin" GroupNonUniformSMin,
            "subgroupMax" "subgroupInclusiveMax" "subgroupExclusiveMax" "subgroupClusteredMax" GroupNonUniformSMax,
        }
    };
}
macro_rules! bits {
    ($all:expr, $clustered:expr; $($t:ident)+) => {
        arithmetic! { $all, $clustered, $($t)+;
            "subgroupAnd" "subgroupInclusiveAnd" "subgroupExclusiveAnd" "subgroupClusteredAnd" GroupNonUniformBitwiseAnd,
            "subgroupOr" "subgroupInclusiveOr" "subgroupExclusiveOr" "subgroupClusteredOr" GroupNonUniformBitwiseOr,
            "subgroupXor" "subgroupInclusiveXor" "subgroupExclusiveXor" "subgroupClusteredXor" GroupNonUniformBitwiseXor,
        }
    };
}

/// Arithmetic: lists of lists.
pub(super) static ARITHMETIC: [&[&[Row]]; 9] = [
    sums! { ARITHMETICS, CLUSTERED; F I U D },
    bits! { ARITHMETICS, CLUSTERED; I U B },
    sums! { INT8, INT8; C UC },
    bits! { INT8, INT8; C UC },
    sums! { INT16, INT16; S US },
    bits! { INT16, INT16; S US },
    sums! { INT64, INT64; L UL },
    bits! { INT64, INT64; L UL },
    sums! { FLOAT16, FLOAT16; H },
];

/// Sums among the invocations of one part of a partition: of all, up to here, before here.
macro_rules! parts {
    ($( $reduce:literal $up:literal $before:literal $op:ident $types:tt; )*) => {
        &[ $( parts! { @one $reduce $up $before $op $types } ),* ]
    };
    (@one $reduce:literal $up:literal $before:literal $op:ident ($($t:ident)+)) => {
        functions! {
            PARTITIONED => {
                $reduce Subgroup(Op::$op, Some(GroupOperation::PartitionedReduceEXT)) => $($t($t, U4))|+;
                $up Subgroup(Op::$op, Some(GroupOperation::PartitionedInclusiveScanEXT)) => $($t($t, U4))|+;
                $before Subgroup(Op::$op, Some(GroupOperation::PartitionedExclusiveScanEXT)) => $($t($t, U4))|+;
            }
        }
    };
}

/// Arithmetic of partitions.
#[rustfmt::skip]
pub(super) static PARTS: &[&[Row]] = parts! {
    "subgroupPartitionedAddNV" "subgroupPartitionedInclusiveAddNV" "subgroupPartitionedExclusiveAddNV" GroupNonUniformIAdd (F I U D C UC S US L UL H);
    "subgroupPartitionedMulNV" "subgroupPartitionedInclusiveMulNV" "subgroupPartitionedExclusiveMulNV" GroupNonUniformIMul (F I U D C UC S US L UL H);
    "subgroupPartitionedMinNV" "subgroupPartitionedInclusiveMinNV" "subgroupPartitionedExclusiveMinNV" GroupNonUniformSMin (F I U D C UC S US L UL H);
    "subgroupPartitionedMaxNV" "subgroupPartitionedInclusiveMaxNV" "subgroupPartitionedExclusiveMaxNV" GroupNonUniformSMax (F I U D C UC S US L UL H);
    "subgroupPartitionedAndNV" "subgroupPartitionedInclusiveAndNV" "subgroupPartitionedExclusiveAndNV" GroupNonUniformBitwiseAnd (I U B C UC S US L UL);
    "subgroupPartitionedOrNV" "subgroupPartitionedInclusiveOrNV" "subgroupPartitionedExclusiveOrNV" GroupNonUniformBitwiseOr (I U B C UC S US L UL);
    "subgroupPartitionedXorNV" "subgroupPartitionedInclusiveXorNV" "subgroupPartitionedExclusiveXorNV" GroupNonUniformBitwiseXor (I U B C UC S US L UL);
};
