//! Calls and returns as lines (spec section 18.5).
//!
//! ```text
//! s_add_u32 s32, s32, 48          where the frame and parameters on the stack take room
//! s_call_b64 s[0:1], f
//! s_sub_u32 s32, s32, 48
//! ```
//!
//! A pointer is called where the return address will stand (`s_swappc_b64 s[0:1], s[0:1]`), or in scalars of its own where
//! that stays there. An address is a distance from
//! where the program counter is, with its sign carried on (spec section 18.5):
//!
//! ```text
//! s_getpc_b64 s[4:5]
//! s_add_u32 s4, s4, f - .
//! s_addc_u32 s5, s5, 0            -1 for what stands before
//! ```
//!
//! A kernel has no stack pointer of its own and sets that of whom it calls, and the counter of return addresses.

use chiaro_ir::FunctionRef;
use chiaro_mach::{Code, Inst, Operand, What};

use super::line::Line;
use crate::abi::convention::SystemParameter;
use crate::compile::calls::unit::Unit;
use crate::compile::code::SCALAR;
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::sopk::Sopk;
use crate::isa::sopp::Sopp;

/// What lines of calls need to know of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Border<'a> {
    pub(super) unit: &'a Unit,
    /// Bytes of its frame.
    pub(super) frame: u32,
    pub(super) is_kernel: bool,
}

impl Border<'_> {
    /// A call, with the stack pointer behind the frame meanwhile.
    pub(super) fn call(&self, code: &Code, inst: Inst, lines: &mut Vec<Line>) {
        let number = code.uses(inst).iter().find_map(|used| match used.what {
            What::Function(number) => Some(number),
            _ => None,
        });
        let Some((number, callee)) = number.and_then(|n| Some((n, self.unit.callee(FunctionRef(n))?))) else {
            return;
        };
        let register = |p: SystemParameter| Operand::reg(SCALAR, callee.system(p), p.size());
        let (back, stack) =
            (register(SystemParameter::ReturnAddress), register(SystemParameter::StackPointer));
        // Of all that a call reads, a pointer alone stands where pointers do.
        let place = callee.pointer_pair();
        let pointer = code
            .uses(inst)
            .iter()
            .find(|used| used.file == SCALAR && used.reg.is_some() && used.reg == place);
        let bytes = Operand::imm((self.frame + callee.stack_room()).into());
        let moves = callee.has_stack() && bytes != Operand::imm(0);
        if let Some(returns) = callee.convention.return_stack().filter(|_| self.is_kernel) {
            let counter = Operand::reg(SCALAR, returns.counter, 1);
            lines.push(Line::new(Op::Sop1(Sop1::MovB32), vec![counter], vec![Operand::imm(0)]));
        }
        if self.is_kernel && callee.has_stack() {
            lines.push(Line::new(Op::Sop1(Sop1::MovB32), vec![stack], vec![bytes]));
        } else if moves {
            lines.push(Line::new(Op::Sop2(Sop2::AddU32), vec![stack], vec![stack, bytes]));
        }
        let call = match pointer {
            Some(pointer) => Line::new(Op::Sop1(Sop1::SwappcB64), vec![back], vec![*pointer]),
            None => Line::new(Op::Sopk(Sopk::CallB64), vec![back], Vec::new()),
        };
        lines.push(Line { callee: Some(number), ..call });
        if !self.is_kernel && moves {
            lines.push(Line::new(Op::Sop2(Sop2::SubU32), vec![stack], vec![stack, bytes]));
        }
    }

    /// Back to the caller, or to a function that goes there.
    pub(super) fn leave(&self, code: &Code, inst: Inst, lines: &mut Vec<Line>) {
        let uses = code.uses(inst);
        let function = |n: usize| match uses.get(n)?.what {
            What::Function(number) => Some(number),
            _ => None,
        };
        let pair = |n: usize| vec![Operand::reg(SCALAR, uses[n].reg.unwrap_or(0), 2)];
        let (op, to, callee) = match (function(1), function(2)) {
            (Some(by_name), _) => (Op::Sopp(Sopp::Branch), Vec::new(), Some(by_name)),
            (None, Some(_)) => (Op::Sop1(Sop1::SetpcB64), pair(1), function(2)),
            (None, None) => (Op::Sop1(Sop1::SetpcB64), pair(0), None),
        };
        lines.push(Line { callee, ..Line::new(op, Vec::new(), to) });
    }
}

/// The address of a function.
pub(super) fn address(code: &Code, inst: Inst, number: u32, lines: &mut Vec<Line>) {
    let to = code.defs(inst)[0];
    let Some(first) = to.reg else { return };
    let [low, high] = [first, first + 1].map(|unit| Operand::reg(SCALAR, unit, 1));
    lines.push(Line::new(Op::Sop1(Sop1::GetpcB64), vec![to], Vec::new()));
    for (op, half) in [(Sop2::AddU32, low), (Sop2::AddcU32, high)] {
        let add = Line::new(Op::Sop2(op), vec![half], vec![half, Operand::imm(0)]);
        lines.push(Line { distance: Some(number), ..add });
    }
}
