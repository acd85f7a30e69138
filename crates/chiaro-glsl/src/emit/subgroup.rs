//! Functions among the invocations of a subgroup: the scope goes first, then the operation.

use chiaro_words::write::Id;
use spirv::{Capability, GroupOperation, MemorySemantics as Semantics, Op, Scope};

use super::emitter::Emitter;
use crate::hir::ExprId;
use crate::numeric::Num;
use crate::ty::{Family, Scalar, Type};

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
        self.subgroup_capability(op, operation);
        let scalar = args.first().and_then(|&a| Num::of(&self.what(self.program.exprs[a.0 as usize].ty)));
        let op = scalar.map_or(op, |num| of_family(op, num.scalar.family()));
        let mut operands = Vec::with_capacity(args.len() + 2);
        if has_scope(op) {
            operands.push(scope);
        }
        operands.extend(operation.map(|operation| operation as u32));
        for &arg in args {
            operands.push(self.value(arg));
        }
        if op == Op::SubgroupBallotKHR {
            let mask = self.num_ty(Num::vector(Scalar::Uint, 4));
            let value = self.op(op, mask, &operands);
            return self.half_of_mask(value);
        }
        let ty = self.plain_ty(ty);
        self.op(op, ty, &operands)
    }

    /// Values of the neighbours in a quad: 0 horizontal, 1 vertical, 2 diagonal.
    pub(super) fn quad_swap(&mut self, direction: u32, args: &[ExprId], ty: &Type) -> Id {
        let [value] = *args else { return self.fail("one argument is expected") };
        self.subgroup_capability(Op::GroupNonUniformQuadSwap, None);
        let (scope, direction) = (self.out.uint(Scope::Subgroup as u32), self.out.uint(direction));
        let value = self.value(value);
        let ty = self.plain_ty(ty);
        self.op(Op::GroupNonUniformQuadSwap, ty, &[scope, value, direction])
    }

    /// The first 64 bits of a mask of four words, as one number.
    pub(super) fn half_of_mask(&mut self, mask: Id) -> Id {
        let half = self.shuffle(mask, Num::vector(Scalar::Uint, 4), &[0, 1]);
        let ty = self.num_ty(Num::scalar(Scalar::Uint64));
        self.op(Op::Bitcast, ty, &[half])
    }

    fn subgroup_capability(&mut self, op: Op, operation: Option<GroupOperation>) {
        let (capability, extension) = needs(op, operation);
        self.out.capability(capability);
        match extension {
            Some(extension) => self.out.extension(extension),
            None => self.out.capability(Capability::GroupNonUniform),
        }
    }
}

/// Whether an instruction names its scope; those of vendors' extensions always mean a subgroup,
/// or a quad.
fn has_scope(op: Op) -> bool {
    !matches!(
        op,
        Op::GroupNonUniformQuadAllKHR
            | Op::GroupNonUniformQuadAnyKHR
            | Op::GroupNonUniformPartitionEXT
            | Op::SubgroupBallotKHR
            | Op::SubgroupReadInvocationKHR
            | Op::SubgroupFirstInvocationKHR
    )
}

/// The part of the feature that an instruction belongs to, and an extension if it is one's.
fn needs(op: Op, operation: Option<GroupOperation>) -> (Capability, Option<&'static str>) {
    const PARTITIONS: Option<&str> = Some("SPV_NV_shader_subgroup_partitioned");
    use GroupOperation as G;
    let core = match op {
        Op::SubgroupBallotKHR | Op::SubgroupReadInvocationKHR | Op::SubgroupFirstInvocationKHR => {
            return (Capability::SubgroupBallotKHR, Some("SPV_KHR_shader_ballot"));
        }
        Op::GroupIAdd
        | Op::GroupSMin
        | Op::GroupSMax
        | Op::GroupIAddNonUniformAMD
        | Op::GroupSMinNonUniformAMD
        | Op::GroupSMaxNonUniformAMD => return (Capability::Groups, Some("SPV_AMD_shader_ballot")),
        Op::GroupNonUniformQuadAllKHR | Op::GroupNonUniformQuadAnyKHR => {
            return (Capability::QuadControlKHR, Some("SPV_KHR_quad_control"));
        }
        Op::GroupNonUniformRotateKHR => {
            return (Capability::GroupNonUniformRotateKHR, Some("SPV_KHR_subgroup_rotate"));
        }
        Op::GroupNonUniformPartitionEXT => return (Capability::GroupNonUniformPartitionedEXT, PARTITIONS),
        Op::GroupNonUniformElect => Capability::GroupNonUniform,
        Op::GroupNonUniformAll | Op::GroupNonUniformAny | Op::GroupNonUniformAllEqual => {
            Capability::GroupNonUniformVote
        }
        Op::GroupNonUniformShuffle | Op::GroupNonUniformShuffleXor => Capability::GroupNonUniformShuffle,
        Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown => {
            Capability::GroupNonUniformShuffleRelative
        }
        Op::GroupNonUniformQuadBroadcast | Op::GroupNonUniformQuadSwap => Capability::GroupNonUniformQuad,
        Op::GroupNonUniformIAdd
        | Op::GroupNonUniformIMul
        | Op::GroupNonUniformSMin
        | Op::GroupNonUniformSMax
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformBitwiseXor => match operation {
            Some(G::ClusteredReduce) => Capability::GroupNonUniformClustered,
            Some(
                G::PartitionedReduceEXT | G::PartitionedInclusiveScanEXT | G::PartitionedExclusiveScanEXT,
            ) => return (Capability::GroupNonUniformPartitionedEXT, PARTITIONS),
            _ => Capability::GroupNonUniformArithmetic,
        },
        _ => Capability::GroupNonUniformBallot,
    };
    (core, None)
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
        (Op::GroupIAdd, Family::Float) => Op::GroupFAdd,
        (Op::GroupSMin, Family::Float) => Op::GroupFMin,
        (Op::GroupSMin, Family::Unsigned) => Op::GroupUMin,
        (Op::GroupSMax, Family::Float) => Op::GroupFMax,
        (Op::GroupSMax, Family::Unsigned) => Op::GroupUMax,
        (Op::GroupIAddNonUniformAMD, Family::Float) => Op::GroupFAddNonUniformAMD,
        (Op::GroupSMinNonUniformAMD, Family::Float) => Op::GroupFMinNonUniformAMD,
        (Op::GroupSMinNonUniformAMD, Family::Unsigned) => Op::GroupUMinNonUniformAMD,
        (Op::GroupSMaxNonUniformAMD, Family::Float) => Op::GroupFMaxNonUniformAMD,
        (Op::GroupSMaxNonUniformAMD, Family::Unsigned) => Op::GroupUMaxNonUniformAMD,
        (Op::GroupNonUniformBitwiseAnd, Family::Bool) => Op::GroupNonUniformLogicalAnd,
        (Op::GroupNonUniformBitwiseOr, Family::Bool) => Op::GroupNonUniformLogicalOr,
        (Op::GroupNonUniformBitwiseXor, Family::Bool) => Op::GroupNonUniformLogicalXor,
        _ => op,
    }
}
