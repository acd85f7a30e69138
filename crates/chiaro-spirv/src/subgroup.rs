//! What lanes do together: atomics, barriers, subgroup operations, rays.

use crate::body::Body;
use crate::error::{Res, fail};
use crate::ids::Id;
use crate::words::Inst;
use crate::words::between;
use chiaro_ir::{Combine, Group, Op, Scope, Semantics, Space, Value};
use spirv::{GroupOperation, Op as S};

impl Body<'_, '_> {
    /// The scope that a constant names.
    pub(crate) fn scope(&self, id: u32) -> Res<Scope> {
        let n = self.r.constant_u32(id)?;
        match Scope::NAMES.get(n as usize) {
            Some((scope, _)) => Ok(*scope),
            None => fail(format!("scope {n} is unknown")),
        }
    }

    fn semantics(&self, id: u32) -> Res<Semantics> {
        self.r.constant_u32(id).map(Semantics)
    }

    /// Emits an atomic instruction.
    pub(crate) fn atomic(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        if op == S::AtomicStore {
            let (scope, semantics) = (self.scope(inst.word(1)?)?, self.semantics(inst.word(2)?)?);
            let args = [self.operand(inst, 0)?, self.operand(inst, 3)?];
            self.flags = chiaro_ir::Flags::default();
            self.push(Op::AtomicStore(scope, semantics), &args, &[]);
            return Ok(());
        }
        let (_, ty) = self.result_ty(inst)?;
        let place = self.operand(inst, 2)?;
        let (scope, semantics) = (self.scope(inst.word(3)?)?, self.semantics(inst.word(4)?)?);
        let v = match op {
            S::AtomicLoad => self.op(Op::AtomicLoad(scope, semantics), &[place], ty),
            S::AtomicCompareExchange | S::AtomicCompareExchangeWeak => {
                let args = [place, self.operand(inst, 6)?, self.operand(inst, 7)?];
                self.op(Op::AtomicCompare(scope, semantics), &args, ty)
            }
            _ => {
                let (combine, operand) = self.update(inst, op, ty)?;
                self.op(Op::Atomic(combine, scope, semantics), &[place, operand], ty)
            }
        };
        self.set(inst, v)
    }

    /// How an atomic instruction updates, and with what.
    fn update(&mut self, inst: &Inst<'_>, op: S, ty: chiaro_ir::Ty) -> Res<(Combine, Value)> {
        let combine = match op {
            S::AtomicIIncrement => return Ok((Combine::IAdd, self.bits(1, ty)?)),
            S::AtomicIDecrement => return Ok((Combine::IAdd, self.bits(u64::MAX, ty)?)),
            S::AtomicISub => {
                let v = self.operand(inst, 5)?;
                return Ok((Combine::IAdd, self.same(Op::INeg, &[v])));
            }
            S::AtomicExchange => Combine::Exchange,
            S::AtomicIAdd => Combine::IAdd,
            S::AtomicSMin => Combine::SMin,
            S::AtomicUMin => Combine::UMin,
            S::AtomicSMax => Combine::SMax,
            S::AtomicUMax => Combine::UMax,
            S::AtomicAnd => Combine::And,
            S::AtomicOr => Combine::Or,
            S::AtomicXor => Combine::Xor,
            S::AtomicFAddEXT => Combine::FAdd,
            S::AtomicFMinEXT => Combine::FMin,
            S::AtomicFMaxEXT => Combine::FMax,
            _ => return fail(format!("Op{op:?} is not supported")),
        };
        Ok((combine, self.operand(inst, 5)?))
    }

    /// Emits `OpControlBarrier` or `OpMemoryBarrier`.
    pub(crate) fn barrier(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        self.flags = chiaro_ir::Flags::default();
        let op = if op == S::ControlBarrier {
            Op::ControlBarrier(
                self.scope(inst.word(0)?)?,
                self.scope(inst.word(1)?)?,
                self.semantics(inst.word(2)?)?,
            )
        } else {
            Op::MemoryBarrier(self.scope(inst.word(0)?)?, self.semantics(inst.word(1)?)?)
        };
        self.push(op, &[], &[]);
        Ok(())
    }

