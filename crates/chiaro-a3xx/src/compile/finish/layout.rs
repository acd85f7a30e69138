//! One list of lines out of blocks.
//!
//! Copies become moves, exchanges three `xor.b`; what is already in its place is nothing. A jump
//! to what follows is dropped, and a branch around a lone jump takes over its destination:
//!
//! ```text
//!   br !p0.x, #b2        br p0.x, #b3
//! b1: jump #b3      ->
//! b2: ...              b2: ...
//! ```

use chiaro_mach::{Block, Code, Inst, Op as Mach, Operand, What};

use super::line::Line;
use crate::compile::code::{HALF, Modifiers, NOT, operation, types};
use crate::isa::Op;

/// The lines of a function; targets are numbers of lines.
pub(super) fn layout(code: &Code) -> Vec<Line<'_>> {
    let mut blocks: Vec<Vec<Line<'_>>> = code.blocks().map(|block| block_lines(code, block)).collect();
    while shorten(&mut blocks) {}
    let starts = starts(&blocks);
    let mut lines: Vec<Line<'_>> = blocks.into_iter().flatten().collect();
    for line in &mut lines {
        line.target = line.target.map(|block| starts[block]);
    }
    release_addresses(&mut lines);
    end_inputs(&mut lines);
    join(&mut lines);
    lines
}

/// The number of the first line of each block, and of what follows the last.
fn starts(blocks: &[Vec<Line<'_>>]) -> Vec<usize> {
    let mut at = 0;
    let mut starts: Vec<usize> = Vec::with_capacity(blocks.len() + 1);
    for block in blocks {
        starts.push(at);
        at += block.len();
    }
    starts.push(at);
    starts
}

fn block_lines(code: &Code, block: Block) -> Vec<Line<'_>> {
    let mut lines = Vec::with_capacity(code.insts(block).len());
    for &inst in code.insts(block) {
        let first = lines.len();
        match code.op(inst) {
            Mach::Machine(_) => lines.extend(machine(code, inst)),
            Mach::Pcopy => lines.extend(copy(code.defs(inst)[0], code.uses(inst)[0])),
            Mach::Swap => lines.extend(exchange(code.defs(inst)[0], code.defs(inst)[1])),
            Mach::Return => lines.push(Line::new(Op::End, &[][..], code.uses(inst))),
            _ => {}
        }
        lines[first..].iter_mut().for_each(|line| line.span = code.inst(inst).span);
    }
    lines
}

fn machine(code: &Code, inst: Inst) -> Option<Line<'_>> {
    let mut line = Line::new(operation(code, inst)?, code.defs(inst), code.uses(inst));
    line.modifiers = Modifiers::unpack(code.inst(inst).modifiers);
    let label = code.uses(inst).iter().find_map(|used| match used.what {
        What::Label(block) => Some(block.0 as usize),
        _ => None,
    });
    line.target = label;
    Some(line)
}

fn copy(to: Operand, from: Operand) -> Option<Line<'static>> {
    // What nobody has defined needs no copy, either.
    let is_nowhere = from.reg.is_none() && !matches!(from.what, What::Imm(_) | What::Slot(_));
    if is_nowhere || to.reg == from.reg && to.file == from.file {
        return None;
    }
    let kind = if to.file == HALF { types::F16 } else { types::F32 };
    let mut line = Line::new(Op::Mov, vec![to], vec![from]);
    line.modifiers.types = (kind, kind);
    Some(line)
}

/// a ^= b, b ^= a, a ^= b.
fn exchange(a: Operand, b: Operand) -> [Line<'static>; 3] {
    [(a, b), (b, a), (a, b)].map(|(to, other)| Line::new(Op::XorB, vec![to], vec![to, other]))
}

