//! Constructs, exits and calls: what goes in and what comes out.

use super::{Check, Typing};
use crate::id::{FunctionRef, Inst, Value};
use crate::module::Module;
use crate::op::Op;
use crate::ty::{Ty, Type};

impl Typing<'_> {
    pub(super) fn control(&self, op: Op) -> Check {
        match op {
            Op::Block => self.count(0),
            Op::If => self.condition(),
            Op::Switch => self.selector(),
            Op::Loop => self.carries_params(self.inst, 0),
            _ => self.exit(op),
        }
    }

    fn condition(&self) -> Check {
        self.count(1)?;
        self.arg_is(0, |ty| self.is_bool(ty), "bool")
    }

    fn selector(&self) -> Check {
        self.count(1)?;
        self.arg_is(0, |ty| self.is_index(ty), "an integer")?;
        let bits = self.types.bits(self.arg(0)).unwrap_or(64);
        match self.f.cases(self.inst).find(|&(value, _)| bits < 64 && value >> bits != 0) {
            Some((value, _)) => Err(format!("case {value:#x} does not fit into {bits} bits")),
            None => Ok(()),
        }
    }

    fn exit(&self, op: Op) -> Check {
        self.no_result()?;
        match op {
            Op::Exit(at) => {
                let results = self.f.results(at);
                self.carries("results", results.len(), results)
            }
            Op::Continue(at) => self.carries_params(at, 1),
            Op::Repeat(at) => self.carries_params(at, 0),
            Op::Return if *self.types.get(self.f.result) == Type::Void => self.count(0),
            Op::Return => {
                self.count(1)?;
                self.expect(0, self.f.result)
            }
            _ => self.count(0),
        }
    }

    /// That the operands are the parameters of a loop's block.
    fn carries_params(&self, at: Inst, block: usize) -> Check {
        let Some(&block) = self.f.blocks_of(at).get(block) else { return Ok(()) };
        let params = &self.f.block(block).params;
        self.carries("parameters", params.len(), params.iter().copied())
    }

    fn carries(&self, what: &str, n: usize, values: impl Iterator<Item = Value>) -> Check {
        if self.args.len() != n {
            return Err(format!("carries {} values for {n} {what}", self.args.len()));
        }
        values.enumerate().try_for_each(|(i, value)| {
            // Of a block further down nobody has looked at the parameters yet.
            let known = (value.0 as usize) < self.f.value_count();
            if known { self.expect(i, self.f.ty(value)) } else { Err("carries a value to nowhere".into()) }
        })
    }

    pub(super) fn call(&self, op: Op) -> Check {
        match op {
            Op::Call(callee) => self.call_direct(callee),
            Op::CallIndirect => self.call_indirect(),
            Op::TraceRay => self.trace_ray(),
            Op::ReportHit => {
                self.count(2)?;
                self.arg_is(0, |ty| self.is_float_scalar(ty), "a float")?;
                self.arg_is(1, |ty| self.is_i32(ty), "i32")?;
                self.result_is(|ty| self.is_bool(ty), "bool")
            }
            _ => {
                self.no_result()?;
                self.count(2)?;
                self.arg_is(0, |ty| self.is_i32(ty), "i32")?;
                self.place(1).map(drop)
            }
        }
    }

    fn call_direct(&self, callee: FunctionRef) -> Check {
        let Some(callee) = self.module.functions.get(callee.0 as usize) else {
            return Err("calls a function that the module does not have".into());
        };
        self.count(callee.params.len())?;
        for (i, &param) in callee.params.iter().enumerate() {
            self.expect(i, callee.ty(param))?;
        }
        self.returns(callee.result)
    }

    fn call_indirect(&self) -> Check {
        self.count_between(1, usize::MAX)?;
        let Type::Function(params, result) = self.types.get(self.arg(0)) else {
            return Err(format!("operand 1 is {}, not a function", self.name(self.arg(0))));
        };
        self.count(params.len() + 1)?;
        for (i, &ty) in params.iter().enumerate() {
            self.expect(i + 1, ty)?;
        }
        self.returns(*result)
    }

    fn returns(&self, ty: Ty) -> Check {
        match self.types.get(ty) {
            Type::Void => self.no_result(),
            _ => self.result_is(|result| result == ty, "what the function returns"),
        }
    }

    fn trace_ray(&self) -> Check {
        self.no_result()?;
        self.count(11)?;
        let structure = |ty| *self.types.get(ty) == Type::AccelerationStructure;
        self.arg_is(0, structure, "an acceleration structure")?;
        for i in 1..6 {
            self.arg_is(i, |ty| self.is_i32(ty), "i32")?;
        }
        let is_point = |ty| self.types.is_float(ty) && self.types.components(ty) == 3;
        for i in [6, 8] {
            self.arg_is(i, is_point, "three floats")?;
        }
        for i in [7, 9] {
            self.arg_is(i, |ty| self.is_float_scalar(ty), "a float")?;
        }
        self.place(10).map(drop)
    }
}

/// The signature of a function of a module, as [`Type::Function`] has it.
pub(crate) fn signature_fits(module: &Module, f: FunctionRef, ty: Ty) -> bool {
    let Some(f) = module.functions.get(f.0 as usize) else { return false };
    let Type::Function(params, result) = module.types.get(ty) else { return false };
    *result == f.result && f.param_types() == *params
}
