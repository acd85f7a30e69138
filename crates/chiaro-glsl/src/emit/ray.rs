//! Rays: queries of acceleration structures.

use chiaro_words::write::Id;
use spirv::Op;

use crate::hir::ExprId;
use crate::ty::{Scalar, Type};

use super::arith::Typed;
use super::num::Num;
use super::{Emitter, needs};

impl Emitter<'_> {
    /// A function of a ray query; the first argument is the query's place.
    pub(super) fn ray_query(&mut self, op: Op, args: &[ExprId], ty: &Type) -> Id {
        let Some((&query, rest)) = args.split_first() else { return self.fail("a ray query is expected") };
        self.need(needs::of_instruction(Op::TypeRayQueryKHR));
        self.need(needs::of_instruction(op));
        let place = self.place(query);
        let mut operands = vec![self.pointer(&place)];
        for &arg in rest {
            let value = self.typed(arg);
            operands.push(self.intersection(value));
        }
        if *ty == Type::Void {
            self.effect(op, &operands);
            return 0;
        }
        let ty = self.plain_ty(ty);
        self.op(op, ty, &operands)
    }

    /// Which intersection is meant: the language says it with a constant bool, SPIR-V with 0 for
    /// the candidate and 1 for the committed one.
    fn intersection(&mut self, value: Typed) -> Id {
        if value.ty != Type::Scalar(Scalar::Bool) {
            return value.id;
        }
        let yes = self.constant(&value.ty, &[1]);
        let committed = u32::from(value.id == yes);
        self.out.uint(committed)
    }

    /// The corners of the triangle that was hit.
    pub(super) fn ray_positions(&mut self, args: &[ExprId]) -> Id {
        let [query, which, corners] = *args else { return self.fail("three arguments are expected") };
        let to = self.what(self.program.exprs[corners.0 as usize].ty);
        let op = Op::RayQueryGetIntersectionTriangleVertexPositionsKHR;
        let value = self.ray_query(op, &[query, which], &to);
        let place = self.place(corners);
        self.store(&place, value);
        0
    }

    /// An acceleration structure of its address, which comes as two halves or as one number.
    pub(super) fn acceleration_structure(&mut self, address: Typed) -> Id {
        self.need(needs::of_instruction(Op::TypeAccelerationStructureKHR));
        let ty = self.plain_ty(&Type::Opaque(crate::ty::Opaque::AccelerationStructure));
        if Num::of(&address.ty).is_none() {
            return self.fail("an address is expected");
        }
        self.op(Op::ConvertUToAccelerationStructureKHR, ty, &[address.id])
    }
}
