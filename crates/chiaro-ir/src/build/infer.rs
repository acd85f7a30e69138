//! The type of a result, from the operands.

use super::Builder;
use crate::id::Value;
use crate::op::{Op, Query, Shape};
use crate::ty::{Ty, Type};
use crate::typing::{extent, part_at};

/// What an operation gives.
pub(super) enum Results {
    None,
    One(Ty),
    /// The operands do not decide it, or are not what the operation takes.
    Unknown,
}

impl Builder<'_> {
    /// The results of an operation with such operands. Whether they are fit is not looked at.
    pub(super) fn infer(&mut self, op: Op, args: &[Value]) -> Results {
        let ty = match op.info().shape {
            Shape::Same(_) | Shape::Shift => self.arg_ty(args, 0),
            Shape::Compare | Shape::Test => self.arg_ty(args, 0).map(|ty| self.bools_for(ty)),
            Shape::Fold => Some(self.bool_ty()),
            Shape::Dot => self.arg_ty(args, 0).map(|ty| self.types().scalar(ty)),
            Shape::Select => self.arg_ty(args, 1),
            Shape::Convert if op == Op::FFrexpExponent => self.arg_ty(args, 0).map(|ty| {
                let i32 = self.int_ty(32);
                self.like(ty, i32)
            }),
            Shape::Convert => None,
            Shape::Special => return self.infer_special(op, args),
        };
        ty.map_or(Results::Unknown, Results::One)
    }

    fn arg_ty(&self, args: &[Value], i: usize) -> Option<Ty> {
        args.get(i).map(|&value| self.ty(value))
    }

    fn bool_ty(&mut self) -> Ty {
        self.types().intern(Type::Bool)
    }

    /// The type of integers of a width.
    pub fn int_ty(&mut self, bits: u8) -> Ty {
        self.types().intern(Type::Int(bits))
    }

    /// The type of floats of a width.
    pub fn float_ty(&mut self, bits: u8) -> Ty {
        self.types().intern(Type::Float(bits))
    }

    /// As many of a scalar as a type has components.
    pub(super) fn like(&mut self, ty: Ty, scalar: Ty) -> Ty {
        let n = self.types().components(ty);
        self.types().vector(scalar, n.max(1))
    }

    fn bools_for(&mut self, ty: Ty) -> Ty {
        let bool = self.bool_ty();
        self.like(ty, bool)
    }

    fn infer_special(&mut self, op: Op, args: &[Value]) -> Results {
        use Op::*;
        let ty = match op {
            Store | Copy | AtomicStore(..) | ImageWrite | ControlBarrier(..) | MemoryBarrier(..)
            | Print(_) | Trap(_) => {
                return Results::None;
            }
            BeginOrdered | EndOrdered | Demote | EmitVertex(_) | EndPrimitive(_) | TraceRay
            | ExecuteCallable => return Results::None,
            BitInsert | BitExtractU | BitExtractS | Insert(_) | InsertDyn => self.arg_ty(args, 0),
            Broadcast | BroadcastFirst | LaneShuffle | LaneXor | LaneUp | LaneDown | LaneRotate(_)
            | LaneCombine(..) | QuadBroadcast | QuadSwap(_) => self.arg_ty(args, 0),
            Elect | VoteAll | VoteAny | VoteEqual | InverseBallot | BallotBit | IsHelper | ReportHit => {
                Some(self.bool_ty())
            }
            BallotCount(_) | BallotLsb | BallotMsb | ArrayLength(_) => Some(self.int_ty(32)),
            ImageQuery(Query::Levels | Query::Samples) => Some(self.int_ty(32)),
            Ballot => self.ints(4),
            Clock(_) => self.ints(2),
            Extract(n) => self.arg_ty(args, 0).and_then(|ty| self.types().part(ty, n)),
            ExtractDyn => self.arg_ty(args, 0).map(|ty| self.types().scalar(ty)),
            Load | Interpolate(_) | Atomic(..) | AtomicCompare(..) | AtomicLoad(..) => self.pointee(args),
            Access => self.infer_access(args),
            Call(callee) => {
                let Some(callee) = self.module.functions.get(callee.0 as usize) else {
                    return Results::Unknown;
                };
                return self.returns(callee.result);
            }
            CallIndirect => return self.infer_call(args),
            _ => self.infer_image(op, args),
        };
        ty.map_or(Results::Unknown, Results::One)
    }

    fn ints(&mut self, n: u8) -> Option<Ty> {
        let i32 = self.int_ty(32);
        Some(self.types().vector(i32, n))
    }

    fn pointee(&mut self, args: &[Value]) -> Option<Ty> {
        let ty = self.arg_ty(args, 0)?;
        self.types().pointee(ty).map(|(_, ty)| ty)
    }

    fn infer_access(&mut self, args: &[Value]) -> Option<Ty> {
        let ty = self.arg_ty(args, 0)?;
        let (space, mut ty) = self.types().pointee(ty)?;
        for &index in &args[1..] {
            ty = part_at(self.module, self.function(), ty, index)?;
        }
        Some(self.types().intern(Type::Pointer(space, ty)))
    }

    fn infer_call(&mut self, args: &[Value]) -> Results {
        match self.arg_ty(args, 0).map(|ty| self.module.types.get(ty)) {
            Some(Type::Function(_, result)) => self.returns(*result),
            _ => Results::Unknown,
        }
    }

    fn returns(&self, ty: Ty) -> Results {
        if *self.module.types.get(ty) == Type::Void { Results::None } else { Results::One(ty) }
    }

    fn infer_image(&mut self, op: Op, args: &[Value]) -> Option<Ty> {
        let ty = self.arg_ty(args, 0)?;
        let ty = self.types().pointee(ty).map_or(ty, |(_, ty)| ty);
        let (Type::Image(image) | Type::SampledImage(image)) = *self.types().get(ty) else { return None };
        match op {
            Op::SampledImage => Some(self.types().intern(Type::SampledImage(image))),
            Op::ImageOf => Some(self.types().intern(Type::Image(image))),
            Op::Sample(s) if s.reference && !s.gather => Some(image.component),
            Op::Sample(_) | Op::Fetch | Op::ImageRead => Some(self.types().vector(image.component, 4)),
            Op::TexelPointer => {
                Some(self.types().intern(Type::Pointer(crate::Space::Image, image.component)))
            }
            Op::ImageQuery(Query::Lod) => {
                let f32 = self.float_ty(32);
                Some(self.types().vector(f32, 2))
            }
            Op::ImageQuery(_) => {
                let faces = image.dim == crate::Dim::Cube;
                let n = if faces { 2 } else { extent(image.dim) } + u8::from(image.arrayed);
                self.ints(n)
            }
            _ => None,
        }
    }
}
