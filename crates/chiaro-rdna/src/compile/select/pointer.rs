//! Functions as values (spec sections 18.5, 18.6): addresses, and calls of what stands at one.
//!
//! ```text
//! s[4:5] = s_getpc_b64 @f                         the address of a function, as three instructions
//! call @f s[30:31] [v0] v4 ..                     @f for all that a pointer may lead to: they have one contract
//! ```
//!
//! A pointer that all lanes share may be computed lane by lane, as in loops that lanes leave one by one. Then who has another
//! one than the lowest lane does not run meanwhile: there is none, but so words show it.
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
        let is_of_lanes = self.is_called_by_lanes(args[0]) && callee.dispatch().is_none();
        let pointer = self.pointer_in(at, args[0]);
        let all = is_of_lanes.then(|| self.run_who_has(at, pointer, args[0]));
        let uses = vec![Operand::function(target.0), pointer.fixed(place)];
        self.call_of(at, inst, callee, (uses, args[1..].to_vec()));
        all.into_iter().for_each(|all| self.run(at, all));
        Ok(())
    }

    /// Whether a pointer that all lanes share stands in vector registers all the same: words do not show that they share it.
    pub(super) fn is_called_by_lanes(&mut self, pointer: ir::Value) -> bool {
        let part = self.one(pointer);
        self.named_by(pointer).is_none() && self.is_vector(part)
    }

    /// Only lanes run that have the pointer which is called: all of them, and now that is to be seen. Those that ran come back.
    fn run_who_has(&mut self, at: Block, called: Operand, pointer: ir::Value) -> Operand {
        let both = [Self::part(called, Kind::Pair), self.one(pointer)];
        let same = self.comparison(at, ir::Op::IEq, both).unwrap_or(Part::undef(Kind::Mask));
        let mask = self.mask(at, same);
        self.run_where(at, mask)
    }

    /// A pointer that all lanes share, in a pair of scalars.
    pub(super) fn pointer_in(&mut self, at: Block, pointer: ir::Value) -> Operand {
        let pointer = match self.named_by(pointer) {
            Some(f) => self.function_address(at, f),
            None => self.one(pointer),
        };
        self.handed_part(at, (SCALAR, 2, Kind::Pair), pointer)
    }
}
