//! Repetitions: instructions alike that stand one behind the other, with registers that advance together, become one
//! word. It takes as long to carry out, and a fourth of the instruction memory at best.
//!
//! ```text
//! add.f r0.x, r1.x, c0.x
//! add.f r0.y, r1.y, c0.x   ->   (rpt2)add.f r0.x, (r)r1.x, c0.x
//! add.f r0.z, r1.z, c0.x
//! ```
//!
//! True before: nops and flags are set. A repetition behaves as that many instructions (spec section 13), so that no slot
//! changes; what reads an element reads it as late as before.

use chiaro_mach::{Operand, What};

use super::line::Line;
use crate::compile::code::{FULL, HALF, RELATIVE, STEP};
use crate::isa::{Op, category};

/// Repetitions behind the first, at most: two bits (spec section 4).
const MOST: u8 = 3;

/// Makes repetitions.
pub(super) fn repeat(lines: &mut Vec<Line<'_>>) {
    let mut is_head = vec![false; lines.len() + 1];
    lines.iter().filter_map(|line| line.target).for_each(|to| is_head[to] = true);
    let old = std::mem::take(lines);
    let mut starts = Vec::with_capacity(old.len() + 1);
    for (line, is_head) in old.into_iter().zip(is_head) {
        match lines.last_mut() {
            Some(first) if !is_head && takes(first, &line) => {
                advance(first, &line);
                starts.push(lines.len() - 1);
            }
            _ => {
                starts.push(lines.len());
                lines.push(line);
            }
        }
    }
    starts.push(lines.len());
    for line in lines {
        line.target = line.target.map(|to| starts[to]);
    }
}

/// Whether a line is the next repetition of another one.
fn takes(first: &Line<'_>, line: &Line<'_>) -> bool {
    let times = first.modifiers.repeat;
    let is_alike = first.op == line.op && {
        let mut modifiers = line.modifiers;
        modifiers.repeat = times;
        modifiers == first.modifiers
    };
    let has_flags = line.ss || line.sy || line.jp || line.ul || first.ul || line.modifiers.repeat > 0;
    let is_one = matches!(category(line.op), 1..=4) && line.op != Op::Mova && line.op != Op::BaryF;
    if !is_alike || has_flags || !is_one || times == MOST || first.uses.len() != line.uses.len() {
        return false;
    }
    let ([to], [next]) = (&*first.defs, &*line.defs) else { return false };
    let is_next =
        to.in_file() && matches!(to.file, FULL | HALF) && distance(to, next) == Some(i64::from(times) + 1);
    is_next && first.uses.iter().zip(&*line.uses).all(|(used, next)| steps(used, next, times).is_some())
}

/// Whether a source advances with each repetition to what it is in the one behind so many; nothing where it is something
/// else.
fn steps(first: &Operand, next: &Operand, times: u8) -> Option<bool> {
    let known = (times > 0).then_some(first.bits & STEP != 0);
    let steps = match distance(first, next)? {
        0 => false,
        by if by == i64::from(times) + 1 => true,
        _ => return None,
    };
    (known.is_none() || known == Some(steps)).then_some(steps)
}

/// How many registers or constants lie between two operands that are the same but for that.
fn distance(first: &Operand, next: &Operand) -> Option<i64> {
    let is_alike = first.file == next.file && first.bits & !STEP == next.bits && first.bits & RELATIVE == 0;
    if !is_alike || first.size != 1 || next.size != 1 {
        return None;
    }
    match (first.what, next.what) {
        (What::Imm(a), What::Imm(b)) => (a == b).then_some(0),
        (What::Slot(a), What::Slot(b)) => Some(i64::from(b) - i64::from(a)),
        _ => Some(i64::from(next.reg?) - i64::from(first.reg?)),
    }
}

/// Adds a repetition.
fn advance(first: &mut Line<'_>, line: &Line<'_>) {
    let times = first.modifiers.repeat;
    for (used, next) in first.uses.to_mut().iter_mut().zip(&*line.uses) {
        if steps(used, next, times) == Some(true) {
            used.bits |= STEP;
        }
    }
    first.modifiers.repeat += 1;
}
