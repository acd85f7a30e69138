//! Calls: of functions by their ids, and of what pointers lead to (`SPV_INTEL_function_pointers`).
//!
//! Pointers to functions are numbers of 64 bits in the IR, so that variables, buffers and phis hold them like any other;
//! at a call the number becomes a function of the pointer's signature.

use crate::body::Body;
use crate::error::{Res, fail};
use crate::ids::Id;
use crate::type_info::Kind;
use crate::words::Inst;
use chiaro_ir::{Op, Ty, Type, Value};

impl Body<'_, '_> {
    /// A call of a function by its id.
    pub(crate) fn call(&mut self, inst: &Inst<'_>) -> Res<()> {
        let Id::Function(callee, result) = self.r.id(inst.word(2)?)? else {
            return fail("a function is expected");
        };
        let (ty, value) = self.result_ty(inst)?;
        if ty != result {
            return fail("the call's type is not the function's result");
        }
        let args = self.operands(inst, 3)?;
        self.call_by(inst, Op::Call(callee), &args, value)
    }

    /// A call of what a pointer leads to.
    pub(crate) fn call_pointer(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (pointer, of) = self.typed(inst.word(2)?)?;
        let Kind::Code(signature) = self.r.info(of).kind else {
            return fail("a pointer to a function is expected");
        };
        let signature = self.r.info(self.r.type_of_id(signature)?);
        let (ty, value) = self.result_ty(inst)?;
        if !matches!(signature.kind, Kind::Function(result, _) if result == ty) {
            return fail("the call's type is not the function's result");
        }
        let mut args = vec![self.op(Op::Bitcast, &[pointer], signature.value)];
        args.extend(self.operands(inst, 3)?);
        self.call_by(inst, Op::CallIndirect, &args, value)
    }

    fn call_by(&mut self, inst: &Inst<'_>, op: Op, args: &[Value], result: Ty) -> Res<()> {
        if matches!(self.r.module.types.get(result), Type::Void) {
            self.push(op, args, &[]);
            return self.define(inst.word(1)?, Id::Ignored);
        }
        let v = self.op(op, args, result);
        self.set(inst, v)
    }
}
