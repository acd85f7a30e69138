//! Atomic functions, barriers, votes.

use chiaro_words::write::Id;
use spirv::{Capability, MemorySemantics as Semantics, Op, Scope, StorageClass};

use crate::hir::ExprId;
use crate::intrinsic::{Atomic, Intrinsic};
use crate::ty::{Family, Scalar, Type};

use super::emitter::Emitter;
use crate::numeric::Num;

/// Scope and order of an atomic function; a comparison that fails may have another order.
#[derive(Clone, Copy)]
pub(super) struct Ordering {
    scope: Id,
    equal: Id,
    unequal: Id,
}

/// What an atomic function works on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) pointer: Id,
    /// The type there.
    pub(super) num: Num,
    pub(super) class: StorageClass,
}

impl Emitter<'_> {
    /// On a buffer or shared variable, or on a counter.
    pub(super) fn atomic(&mut self, atomic: Atomic, args: &[ExprId], ty: &Type) -> Id {
        let [place, ref rest @ ..] = *args else { return self.fail("a variable is expected") };
        let mut place = self.place(place);
        // A component of a vector is memory of its own.
        if let (Some((components, 1)), Type::Vector(scalar, _)) = (place.pick.take(), place.ty) {
            let index = self.out.uint(components[0].into());
            place.chain.push(super::state::Link::fixed(index));
            place.ty = Type::Scalar(scalar);
        }
        let num = Num::of(&place.ty).unwrap_or(Num::UINT);
        let (values, ordering) = self.atomic_operands(atomic, rest);
        let pointer = self.pointer(&place);
        let target = Target { pointer, num, class: place.class };
        self.atomic_at(atomic, target, &values, ordering, ty)
    }

    /// An atomic function of what a pointer leads to.
    pub(super) fn atomic_at(
        &mut self,
        atomic: Atomic,
        Target { pointer, num, class }: Target,
        values: &[Id],
        ordering: Option<Ordering>,
        ty: &Type,
    ) -> Id {
        let scalar = num.scalar;
        if scalar.bits() == 64 && scalar.family() != Family::Float {
            self.out.capability(Capability::Int64Atomics);
        }
        let widest = self.widest_scope();
        let scope = if class == StorageClass::Workgroup { Scope::Workgroup } else { widest };
        let relaxed = self.out.uint(0);
        let ordering = match ordering {
            Some(ordering) => ordering,
            None => Ordering { scope: self.out.uint(scope as u32), equal: relaxed, unequal: relaxed },
        };
        let mut operands = vec![pointer, ordering.scope, ordering.equal];
        let op = if num.is_scalar() { self.atomic_op(atomic, scalar) } else { self.halves_op(atomic) };
        match (atomic, values) {
            (Atomic::CompareSwap, &[comparator, value, ..]) => {
                operands.extend([ordering.unequal, value, comparator]);
            }
            (Atomic::CompareSwap, _) => return self.fail("a comparator and a value are expected"),
            _ => operands.extend(values.first()),
        }
        if atomic == Atomic::Store {
            self.effect(op, &operands);
            return 0;
        }
        let result = self.num_ty(num);
        let old = self.op(op, result, &operands);
        if atomic == Atomic::Decrement {
            let one = self.number(Num::scalar(scalar), 1);
            return self.op(Op::ISub, result, &[old, one]);
        }
        if *ty == Type::Void { 0 } else { old }
    }

    /// Values, and what stands behind them: perhaps a scope, the storage and the order. A
    /// comparison has storage and order a second time, for when it fails.
    pub(super) fn atomic_operands(&mut self, atomic: Atomic, rest: &[ExprId]) -> (Vec<Id>, Option<Ordering>) {
        let own = match atomic {
            Atomic::CompareSwap => 2,
            Atomic::Load | Atomic::Increment | Atomic::Decrement => 0,
            _ => 1,
        };
        let (values, ordering) = rest.split_at(own.min(rest.len()));
        let values = values.iter().map(|&r| self.value(r)).collect();
        (values, self.ordering(ordering))
    }

    /// A barrier whose scopes, storage and order are the arguments.
    pub(super) fn scoped_barrier(&mut self, op: Op, args: &[ExprId]) -> Id {
        let [ref scopes @ .., storage, order] = *args else { return self.fail("a scope is expected") };
        let mut operands: Vec<Id> = scopes.iter().map(|&scope| self.scope(scope)).collect();
        operands.push(self.semantics(storage, order));
        self.effect(op, &operands);
        0
    }

    /// What an atomic function says of its scope and order, if it does.
    fn ordering(&mut self, args: &[ExprId]) -> Option<Ordering> {
        match *args {
            [scope, storage, order] => {
                let (scope, equal) = (self.scope(scope), self.semantics(storage, order));
                Some(Ordering { scope, equal, unequal: equal })
            }
            [scope, storage, order, other_storage, other_order] => {
                let (scope, equal) = (self.scope(scope), self.semantics(storage, order));
                let unequal = self.semantics(other_storage, other_order);
                Some(Ordering { scope, equal, unequal })
            }
            _ => None,
        }
    }

    /// An operation of two or four halves. [SPV_NV_shader_atomic_fp16_vector]
    fn halves_op(&mut self, atomic: Atomic) -> Op {
        self.need(super::needs::HALF_ATOMICS);
        match atomic {
            Atomic::Add => Op::AtomicFAddEXT,
            Atomic::Min => Op::AtomicFMinEXT,
            Atomic::Max => Op::AtomicFMaxEXT,
            _ => Op::AtomicExchange,
        }
    }

    fn atomic_op(&mut self, atomic: Atomic, scalar: Scalar) -> Op {
        let signed = scalar.family() == Family::Signed;
        match atomic {
            Atomic::Add if scalar.family() == Family::Float => {
                self.out.extension("SPV_EXT_shader_atomic_float_add");
                self.out.capability(match scalar.bits() {
                    64 => Capability::AtomicFloat64AddEXT,
                    _ => Capability::AtomicFloat32AddEXT,
                });
                Op::AtomicFAddEXT
            }
            Atomic::Add => Op::AtomicIAdd,
            Atomic::Subtract => Op::AtomicISub,
            Atomic::Min if signed => Op::AtomicSMin,
            Atomic::Min => Op::AtomicUMin,
            Atomic::Max if signed => Op::AtomicSMax,
            Atomic::Max => Op::AtomicUMax,
            Atomic::And => Op::AtomicAnd,
            Atomic::Or => Op::AtomicOr,
            Atomic::Xor => Op::AtomicXor,
            Atomic::Exchange => Op::AtomicExchange,
            Atomic::CompareSwap => Op::AtomicCompareExchange,
            Atomic::Increment => Op::AtomicIIncrement,
            Atomic::Decrement => Op::AtomicIDecrement,
            Atomic::Load => Op::AtomicLoad,
            Atomic::Store => Op::AtomicStore,
        }
    }

    pub(super) fn barrier(&mut self, which: Intrinsic) -> Id {
        let buffers = Semantics::UNIFORM_MEMORY;
        let all = buffers | Semantics::WORKGROUP_MEMORY | Semantics::IMAGE_MEMORY;
        let widest = self.widest_scope();
        let (scope, memory) = match which {
            Intrinsic::MemoryBarrierShared => (widest, Semantics::WORKGROUP_MEMORY),
            Intrinsic::MemoryBarrierImage => (widest, Semantics::IMAGE_MEMORY),
            // Counters live in buffers here.
            Intrinsic::MemoryBarrierBuffer | Intrinsic::MemoryBarrierAtomicCounter => (widest, buffers),
            Intrinsic::GroupMemoryBarrier => (Scope::Workgroup, all),
            Intrinsic::Barrier => (Scope::Workgroup, Semantics::WORKGROUP_MEMORY),
            _ => (widest, all),
        };
        let semantics = (memory | Semantics::ACQUIRE_RELEASE).bits();
        let (scope, semantics) = (self.out.uint(scope as u32), self.out.uint(semantics));
        if which == Intrinsic::Barrier {
            self.effect(Op::ControlBarrier, &[scope, scope, semantics]);
        } else {
            self.effect(Op::MemoryBarrier, &[scope, semantics]);
        }
        0
    }

    /// Half of a barrier: the arrival at it, or the wait for the others. Scopes and what is ordered
    /// are the arguments, or those of `barrier()`.
    pub(super) fn split_barrier(&mut self, op: Op, args: &[ExprId]) -> Id {
        self.out.capability(Capability::SplitBarrierINTEL);
        self.out.extension("SPV_INTEL_split_barrier");
        let order = match op {
            Op::ControlBarrierArriveINTEL => Semantics::RELEASE,
            _ => Semantics::ACQUIRE,
        };
        let scope = self.out.uint(Scope::Workgroup as u32);
        let operands = match *args {
            [execution, memory, storage, order] => {
                let scopes = [execution, memory].map(|scope| self.scope(scope));
                let semantics = self.semantics(storage, order);
                [scopes[0], scopes[1], semantics]
            }
            _ => [scope, scope, self.out.uint((Semantics::WORKGROUP_MEMORY | order).bits())],
        };
        self.effect(op, &operands);
        0
    }

    /// What device, workgroup or less a constant of the source means. Where the memory model is
    /// not that of Vulkan, there are no queue families; a device is more than one.
    pub(super) fn scope(&mut self, scope: ExprId) -> Id {
        const QUEUE_FAMILY: u64 = Scope::QueueFamily as u64;
        const DEVICE: u64 = Scope::Device as u64;
        let value = match self.constant_bits(scope) {
            Some(QUEUE_FAMILY) | None => self.widest_scope() as u64,
            Some(value) => value,
        };
        if value == DEVICE && self.by_access {
            self.out.capability(Capability::VulkanMemoryModelDeviceScope);
        }
        self.out.uint(value as u32)
    }

    /// Which memory is ordered, and how, of two constants of the source. Making available and
    /// visible is implied by the order where the memory model is not Vulkan's.
    pub(super) fn semantics(&mut self, storage: ExprId, order: ExprId) -> Id {
        const ORDERS: u64 = 0x2 | 0x4 | 0x8;
        const MEMORIES: u64 = 0x40 | 0x100 | 0x800;
        const SEEN: u64 = 0x2000 | 0x4000;
        let storage = self.constant_bits(storage).unwrap_or(MEMORIES) & MEMORIES;
        let kept = if self.by_access { ORDERS | SEEN } else { ORDERS };
        let order = self.constant_bits(order).unwrap_or(0x8) & kept;
        self.out.uint(if order == 0 { 0 } else { (storage | order) as u32 })
    }

    fn constant_bits(&self, e: ExprId) -> Option<u64> {
        match &self.program.exprs[e.0 as usize].kind {
            crate::hir::ExprKind::Constant(bits) => bits.first().copied(),
            _ => None,
        }
    }

    /// A counter that goes on with time, of the subgroup or of the device.
    pub(super) fn read_clock(&mut self, scope: Scope, ty: &Type) -> Id {
        self.need(super::needs::of_instruction(Op::ReadClockKHR));
        self.out.capability(Capability::Int64);
        let scope = self.out.uint(scope as u32);
        let ty = self.plain_ty(ty);
        self.op(Op::ReadClockKHR, ty, &[scope])
    }

    pub(super) fn vote(&mut self, which: Intrinsic, args: &[ExprId]) -> Id {
        let [value] = *args else { return self.fail("one argument is expected") };
        let value = self.value(value);
        self.out.capability(Capability::GroupNonUniformVote);
        let op = match which {
            Intrinsic::AnyInvocation => Op::GroupNonUniformAny,
            Intrinsic::AllInvocations => Op::GroupNonUniformAll,
            _ => Op::GroupNonUniformAllEqual,
        };
        let scope = self.out.uint(Scope::Subgroup as u32);
        let ty = self.num_ty(Num::BOOL);
        self.op(op, ty, &[scope, value])
    }
}
