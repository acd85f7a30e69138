//! Shifts and products as part of the sums that read them: `iadd` and `imadd` shift their last source (spec 4).
//!
//! ```text
//! v2 = iadd 0, v0, lsl 2
//! v3 = iadd v1, v2             ->     v3 = iadd v1, v0, lsl 2
//!
//! v2 = imadd v0, 68, 0
//! v3 = iadd v2, v1, lsl 2      ->     v3 = imadd v0, 68, v1, lsl 2
//! ```
//!
//! Products that are left and that a sum can make are sums: they are done four times as fast (spec 11.1).
//!
//! ```text
//! v1 = imadd v0, 3, 0          ->     v1 = iadd v0, v0, lsl 1
//! ```

use chiaro_mach::{Code, Inst, Made, Op as Mach, Operand};

use super::made::{is_number, operation_of};
use crate::compile::code::{Modifiers, modifiers, operation};
use crate::isa::Op;
use crate::isa::integer::Integer;

/// Halves that sums of these rules have at most.
const MOST: u16 = 2;
/// How far a sum shifts its last source at most.
const FARTHEST: u8 = 4;

/// Puts shifts and products into sums.
pub fn sums(code: &mut Code) -> bool {
    let (made, mut changed) = (Made::of(code), false);
    for block in code.blocks() {
        for inst in code.insts(block).to_vec() {
            while shifts(code, &made, inst) || multiplies(code, &made, inst) {
                changed = true;
            }
        }
    }
    for block in code.blocks() {
        code.insts(block).to_vec().into_iter().for_each(|inst| adds(code, inst));
    }
    changed
}

/// Makes a sum of a product by 1, or by one more than a power of two.
fn adds(code: &mut Code, inst: Inst) {
    let own = modifiers(code, inst);
    let is_product = operation(code, inst) == Some(Op::Integer(Integer::Imadd)) && !own.saturate;
    let (&[def], &[a, b, more]) = (code.defs(inst), code.uses(inst)) else { return };
    if !is_product || def.size > MOST {
        return;
    }
    let alone = own.shift == 0 && is_number(&more, 0);
    let sum = [(a, b), (b, a)].into_iter().find_map(|(factor, other)| {
        if is_number(&factor, 1) {
            return Some(([other, more], own.shift));
        }
        let shift = (1..=FARTHEST).find(|shift| is_number(&factor, (1 << shift) + 1))?;
        (alone && other.size == def.size).then_some(([other, other], shift))
    });
    let Some((uses, shift)) = sum else { return };
    code.set_operands(inst, &[def], &uses);
    let data = code.inst_mut(inst);
    data.op = Mach::Machine(Op::Integer(Integer::Iadd).row().into());
    data.modifiers = Modifiers { shift, ..own }.pack();
}

/// Reads the source of a shift instead of its result.
fn shifts(code: &mut Code, made: &Made, inst: Inst) -> bool {
    let own = modifiers(code, inst);
    let Some(Op::Integer(op @ (Integer::Iadd | Integer::Isub | Integer::Imadd | Integer::Imsub))) =
        operation(code, inst)
    else {
        return false;
    };
    if own.shift != 0 || own.saturate || code.defs(inst)[0].size > MOST {
        return false;
    }
    let uses = code.uses(inst).to_vec();
    let last = uses.len() - 1;
    // The sources of a sum may change places.
    let sides: &[usize] = if op == Integer::Iadd { &[1, 0] } else { &[last] };
    for &side in sides {
        let size = code.defs(inst)[0].size;
        let Some((source, shift)) = shifted(code, made, &uses[side], size) else { continue };
        let mut uses = uses.clone();
        if side != last {
            uses.swap(side, last);
        }
        uses[last] = source;
        let defs = code.defs(inst).to_vec();
        code.set_operands(inst, &defs, &uses);
        code.inst_mut(inst).modifiers = Modifiers { shift, ..own }.pack();
        return true;
    }
    false
}

/// What is shifted, and how far. What was cut to fewer halves than the sum has is not what the sum would shift.
fn shifted(code: &Code, made: &Made, used: &Operand, size: u16) -> Option<(Operand, u8)> {
    let (inst, op, own) = operation_of(code, made, used).filter(|_| used.size == size)?;
    let uses = code.uses(inst);
    let is_shift =
        op == Op::Integer(Integer::Iadd) && own.shift > 0 && is_number(&uses[0], 0) && !own.saturate;
    is_shift.then(|| (uses[1], own.shift))
}

/// A sum with a product that nobody else reads.
fn multiplies(code: &mut Code, made: &Made, inst: Inst) -> bool {
    let own = modifiers(code, inst);
    if operation(code, inst) != Some(Op::Integer(Integer::Iadd))
        || own.saturate
        || code.defs(inst)[0].size > MOST
    {
        return false;
    }
    let uses = code.uses(inst).to_vec();
    let sides: &[usize] = if own.shift == 0 { &[0, 1] } else { &[0] };
    for &side in sides {
        let Some((product, Op::Integer(Integer::Imadd), of)) = operation_of(code, made, &uses[side]) else {
            continue;
        };
        let factors = code.uses(product).to_vec();
        let is_whole = uses[side].size == code.defs(inst)[0].size;
        let fits = is_whole
            && is_number(&factors[2], 0)
            && of.shift == 0
            && !of.saturate
            && made.is_read_once(&uses[side]);
        if !fits {
            continue;
        }
        let defs = code.defs(inst).to_vec();
        code.set_operands(inst, &defs, &[factors[0], factors[1], uses[1 - side]]);
        code.inst_mut(inst).op = Mach::Machine(Op::Integer(Integer::Imadd).row().into());
        return true;
    }
    false
}
