//! Constants that nobody reads: where allocation makes a value again for each of its uses, what made it first stays.
//!
//! ```text
//! v_mov_b32 v0, 0                 ->
//! s_call_b64 s[0:1], f                s_call_b64 s[0:1], f          leaves anything in v0
//! v_mov_b32 v2, 0                     v_mov_b32 v2, 0
//! ```
//!
//! Block by block, from the end: a register that is written before it is read, in the same lanes, holds nothing until then.
//! True before: allocated. True after: the same, with fewer instructions.

use chiaro_mach::{Code, Effects, Inst, Op as Mach, Operand};

use crate::compile::code::{SCALAR, VECTOR};
use crate::regs::VGPRS;

/// Registers of both files that are written before they are read, by number.
struct Written {
    scalars: [bool; 128],
    vectors: [bool; VGPRS as usize],
}

/// Takes constants out that nobody reads.
pub(super) fn unread_constants(code: &mut Code) {
    for block in code.blocks() {
        let insts = code.insts(block).to_vec();
        let mut written = Written { scalars: [false; 128], vectors: [false; VGPRS as usize] };
        let mut is_read = vec![true; insts.len()];
        for (n, &inst) in insts.iter().enumerate().rev() {
            is_read[n] = !written.covers(code, inst);
            if is_read[n] {
                written.pass(code, inst);
            }
        }
        let mut read = is_read.iter();
        code.block_mut(block).insts.retain(|_| read.next().copied().unwrap_or(true));
    }
}

impl Written {
    /// Whether an instruction makes a constant that is overwritten before anybody reads it.
    fn covers(&mut self, code: &Code, inst: Inst) -> bool {
        let [def] = code.defs(inst) else { return false };
        code.inst(inst).remat && self.of(def).is_some_and(|units| units.iter().all(|written| *written))
    }

    /// Goes past an instruction, towards the begin.
    fn pass(&mut self, code: &Code, inst: Inst) {
        // Other lanes run before it: what they hold is not overwritten behind it.
        if code.inst(inst).effects.writes & Effects::EXEC != 0 {
            self.vectors.fill(false);
        }
        // What is exchanged is read as well.
        let is_swap = code.op(inst) == Mach::Swap;
        for def in code.defs(inst) {
            self.of(def).into_iter().for_each(|units| units.fill(!is_swap));
        }
        for clobber in code.clobbered(inst) {
            let units = usize::from(clobber.units.start)..usize::from(clobber.units.end);
            let all = if clobber.file == SCALAR { &mut self.scalars[..] } else { &mut self.vectors[..] };
            all.get_mut(units).into_iter().for_each(|units| units.fill(true));
        }
        for used in code.uses(inst) {
            self.of(used).into_iter().for_each(|units| units.fill(false));
        }
    }

    /// The registers of an operand.
    fn of(&mut self, operand: &Operand) -> Option<&mut [bool]> {
        let first = usize::from(operand.reg.filter(|_| operand.in_file())?);
        let units = first..first + usize::from(operand.size);
        match operand.file {
            SCALAR => self.scalars.get_mut(units),
            VECTOR => self.vectors.get_mut(units),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::code::{effects, exec, machine};
    use crate::isa::Op;
    use crate::isa::sop1::Sop1;
    use crate::isa::vop1::Vop1;

    fn s(unit: u16) -> Operand {
        Operand::reg(SCALAR, unit, 1)
    }

    fn v(unit: u16) -> Operand {
        Operand::reg(VECTOR, unit, 1)
    }

    /// How many instructions are left of a move between two that make constants in v0.
    fn left(op: Op, to: Operand, from: Operand) -> usize {
        let mut code = Code::new("f");
        let block = code.block(0);
        let constant = |n| (Op::Vop1(Vop1::MovB32), v(0), Operand::imm(n));
        for (op, to, from) in [constant(1), (op, to, from), constant(2)] {
            let inst = code.push(block, machine(op), &[to], &[from]);
            let is_constant = from == Operand::imm(1) || from == Operand::imm(2);
            (code.inst_mut(inst).effects, code.inst_mut(inst).remat) = (effects(op, &[to]), is_constant);
        }
        unread_constants(&mut code);
        code.insts(block).len()
    }

    #[test]
    fn what_is_overwritten_in_the_same_lanes_is_left_out() {
        let (scalar, vector) = (Op::Sop1(Sop1::MovB32), Op::Vop1(Vop1::MovB32));
        assert_eq!(left(scalar, s(1), s(2)), 2);
        assert_eq!(left(vector, v(1), v(2)), 2);
        assert_eq!(left(vector, v(1), v(0)), 3, "it is read");
        assert_eq!(left(scalar, exec(32), s(2)), 3, "other lanes are overwritten");
    }
}