    /// Emits a subgroup instruction, of SPIR-V 1.3 or of the extensions before it.
    pub(crate) fn subgroup(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        use S::*;
        let (_, ty) = self.result_ty(inst)?;
        // The extensions' instructions have no scope.
        let (op, first) = match op {
            SubgroupBallotKHR => (GroupNonUniformBallot, 2),
            SubgroupFirstInvocationKHR => (GroupNonUniformBroadcastFirst, 2),
            SubgroupAllKHR => (GroupNonUniformAll, 2),
            SubgroupAnyKHR => (GroupNonUniformAny, 2),
            SubgroupAllEqualKHR => (GroupNonUniformAllEqual, 2),
            SubgroupReadInvocationKHR => (GroupNonUniformBroadcast, 2),
            GroupNonUniformQuadAllKHR | GroupNonUniformQuadAnyKHR => {
                return self.quad_vote(inst, op == GroupNonUniformQuadAllKHR);
            }
            _ => (op, 3),
        };
        let (group, args) = match op {
            GroupNonUniformElect => (Op::Elect, 0),
            GroupNonUniformAll => (Op::VoteAll, 1),
            GroupNonUniformAny => (Op::VoteAny, 1),
            GroupNonUniformAllEqual => (Op::VoteEqual, 1),
            GroupNonUniformBroadcast => (Op::Broadcast, 2),
            GroupNonUniformBroadcastFirst => (Op::BroadcastFirst, 1),
            GroupNonUniformBallot => (Op::Ballot, 1),
            GroupNonUniformInverseBallot => (Op::InverseBallot, 1),
            GroupNonUniformBallotBitExtract => (Op::BallotBit, 2),
            GroupNonUniformBallotFindLSB => (Op::BallotLsb, 1),
            GroupNonUniformBallotFindMSB => (Op::BallotMsb, 1),
            GroupNonUniformShuffle => (Op::LaneShuffle, 2),
            GroupNonUniformShuffleXor => (Op::LaneXor, 2),
            GroupNonUniformShuffleUp => (Op::LaneUp, 2),
            GroupNonUniformShuffleDown => (Op::LaneDown, 2),
            GroupNonUniformQuadBroadcast => (Op::QuadBroadcast, 2),
            GroupNonUniformRotateKHR => (Op::LaneRotate(self.cluster(inst, 5)?), 2),
            GroupNonUniformQuadSwap => (Op::QuadSwap(self.r.constant_u32(inst.word(4)?)?.min(255) as u8), 1),
            GroupNonUniformBallotBitCount => {
                let (group, mask) = (self.group(inst, 3)?, self.operand(inst, 4)?);
                let v = self.op(Op::BallotCount(group), &[mask], ty);
                return self.set(inst, v);
            }
            _ => {
                let (combine, group) = (combination(op)?, self.group(inst, 3)?);
                let v = self.operand(inst, 4)?;
                let (op, bits) = (Op::LaneCombine(combine, group), self.r.module.types.bits(ty));
                let v = if bits == Some(8) { self.on_bytes(op, &[v], ty)? } else { self.op(op, &[v], ty) };
                return self.set(inst, v);
            }
        };
        let mut operands = [Value(0); 2];
        for (i, operand) in operands.iter_mut().take(args).enumerate() {
            *operand = self.operand(inst, first + i)?;
        }
        let v = self.op(group, &operands[..args], ty);
        self.set(inst, v)
    }

    /// Whether a bool is true in all, or in one, of the lanes of the quad.
    fn quad_vote(&mut self, inst: &Inst<'_>, all: bool) -> Res<()> {
        let mut v = self.operand(inst, 2)?;
        for direction in [0, 1] {
            let other = self.same(Op::QuadSwap(direction), &[v]);
            v = self.same(if all { Op::And } else { Op::Or }, &[v, other]);
        }
        self.set(inst, v)
    }

    /// The size of a cluster that operand word `i` may name; 0 for the subgroup.
    fn cluster(&self, inst: &Inst<'_>, i: usize) -> Res<u8> {
        match inst.word(i) {
            Ok(id) => match self.r.constant_u32(id)? {
                n @ 1..=128 if n.is_power_of_two() => Ok(n as u8),
                n => fail(format!("clusters of {n} lanes are not supported")),
            },
            Err(_) => Ok(0),
        }
    }

    fn group(&self, inst: &Inst<'_>, i: usize) -> Res<Group> {
        match GroupOperation::from_u32(inst.word(i)?) {
            Some(GroupOperation::Reduce) => Ok(Group::Reduce),
            Some(GroupOperation::InclusiveScan) => Ok(Group::Inclusive),
            Some(GroupOperation::ExclusiveScan) => Ok(Group::Exclusive),
            Some(GroupOperation::ClusteredReduce) => Ok(Group::Clustered(self.cluster(inst, i + 2)?.max(1))),
            _ => fail("the group operation is not supported"),
        }
    }

