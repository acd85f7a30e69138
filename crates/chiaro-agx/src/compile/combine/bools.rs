//! Comparisons as part of what asks for their result: selects, ifs and conjunctions (spec 6.1, 6.2).
//!
//! ```text
//! v2 = fcmpsel lt, v0, v1, 1, 0
//! v3 = icmpsel ueq, v2, 0, a, b      ->     v3 = fcmpsel lt, v0, v1, b, a
//!
//! v3 = and v2, v1                    ->     v3 = fcmpsel lt, v0, v1, v1, 0       v1 is 0 or 1
//! ```

use chiaro_mach::{Code, Inst, Made, Op as Mach, Operand, What};

use super::made::{is_number, operation_of};
use crate::compile::code::condition::{EQUAL, INVERT};
use crate::compile::code::table::{AND, OR};
use crate::compile::code::{Modifiers, modifiers, operation};
use crate::isa::Op;
use crate::isa::control::Control;
use crate::isa::float::Float;
use crate::isa::integer::Integer;

/// How far back it is looked for what makes a bool.
const DEPTH: u32 = 6;

/// A comparison that made a bool.
struct Comparison {
    is_float: bool,
    condition: u8,
    sides: [Operand; 2],
    /// Whether the bool says the contrary.
    is_inverse: bool,
}

/// Puts comparisons into selects, ifs and conjunctions.
pub fn bools(code: &mut Code) -> bool {
    let (made, mut changed) = (Made::of(code), false);
    for block in code.blocks() {
        for inst in code.insts(block).to_vec() {
            while asks(code, &made, inst) {
                changed = true;
            }
            changed |= joins(code, &made, inst);
        }
    }
    changed
}

/// The comparison that a bool is the result of. Where others read the bool, its sources should not be kept for this.
fn comparison(code: &Code, made: &Made, used: &Operand) -> Option<Comparison> {
    let (inst, op, own) = operation_of(code, made, used)?;
    let is_float = match op {
        Op::Float(Float::Fcmpsel) => true,
        Op::Integer(Integer::Icmpsel) => false,
        _ => return None,
    };
    let &[a, b, yes, no] = code.uses(inst) else { return None };
    let is_inverse = match (yes.what, no.what) {
        (What::Imm(1), What::Imm(0)) => false,
        (What::Imm(0), What::Imm(1)) => true,
        _ => return None,
    };
    let is_light = b.value().is_none() || a.value().is_none();
    (made.is_read_once(used) || is_light).then_some(Comparison {
        is_float,
        condition: own.condition,
        sides: [a, b],
        is_inverse,
    })
}

/// A select or an `if` that asks whether a bool is 0 compares itself.
fn asks(code: &mut Code, made: &Made, inst: Inst) -> bool {
    let own = modifiers(code, inst);
    let Some(op) = operation(code, inst) else { return false };
    let uses = code.uses(inst).to_vec();
    if !matches!(op, Op::Integer(Integer::Icmpsel) | Op::Control(Control::IfIcmp))
        || own.condition & !INVERT != EQUAL
    {
        return false;
    }
    let Some(found) = comparison(code, made, &uses[0]).filter(|_| is_number(&uses[1], 0)) else {
        return false;
    };
    // That the bool is 0 says the contrary of the comparison.
    let turns = !found.is_inverse ^ (own.condition & INVERT != 0);
    let defs = code.defs(inst).to_vec();
    let (op, condition, uses) = match op {
        Op::Control(_) => {
            let op = Op::Control(if found.is_float { Control::IfFcmp } else { Control::IfIcmp });
            let condition = found.condition ^ if turns { INVERT } else { 0 };
            (op, condition, found.sides.to_vec())
        }
        _ => {
            let (yes, no) = if turns { (uses[3], uses[2]) } else { (uses[2], uses[3]) };
            (select(found.is_float), found.condition, vec![found.sides[0], found.sides[1], yes, no])
        }
    };
    code.set_operands(inst, &defs, &uses);
    code.inst_mut(inst).op = Mach::Machine(op.row().into());
    code.inst_mut(inst).modifiers = Modifiers { condition, ..own }.pack();
    true
}

/// A conjunction or disjunction of bools selects by the comparison that made one of them.
fn joins(code: &mut Code, made: &Made, inst: Inst) -> bool {
    let own = modifiers(code, inst);
    let is_bool = operation(code, inst) == Some(Op::Integer(Integer::Bitop)) && code.defs(inst)[0].size == 1;
    if !is_bool || !matches!(own.table, AND | OR) {
        return false;
    }
    let uses = code.uses(inst).to_vec();
    for (side, other) in [(1, 0), (0, 1)] {
        let alone = made.is_read_once(&uses[side]);
        let Some(found) = comparison(code, made, &uses[side]).filter(|_| alone) else { continue };
        if !is_truth(code, made, &uses[other], DEPTH) {
            continue;
        }
        let number = |n: u64| Operand { size: 1, ..Operand::imm(n) };
        let (yes, no) = if own.table == AND { (uses[other], number(0)) } else { (number(1), uses[other]) };
        let (yes, no) = if found.is_inverse { (no, yes) } else { (yes, no) };
        let defs = code.defs(inst).to_vec();
        code.set_operands(inst, &defs, &[found.sides[0], found.sides[1], yes, no]);
        code.inst_mut(inst).op = Mach::Machine(select(found.is_float).row().into());
        code.inst_mut(inst).modifiers =
            Modifiers { condition: found.condition, ..Modifiers::default() }.pack();
        return true;
    }
    false
}

fn select(is_float: bool) -> Op {
    if is_float { Op::Float(Float::Fcmpsel) } else { Op::Integer(Integer::Icmpsel) }
}

/// Whether an operand is 0 or 1.
fn is_truth(code: &Code, made: &Made, used: &Operand, depth: u32) -> bool {
    if let What::Imm(number) = used.what {
        return number < 2;
    }
    let Some((inst, op, own)) = operation_of(code, made, used).filter(|_| depth > 0) else { return false };
    let uses = code.uses(inst);
    let all = |uses: &[Operand]| uses.iter().all(|used| is_truth(code, made, used, depth - 1));
    match op {
        Op::Float(Float::Fcmpsel) | Op::Integer(Integer::Icmpsel) => all(&uses[2..]),
        Op::Integer(Integer::Bitop) => own.table & 0b1000 == 0 && all(uses),
        _ => false,
    }
}