/// Whether anything became shorter.
fn shorten(blocks: &mut [Vec<Line<'_>>]) -> bool {
    let mut changed = false;
    for at in 0..blocks.len() {
        changed |= thread(blocks, at) | drop_jump(blocks, at) | invert(blocks, at) | drop_dead(blocks, at);
    }
    changed
}

/// The block that control comes to when it goes to a block: past empty ones, through lone jumps.
fn destination(blocks: &[Vec<Line<'_>>], mut block: usize) -> usize {
    for _ in 0..blocks.len() {
        match blocks.get(block).map(Vec::as_slice) {
            Some([]) => block += 1,
            Some([only]) if only.op == Op::Jump && only.target != Some(block) => {
                block = only.target.unwrap_or(block);
            }
            _ => break,
        }
    }
    block
}

/// Leads branches to where control ends up.
fn thread(blocks: &mut [Vec<Line<'_>>], at: usize) -> bool {
    let Some(target) = blocks[at].last().and_then(|line| line.target) else { return false };
    // Backward branches keep the head: joins are set by what lies between.
    let to = destination(blocks, target);
    if to == target || to <= at {
        return false;
    }
    if let Some(line) = blocks[at].last_mut() {
        line.target = Some(to);
    }
    true
}

/// A jump or branch to what follows is none.
fn drop_jump(blocks: &mut [Vec<Line<'_>>], at: usize) -> bool {
    let Some(last) = blocks[at].last() else { return false };
    let next = (at + 1..blocks.len()).find(|&n| !blocks[n].is_empty()).unwrap_or(blocks.len());
    let follows = last.target.is_some_and(|to| to > at && to <= next);
    if follows {
        blocks[at].pop();
    }
    follows
}

/// What stands behind a jump and is nobody's destination is never reached.
fn drop_dead(blocks: &mut [Vec<Line<'_>>], at: usize) -> bool {
    let Some(before) = (0..at).rev().find(|&n| !blocks[n].is_empty()) else { return false };
    let leaves = blocks[before].last().is_some_and(|line| matches!(line.op, Op::Jump | Op::End));
    let comes = |line: &Line<'_>| line.target.is_some_and(|to| to > before && to <= at);
    let is_dead = leaves && !blocks[at].is_empty() && !blocks.iter().flatten().any(comes);
    if is_dead {
        blocks[at].clear();
    }
    is_dead
}

/// A branch over a lone jump goes where that goes, on the opposite.
fn invert(blocks: &mut [Vec<Line<'_>>], at: usize) -> bool {
    let Some(branch) = blocks[at].last().filter(|line| line.op == Op::Br) else { return false };
    let occupied = |from: usize| (from..blocks.len()).find(|&n| !blocks[n].is_empty());
    let Some(jump) = occupied(at + 1) else { return false };
    let [only] = blocks[jump].as_slice() else { return false };
    let after = occupied(jump + 1).unwrap_or(blocks.len());
    let over = branch.target.is_some_and(|to| to > jump && to <= after);
    let (true, Op::Jump, Some(to)) = (over, only.op, only.target) else { return false };
    // Somebody else may come to the jump.
    let others = blocks.iter().enumerate().any(|(n, block)| {
        n != at && block.last().is_some_and(|line| line.target.is_some_and(|t| t > at && t <= jump))
    });
    if others {
        return false;
    }
    blocks[jump].clear();
    if let Some(branch) = blocks[at].last_mut() {
        branch.target = Some(to);
        branch.uses.to_mut()[0].bits ^= NOT;
    }
    true
}

/// `(ul)` on the last reader of a0.x before it is loaded again, or before control leaves.
fn release_addresses(lines: &mut [Line<'_>]) {
    let mut held = false;
    for at in (0..lines.len()).rev() {
        let line = &mut lines[at];
        let reads = line.uses.iter().any(|used| used.file == crate::compile::code::ADDRESS && used.in_file());
        if line.op == Op::Mova || line.target.is_some() || line.op == Op::End {
            held = false;
        }
        if reads && !held {
            line.ul = true;
            held = true;
        }
    }
}

/// `(ei)` on the last fetch of a varying.
fn end_inputs(lines: &mut [Line<'_>]) {
    if let Some(last) = lines.iter_mut().rev().find(|line| line.op == Op::BaryF) {
        last.modifiers.last_input = true;
    }
}

/// `(jp)`: the later destination of a branch, and what a jump over such a place goes to. spec
/// section 15.
fn join(lines: &mut [Line<'_>]) {
    for at in 0..lines.len() {
        if let (Op::Br, Some(to)) = (lines[at].op, lines[at].target) {
            let later = to.max(at + 1);
            if let Some(line) = lines.get_mut(later) {
                line.jp = true;
            }
        }
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for at in 0..lines.len() {
            let Some(to) = lines[at].target.filter(|&to| lines[at].op == Op::Jump && to > at) else {
                continue;
            };
            let passes = lines[at + 1..to].iter().any(|line| line.jp);
            if let Some(line) = lines.get_mut(to).filter(|line| passes && !line.jp) {
                line.jp = true;
                changed = true;
            }
        }
    }
}
