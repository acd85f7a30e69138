//! Sums among invocations as `GL_AMD_shader_ballot` has them.

use super::names::*;
use super::row::{Row, functions};
use crate::builtin::When;
use crate::builtin::pattern::*;
use crate::intrinsic::Intrinsic::Subgroup;
use crate::ty::Scalar;
use spirv::{GroupOperation, Op};

const BALLOT: When = When::with(&["GL_AMD_shader_ballot"]);
const REDUCE: Option<GroupOperation> = Some(GroupOperation::Reduce);
const UP: Option<GroupOperation> = Some(GroupOperation::InclusiveScan);
const BEFORE: Option<GroupOperation> = Some(GroupOperation::ExclusiveScan);

const S: Pattern = pattern(Shape::Gen, Scalar::Int16);
const US: Pattern = pattern(Shape::Gen, Scalar::Uint16);

/// Names of an operation and its instruction, for signed integers: of all, up to here, before
/// here.
macro_rules! invocations {
    ($( $all:literal $up:literal $before:literal $op:ident; )*) => {
        functions! {
            BALLOT => { $(
                $all Subgroup(Op::$op, REDUCE) =>
                    F(F) | I(I) | U(U) | D(D) | L(L) | UL(UL) | H(H) | S(S) | US(US);
                $up Subgroup(Op::$op, UP) =>
                    F(F) | I(I) | U(U) | D(D) | L(L) | UL(UL) | H(H) | S(S) | US(US);
                $before Subgroup(Op::$op, BEFORE) =>
                    F(F) | I(I) | U(U) | D(D) | L(L) | UL(UL) | H(H) | S(S) | US(US);
            )* }
        }
    };
}

/// The rows.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = invocations! {
    "addInvocationsAMD" "addInvocationsInclusiveScanAMD" "addInvocationsExclusiveScanAMD" GroupIAdd;
    "minInvocationsAMD" "minInvocationsInclusiveScanAMD" "minInvocationsExclusiveScanAMD" GroupSMin;
    "maxInvocationsAMD" "maxInvocationsInclusiveScanAMD" "maxInvocationsExclusiveScanAMD" GroupSMax;
    "addInvocationsNonUniformAMD" "addInvocationsInclusiveScanNonUniformAMD" "addInvocationsExclusiveScanNonUniformAMD" GroupIAddNonUniformAMD;
    "minInvocationsNonUniformAMD" "minInvocationsInclusiveScanNonUniformAMD" "minInvocationsExclusiveScanNonUniformAMD" GroupSMinNonUniformAMD;
    "maxInvocationsNonUniformAMD" "maxInvocationsInclusiveScanNonUniformAMD" "maxInvocationsExclusiveScanNonUniformAMD" GroupSMaxNonUniformAMD;
};
