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
    let room = Vec::with_capacity(lines.len());
    let old = std::mem::replace(lines, room);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn r(unit: u16) -> Operand {
        Operand::reg(FULL, unit, 1)
    }

    /// `add.f` of register numbers: what is written, and both sources.
    fn sum([to, a, b]: [u16; 3]) -> Line<'static> {
        Line::new(Op::AddF, vec![r(to)], vec![r(a), r(b)])
    }

    /// How often each word that is left is carried out, and which of its sources advance.
    fn repeated(mut lines: Vec<Line<'_>>) -> Vec<(u8, [bool; 2])> {
        repeat(&mut lines);
        let steps =
            |line: &Line<'_>| [0, 1].map(|n| line.uses.get(n).is_some_and(|used| used.bits & STEP != 0));
        lines.iter().map(|line| (line.modifiers.repeat + 1, steps(line))).collect()
    }

    #[test]
    fn what_advances_together_is_one_word() {
        assert_eq!(repeated(vec![sum([0, 4, 8]), sum([1, 5, 8]), sum([2, 6, 8])]), [(3, [true, false])]);
        let others = [
            ("a source that stood still goes on", vec![sum([0, 4, 8]), sum([1, 4, 8]), sum([2, 6, 8])], 2),
            ("a source goes back", vec![sum([0, 4, 8]), sum([1, 3, 8])], 2),
            ("a result is left out", vec![sum([0, 4, 8]), sum([2, 5, 8])], 2),
            ("two bits count", (0..5).map(|n| sum([n, 8 + n, 16])).collect(), 2),
        ];
        for (why, lines, words) in others {
            assert_eq!(repeated(lines).len(), words, "{why}");
        }
    }

    /// Who comes from elsewhere does not want what stands before.
    #[test]
    fn where_branches_lead_to_a_word_begins() {
        let mut lines =
            vec![sum([0, 4, 8]), sum([1, 5, 8]), sum([2, 6, 8]), Line::new(Op::Jump, vec![], vec![])];
        lines[3].target = Some(1);
        repeat(&mut lines);
        let made: Vec<(u8, Option<usize>)> =
            lines.iter().map(|line| (line.modifiers.repeat, line.target)).collect();
        assert_eq!(made, [(0, None), (1, None), (0, Some(1))]);
    }
}
