//! Rays: queries of acceleration structures.

use chiaro_words::newer;
use chiaro_words::write::{Id, Part};
use spirv::{ImageFormat, Op, StorageClass};

use crate::hir::{ExprId, LocalId, Switch};
use crate::token::Symbol;
use crate::ty::{Opaque, Scalar, Type};

use super::arith::Typed;
use super::emitter::Emitter;
use super::needs;
use super::state::{Memory, Place, Slot};
use crate::numeric::Num;

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

    /// Whether a type is a ray query or a hit object, or an array of some.
    pub(super) fn is_ray_handle(&self, ty: &Type) -> bool {
        match *ty {
            Type::Array(element, _) => self.is_ray_handle(&self.what(element)),
            _ => matches!(ty, Type::Opaque(Opaque::RayQuery | Opaque::HitObject(_))),
        }
    }

    /// Whether a variable of the function that is being written is one.
    pub(super) fn holds_ray_handle(&self, local: LocalId) -> bool {
        let functions = &self.program.functions;
        let locals = self.body.function.map(|function| &functions[function.0 as usize].locals);
        let declared = locals.and_then(|locals| locals.get(local.0 as usize));
        declared.is_some_and(|declared| self.is_ray_handle(&self.what(declared.ty)))
    }

    /// A ray query or hit object of a function is a variable of the module, so that functions
    /// which it is handed to can name it. No function runs twice at the same time.
    pub(super) fn ray_variable(&mut self, local: LocalId, name: Symbol, ty: Type) -> Place {
        let value = self.plain_ty(&ty);
        let pointer = self.out.pointer(StorageClass::Private, value);
        let id = self.out.variable(StorageClass::Private, pointer);
        self.out.name(id, self.symbols.text(name));
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

    /// The mode that says whether ray queries look at opacity micromaps.
    pub(super) fn opacity_micromaps(&mut self, main: Id, switch: Switch) {
        self.out.copy(Op::Capability, &[newer::OPACITY_MICROMAPS_CAPABILITY]);
        self.out.extension("SPV_KHR_opacity_micromap");
        let value = match switch {
            Switch::Fixed(on) => self.constant(&Type::Scalar(Scalar::Bool), &[u64::from(on)]),
            Switch::Spec(spec) => self.specs.get(spec.0 as usize).copied().unwrap_or_default(),
        };
        self.out.push(Part::ExecutionMode, Op::ExecutionModeId, &[main, newer::OPACITY_MICROMAPS, value]);
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

    /// Several numbers of what was hit, which one instruction gives at once: they go to the last
    /// argument.
    pub(super) fn ray_parts(
        &mut self,
        args: &[ExprId],
        get: impl FnOnce(&mut Self, &[ExprId], &Type) -> Id,
    ) -> Id {
        let Some((&parts, values)) = args.split_last() else { return self.fail("arguments are expected") };
        let to = self.what(self.program.exprs[parts.0 as usize].ty);
        let value = get(self, values, &to);
        let place = self.place(parts);
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
