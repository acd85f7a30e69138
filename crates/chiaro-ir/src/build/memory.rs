//! Variables, pointers, atomics, images and calls.

use super::{Builder, Results};
use crate::id::{FunctionRef, Value};
use crate::op::{Combine, Op, Sampling, Scope, Semantics};
use crate::ty::{Space, Ty, Type};

impl Builder<'_> {
    /// The type of a pointer.
    pub fn pointer_ty(&mut self, space: Space, to: Ty) -> Ty {
        self.types().intern(Type::Pointer(space, to))
    }

    /// A variable of the function, with a value at the start or none.
    pub fn var(&mut self, ty: Ty, init: Option<Value>) -> Value {
        let pointer = self.pointer_ty(Space::Function, ty);
        self.op_as(Op::Var(Space::Function), init.as_slice(), pointer)
    }

    /// [`Op::Store`].
    pub fn store(&mut self, pointer: Value, value: Value) {
        self.op_void(Op::Store, &[pointer, value]);
    }

    /// [`Op::Copy`].
    pub fn copy(&mut self, to: Value, from: Value) {
        self.op_void(Op::Copy, &[to, from]);
    }

    /// A pointer to a part, by one index a level; the pointer itself for none.
    pub fn access(&mut self, pointer: Value, indices: &[Value]) -> Value {
        if indices.is_empty() {
            return pointer;
        }
        // Hardly any path is longer.
        let mut few = [pointer; 5];
        if let Some(place) = few.get_mut(1..=indices.len()) {
            place.copy_from_slice(indices);
            return self.op(Op::Access, &few[..=indices.len()]);
        }
        let args: Vec<Value> = [pointer].iter().chain(indices).copied().collect();
        self.op(Op::Access, &args)
    }

    /// A pointer to member, element or component `n`.
    pub fn member(&mut self, pointer: Value, n: u32) -> Value {
        let n = self.u32(n);
        self.access(pointer, &[n])
    }

    /// [`Op::Atomic`]; gives the value before.
    pub fn atomic(
        &mut self,
        combine: Combine,
        scope: Scope,
        order: Semantics,
        pointer: Value,
        x: Value,
    ) -> Value {
        self.op(Op::Atomic(combine, scope, order), &[pointer, x])
    }

    /// [`Op::Sample`]: image and coordinate, then the operands that the flags ask for.
    pub fn sample(&mut self, how: Sampling, image: Value, coordinate: Value, more: &[Value]) -> Value {
        let args: Vec<Value> = [image, coordinate].iter().chain(more).copied().collect();
        self.op(Op::Sample(how), &args)
    }

    /// Calls a function; its result if it has one.
    pub fn call(&mut self, callee: FunctionRef, args: &[Value]) -> Option<Value> {
        self.call_op(Op::Call(callee), args)
    }

    /// Calls the function that a value is; its result if it has one.
    pub fn call_indirect(&mut self, callee: Value, args: &[Value]) -> Option<Value> {
        let args: Vec<Value> = [callee].iter().chain(args).copied().collect();
        self.call_op(Op::CallIndirect, &args)
    }

    fn call_op(&mut self, op: Op, args: &[Value]) -> Option<Value> {
        match self.infer(op, args) {
            Results::One(ty) => Some(self.op_as(op, args, ty)),
            Results::None => {
                self.op_void(op, args);
                None
            }
            Results::Unknown => Some(self.wrong(format!("`{}` calls no function", op.info().name))),
        }
    }
}
