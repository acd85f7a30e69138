//! Functions among the invocations of a subgroup: `KHR_shader_subgroup_*`.

use super::*;
use crate::intrinsic::Intrinsic::{MemoryBarrier, Subgroup};
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
]);
const VOTE: When = When::with(&["GL_KHR_shader_subgroup_vote"]);
const BALLOT: When = When::with(&["GL_KHR_shader_subgroup_ballot"]);
const SHUFFLE: When = When::with(&["GL_KHR_shader_subgroup_shuffle"]);
const RELATIVE: When = When::with(&["GL_KHR_shader_subgroup_shuffle_relative"]);
const ARITHMETICS: When = When::with(&["GL_KHR_shader_subgroup_arithmetic"]);
const CLUSTERED: When = When::with(&["GL_KHR_shader_subgroup_clustered"]);
const QUAD: When = When::with(&["GL_KHR_shader_subgroup_quad"]);

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
        "subgroupAllEqual" Subgroup(Op::GroupNonUniformAllEqual, None) => B1(F) | B1(I) | B1(U) | B1(B) | B1(D);
    }
    BALLOT => {
        "subgroupBroadcast" Subgroup(Op::GroupNonUniformBroadcast, None) =>
            F(F, U1) | I(I, U1) | U(U, U1) | B(B, U1) | D(D, U1);
        "subgroupBroadcastFirst" Subgroup(Op::GroupNonUniformBroadcastFirst, None) =>
            F(F) | I(I) | U(U) | B(B) | D(D);
        "subgroupBallot" Subgroup(Op::GroupNonUniformBallot, None) => U4(B1);
        "subgroupInverseBallot" Subgroup(Op::GroupNonUniformInverseBallot, None) => B1(U4);
        "subgroupBallotBitExtract" Subgroup(Op::GroupNonUniformBallotBitExtract, None) => B1(U4, U1);
        "subgroupBallotBitCount" Subgroup(Op::GroupNonUniformBallotBitCount, Some(GroupOperation::Reduce)) => U1(U4);
        "subgroupBallotInclusiveBitCount"
            Subgroup(Op::GroupNonUniformBallotBitCount, Some(GroupOperation::InclusiveScan)) => U1(U4);
        "subgroupBallotExclusiveBitCount"
            Subgroup(Op::GroupNonUniformBallotBitCount, Some(GroupOperation::ExclusiveScan)) => U1(U4);
        "subgroupBallotFindLSB" Subgroup(Op::GroupNonUniformBallotFindLSB, None) => U1(U4);
        "subgroupBallotFindMSB" Subgroup(Op::GroupNonUniformBallotFindMSB, None) => U1(U4);
    }
    SHUFFLE => {
        "subgroupShuffle" Subgroup(Op::GroupNonUniformShuffle, None) =>
            F(F, U1) | I(I, U1) | U(U, U1) | B(B, U1) | D(D, U1);
        "subgroupShuffleXor" Subgroup(Op::GroupNonUniformShuffleXor, None) =>
            F(F, U1) | I(I, U1) | U(U, U1) | B(B, U1) | D(D, U1);
    }
    RELATIVE => {
        "subgroupShuffleUp" Subgroup(Op::GroupNonUniformShuffleUp, None) =>
            F(F, U1) | I(I, U1) | U(U, U1) | B(B, U1) | D(D, U1);
        "subgroupShuffleDown" Subgroup(Op::GroupNonUniformShuffleDown, None) =>
            F(F, U1) | I(I, U1) | U(U, U1) | B(B, U1) | D(D, U1);
    }
    QUAD => {
        "subgroupQuadBroadcast" Subgroup(Op::GroupNonUniformQuadBroadcast, None) =>
            F(F, U1) | I(I, U1) | U(U, U1) | B(B, U1) | D(D, U1);
    }
};

/// Sums and the like: of all, up to here, before here, and of clusters.
macro_rules! arithmetic {
    ($( $all:literal $up:literal $before:literal $clustered:literal $op:ident; )*) => {
        functions! {
            ARITHMETICS => { $(
                $all Subgroup(Op::$op, Some(GroupOperation::Reduce)) => F(F) | I(I) | U(U) | B(B) | D(D);
                $up Subgroup(Op::$op, Some(GroupOperation::InclusiveScan)) => F(F) | I(I) | U(U) | B(B) | D(D);
                $before Subgroup(Op::$op, Some(GroupOperation::ExclusiveScan)) => F(F) | I(I) | U(U) | B(B) | D(D);
            )* }
            CLUSTERED => { $(
                $clustered Subgroup(Op::$op, Some(GroupOperation::ClusteredReduce)) =>
                    F(F, U1) | I(I, U1) | U(U, U1) | B(B, U1) | D(D, U1);
            )* }
        }
    };
}

/// Arithmetic, by the instruction of signed integers.
pub(super) static ARITHMETIC: &[Row] = arithmetic! {
    "subgroupAdd" "subgroupInclusiveAdd" "subgroupExclusiveAdd" "subgroupClusteredAdd" GroupNonUniformIAdd;
    "subgroupMul" "subgroupInclusiveMul" "subgroupExclusiveMul" "subgroupClusteredMul" GroupNonUniformIMul;
    "subgroupMin" "subgroupInclusiveMin" "subgroupExclusiveMin" "subgroupClusteredMin" GroupNonUniformSMin;
    "subgroupMax" "subgroupInclusiveMax" "subgroupExclusiveMax" "subgroupClusteredMax" GroupNonUniformSMax;
    "subgroupAnd" "subgroupInclusiveAnd" "subgroupExclusiveAnd" "subgroupClusteredAnd" GroupNonUniformBitwiseAnd;
    "subgroupOr" "subgroupInclusiveOr" "subgroupExclusiveOr" "subgroupClusteredOr" GroupNonUniformBitwiseOr;
    "subgroupXor" "subgroupInclusiveXor" "subgroupExclusiveXor" "subgroupClusteredXor" GroupNonUniformBitwiseXor;
};
