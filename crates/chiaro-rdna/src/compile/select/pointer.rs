//! Functions as values (spec sections 18.5, 18.6): addresses, and calls of what stands at one.
//!
//! ```text
//! s[4:5] = s_getpc_b64 @f                         the address of a function, as three instructions
//! call @f s[30:31] [v0] v4 ..                     @f for all that a pointer may lead to: they have one contract
//! ```
//!
//! The pointer of a call stands where the return address will: it is read before that is written, and the callee is
//! free to leave anything there, so that no other register is needed.

use chiaro_ir as ir;
use chiaro_ir::{ConstantKind, Def, FunctionRef};
use chiaro_mach::{Block, Operand, Outcome};

use super::Select;
use super::part::{Kind, Part};
use crate::compile::calls::callee::Callee;
use crate::compile::code::{self, SCALAR};
use crate::isa::Op;
use crate::isa::sop1::Sop1;

impl Select<'_> {
    /// The function that a value is a name of.
    fn named_by(&self, value: ir::Value) -> Option<FunctionRef> {
        let Def::Constant(c) = self.f.def(value) else { return None };
        match self.module.constants.get(c) {
            ConstantKind::Function(f) => Some(*f),
            _ => None,
        }
    }

    /// The contract of who is called, by its name or through a pointer.
    pub(super) fn callee_of(&self, call: ir::Inst) -> Option<&Callee> {
        self.unit.callee(self.called_by(call)?)
    }

    /// Who is called, or one of those that a pointer may lead to.
    pub(super) fn called_by(&self, call: ir::Inst) -> Option<FunctionRef> {
        match self.f.op(call) {
            ir::Op::Call(f) => Some(f),
            _ => self.unit.targets(self.module, self.f.ty(*self.f.args(call).first()?)).first().copied(),
        }
    }

    /// Whether a function by its name becomes a number.
    pub(super) fn is_address(&self, inst: ir::Inst) -> bool {
        self.named_by(self.f.args(inst)[0]).is_some()
    }

    /// The address of a function.
    pub(super) fn address(&mut self, at: Block, inst: ir::Inst) -> Part {
        match self.named_by(self.f.args(inst)[0]) {
            Some(f) => self.function_address(at, f),
            None => Part::undef(Kind::Pair),
        }
    }

    fn function_address(&mut self, at: Block, f: FunctionRef) -> Part {
        let def = self.new_scalar(2);
        let defs = [def, code::scc()];
        let inst =
            self.code.push(at, code::machine(Op::Sop1(Sop1::GetpcB64)), &defs, &[Operand::function(f.0)]);
        self.code.inst_mut(inst).span = self.span;
        Self::part(def, Kind::Pair)
    }

    /// A call of what a pointer leads to, the same for all lanes that run.
    pub(super) fn call_pointer(&mut self, at: Block, inst: ir::Inst) -> Outcome {
        let args = self.f.args(inst).to_vec();
        let (unit, targets) = (self.unit, self.unit.targets(self.module, self.f.ty(args[0])));
        let first = targets.first().and_then(|&f| Some((f, unit.callee(f)?)));
        // No function is ever pointed at that it could come to: all lanes that get here have null pointers.
        let Some((target, callee)) = first else { return Ok(()) };
        let Some(place) = callee.pointer_pair() else {
            let message = format!(
                "the convention `{}` leaves no scalars for pointers to functions",
                callee.convention.name
            );
            return self.error(
                self.span,
                message,
                "let it clobber two more scalars, or spill return addresses",
            );
        };
        let pointer = self.pointer_in(at, args[0], place);
        self.call_of(at, inst, callee, (vec![Operand::function(target.0), pointer], args[1..].to_vec()));
        Ok(())
    }

    /// A pointer that all lanes share, in a pair of scalars.
    pub(super) fn pointer_in(&mut self, at: Block, pointer: ir::Value, place: u16) -> Operand {
        let pointer = match self.named_by(pointer) {
            Some(f) => self.function_address(at, f),
            None => self.one(pointer),
        };
        self.handed_part(at, (SCALAR, 2, Kind::Pair), pointer).fixed(place)
    }
}
