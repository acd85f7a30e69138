//! Rays: queries of acceleration structures.

use chiaro_words::write::Id;
use spirv::{ImageFormat, Op, StorageClass};

use crate::hir::{ExprId, LocalId};
use crate::ty::{Opaque, Scalar, Type};

use super::arith::Typed;
use super::function::Slot;
use super::num::Num;
use super::place::Place;
use super::types::Memory;
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

    /// Whether a type is a ray query, or an array of some.
    pub(super) fn is_ray_query(&self, ty: &Type) -> bool {
        match *ty {
            Type::Array(element, _) => self.is_ray_query(&self.what(element)),
            _ => *ty == Type::Opaque(Opaque::RayQuery),
        }
    }

    /// A ray query of a function is a variable of the module, so that functions which it is
    /// handed to can name it. No function runs twice at the same time.
    pub(super) fn ray_query_variable(&mut self, local: LocalId, ty: Type) -> Place {
        let value = self.plain_ty(&ty);
        let pointer = self.out.pointer(StorageClass::Private, value);
        let id = self.out.variable(StorageClass::Private, pointer);
        self.touched.push(id);
        let place = Place::variable(id, StorageClass::Private, ty, Memory::Plain, ImageFormat::Unknown);
        if let Some(slot) = self.body.slots.get_mut(local.0 as usize) {
            *slot = Slot::Place(place.clone());
        }
        place
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

    /// A ray or a call, with the place of what goes with it.
    pub(super) fn send(&mut self, op: Op, args: &[ExprId]) -> Id {
        let Some((&data, rest)) = args.split_last() else { return self.fail("arguments are expected") };
        self.need(needs::of_instruction(op));
        let mut operands: Vec<Id> = rest.iter().map(|&arg| self.value(arg)).collect();
        operands.push(self.place(data).base);
        self.effect(op, &operands);
        0
    }

    /// Ends the invocation in the middle of an expression: what follows in it is never reached.
    pub(super) fn end_here(&mut self, op: Op, operands: &[Id]) -> Id {
        self.end(op, operands);
        let rest = self.out.fresh();
        self.begin(rest);
        0
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
        self.need_acceleration();
        let ty = self.plain_ty(&Type::Opaque(Opaque::AccelerationStructure));
        if Num::of(&address.ty).is_none() {
            return self.fail("an address is expected");
        }
        self.op(Op::ConvertUToAccelerationStructureKHR, ty, &[address.id])
    }
}
