//! Functions among the invocations of a subgroup: the scope goes first, then the operation.

use chiaro_words::write::Id;
use spirv::{Capability, GroupOperation, MemorySemantics as Semantics, Op, Scope};

use super::Emitter;
use super::num::{Family, Num};
use crate::hir::ExprId;
use crate::ty::Type;

impl Emitter<'_> {
    /// Calls a function of a subgroup; `op` is the instruction of signed integers.
    pub(super) fn subgroup(
        &mut self,
        op: Op,
        operation: Option<GroupOperation>,
        args: &[ExprId],
        ty: &Type,
    ) -> Id {
        let scope = self.out.uint(Scope::Subgroup as u32);
        if op == Op::ControlBarrier {
            let memory = Semantics::UNIFORM_MEMORY | Semantics::WORKGROUP_MEMORY | Semantics::IMAGE_MEMORY;
            let semantics = self.out.uint((memory | Semantics::ACQUIRE_RELEASE).bits());
            self.effect(op, &[scope, scope, semantics]);
            return 0;
        }
        self.out.capability(Capability::GroupNonUniform);
        self.out.capability(capability(op, operation));
        let scalar = args.first().and_then(|&a| Num::of(&self.what(self.program.exprs[a.0 as usize].ty)));
        let op = scalar.map_or(op, |num| of_family(op, num.scalar.family()));
        let mut operands = vec![scope];
        operands.extend(operation.map(|operation| operation as u32));
        for &arg in args {
            operands.push(self.value(arg));
        }
        let ty = self.plain_ty(ty);
        self.op(op, ty, &operands)
    }
}

/// The part of the feature that an instruction belongs to.
fn capability(op: Op, operation: Option<GroupOperation>) -> Capability {
    match op {
        Op::GroupNonUniformElect => Capability::GroupNonUniform,
        Op::GroupNonUniformAll | Op::GroupNonUniformAny | Op::GroupNonUniformAllEqual => {
            Capability::GroupNonUniformVote
        }
        Op::GroupNonUniformShuffle | Op::GroupNonUniformShuffleXor => Capability::GroupNonUniformShuffle,
        Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown => {
            Capability::GroupNonUniformShuffleRelative
        }
        Op::GroupNonUniformQuadBroadcast => Capability::GroupNonUniformQuad,
        Op::GroupNonUniformIAdd
        | Op::GroupNonUniformIMul
        | Op::GroupNonUniformSMin
        | Op::GroupNonUniformSMax
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformBitwiseXor => match operation {
            Some(GroupOperation::ClusteredReduce) => Capability::GroupNonUniformClustered,
            _ => Capability::GroupNonUniformArithmetic,
        },
        _ => Capability::GroupNonUniformBallot,
    }
}

/// The instruction for another kind of scalars.
fn of_family(op: Op, family: Family) -> Op {
    match (op, family) {
        (Op::GroupNonUniformIAdd, Family::Float) => Op::GroupNonUniformFAdd,
        (Op::GroupNonUniformIMul, Family::Float) => Op::GroupNonUniformFMul,
        (Op::GroupNonUniformSMin, Family::Float) => Op::GroupNonUniformFMin,
        (Op::GroupNonUniformSMin, Family::Unsigned) => Op::GroupNonUniformUMin,
        (Op::GroupNonUniformSMax, Family::Float) => Op::GroupNonUniformFMax,
        (Op::GroupNonUniformSMax, Family::Unsigned) => Op::GroupNonUniformUMax,
        (Op::GroupNonUniformBitwiseAnd, Family::Bool) => Op::GroupNonUniformLogicalAnd,
        (Op::GroupNonUniformBitwiseOr, Family::Bool) => Op::GroupNonUniformLogicalOr,
        (Op::GroupNonUniformBitwiseXor, Family::Bool) => Op::GroupNonUniformLogicalXor,
        _ => op,
    }
}