    /// Emits an instruction of ray tracing or ray queries; whether it was one.
    pub(crate) fn ray(&mut self, inst: &Inst<'_>, op: S) -> Res<bool> {
        match op {
            S::TraceRayKHR | S::TraceNV => {
                let mut args = self.operands(inst, 0)?;
                if op == S::TraceNV && args.len() == 11 {
                    args[10] = self.by_location(inst.word(10)?, [Space::Payload, Space::IncomingPayload])?;
                }
                self.push(Op::TraceRay, &args, &[]);
            }
            S::ExecuteCallableKHR | S::ExecuteCallableNV => {
                let mut args = self.operands(inst, 0)?;
                if op == S::ExecuteCallableNV && args.len() == 2 {
                    args[1] =
                        self.by_location(inst.word(1)?, [Space::CallableData, Space::IncomingCallableData])?;
                }
                self.push(Op::ExecuteCallable, &args, &[]);
            }
            S::ReportIntersectionKHR => {
                let (args, (_, ty)) = (self.operands(inst, 2)?, self.result_ty(inst)?);
                let v = self.op(Op::ReportHit, &args, ty);
                self.set(inst, v)?;
            }
            S::IgnoreIntersectionNV | S::TerminateRayNV => {
                self.push(Op::EndHit(op == S::TerminateRayNV), &[], &[]);
                self.ended = true;
            }
            _ if is_query(op) => self.ray_query(inst, op)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The variable with the location that a constant names, in one of two spaces.
    fn by_location(&mut self, id: u32, spaces: [Space; 2]) -> Res<Value> {
        let location = self.r.constant_u32(id)?;
        let globals = self.r.module.globals.iter();
        let fits = |g: &chiaro_ir::Global| spaces.contains(&g.space) && g.binding.location == Some(location);
        let Some(found) = globals.clone().position(fits) else {
            return fail(format!("no variable has the location {location}"));
        };
        let address = self.r.module.address(chiaro_ir::GlobalRef(found as u32));
        Ok(self.known(address))
    }

    fn ray_query(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        use S::{
            RayQueryConfirmIntersectionKHR, RayQueryGenerateIntersectionKHR, RayQueryInitializeKHR,
            RayQueryTerminateKHR,
        };
        let newer = chiaro_words::grammar::is_of_newer_rays(op);
        let silent = newer && chiaro_words::grammar::shape(op) == Some("i*")
            || matches!(
                op,
                RayQueryInitializeKHR
                    | RayQueryTerminateKHR
                    | RayQueryGenerateIntersectionKHR
                    | RayQueryConfirmIntersectionKHR
            );
        let args = self.operands(inst, if silent { 0 } else { 2 })?;
        if silent {
            self.flags = chiaro_ir::Flags::default();
            self.push(Op::RayQuery(inst.op), &args, &[]);
            return Ok(());
        }
        let (ty, value) = self.result_ty(inst)?;
        let v = self.op(Op::RayQuery(inst.op), &args, value);
        self.define(inst.word(1)?, Id::Value(v, ty, false))
    }
}

fn is_query(op: S) -> bool {
    let newer = chiaro_words::grammar::is_of_newer_rays(op);
    newer
        || between(op, S::RayQueryInitializeKHR, S::RayQueryGetIntersectionTypeKHR)
        || between(op, S::RayQueryGetRayTMinKHR, S::RayQueryGetIntersectionWorldToObjectKHR)
        || op == S::RayQueryGetIntersectionTriangleVertexPositionsKHR
}

fn combination(op: S) -> Res<Combine> {
    use S::*;
    Ok(match op {
        GroupNonUniformIAdd => Combine::IAdd,
        GroupNonUniformFAdd => Combine::FAdd,
        GroupNonUniformIMul => Combine::IMul,
        GroupNonUniformFMul => Combine::FMul,
        GroupNonUniformSMin => Combine::SMin,
        GroupNonUniformUMin => Combine::UMin,
        GroupNonUniformFMin => Combine::FMin,
        GroupNonUniformSMax => Combine::SMax,
        GroupNonUniformUMax => Combine::UMax,
        GroupNonUniformFMax => Combine::FMax,
        GroupNonUniformBitwiseAnd | GroupNonUniformLogicalAnd => Combine::And,
        GroupNonUniformBitwiseOr | GroupNonUniformLogicalOr => Combine::Or,
        GroupNonUniformBitwiseXor | GroupNonUniformLogicalXor => Combine::Xor,
        _ => return fail(format!("Op{op:?} is not supported")),
    })
}
