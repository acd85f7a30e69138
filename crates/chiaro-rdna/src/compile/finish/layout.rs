//! One list of lines out of blocks.
//!
//! Copies become moves; a jump to what follows is dropped, and a block that goes on elsewhere gets one; a lone jump
//! is passed through.

use std::ops::RangeInclusive;

use chiaro_mach::{Block, Code, Inst, Op as Mach, Operand, What};

use super::border::{Border, address};
use super::lanes;
use super::line::Line;
use super::waits::left;
use crate::compile::code::{Modifiers, SCALAR, is_implied, operation};
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sopk::Sopk;
use crate::isa::sopp::Sopp;
use crate::isa::vop1::Vop1;
use crate::regs::code;

/// The lines of a function; targets are numbers of lines.
pub(super) fn layout(code: &Code, border: &Border<'_>) -> Vec<Line> {
    let mut blocks: Vec<Vec<Line>> = code.blocks().map(|block| block_lines(code, block, border)).collect();
    for block in code.blocks() {
        go_on(code, block, &mut blocks);
    }
    let _looks = straighten(&mut blocks);
    let mut at = 0;
    let mut starts = Vec::with_capacity(blocks.len() + 1);
    for block in &blocks {
        starts.push(at);
        at += block.len();
    }
    starts.push(at);
    let mut lines: Vec<Line> = blocks.into_iter().flatten().collect();
    lines.iter_mut().for_each(|line| line.target = line.target.map(|block| starts[block]));
    lines
}

/// Takes out the jumps that are not needed and what is never reached: in a few rounds over all blocks. How many lines
/// and blocks were looked at.
fn straighten(blocks: &mut [Vec<Line>]) -> usize {
    let mut looks = shorten_all(blocks);
    lanes::simplify(blocks);
    looks += shorten_all(blocks);
    let mut entries = Entries::of(blocks);
    (0..blocks.len()).for_each(|at| invert(blocks, &mut entries, at));
    looks + entries.looks
}

fn block_lines(code: &Code, block: Block, border: &Border<'_>) -> Vec<Line> {
    let mut lines = Vec::with_capacity(code.insts(block).len());
    for &inst in code.insts(block) {
        let first = lines.len();
        match code.op(inst) {
            Mach::Machine(_) => machine(code, inst, &mut lines),
            Mach::Pcopy => copy(code.defs(inst)[0], code.uses(inst)[0], &mut lines),
            Mach::Call => border.call(code, inst, &mut lines),
            Mach::Return => border.leave(code, inst, &mut lines),
            Mach::Swap => exchange(code.defs(inst)[0], code.defs(inst)[1], &mut lines),
            _ => {}
        }
        lines[first..].iter_mut().for_each(|line| line.span = code.inst(inst).span);
    }
    lines
}

fn machine(code: &Code, inst: Inst, lines: &mut Vec<Line>) {
    let Some(op) = operation(code, inst) else { return };
    let modifiers = Modifiers::unpack(code.inst(inst).modifiers);
    if op == Op::Sopp(Sopp::Waitcnt) {
        return wait(modifiers, lines);
    }
    if let Some(What::Function(number)) = code.uses(inst).first().map(|used| used.what) {
        return address(code, inst, number, lines);
    }
    let target = code.uses(inst).iter().find_map(Operand::target);
    let is_own = |operand: &&Operand| !is_implied(operand, op) && operand.target().is_none();
    let defs = code.defs(inst).iter().filter(is_own).copied().collect();
    let uses = code.uses(inst).iter().filter(is_own).copied().collect();
    let target = target.map(|block| block.0 as usize);
    lines.push(Line { modifiers, target, ..Line::new(op, defs, uses) });
}

/// A wait for up to three counters, of which stores have one of their own.
fn wait(modifiers: Modifiers, lines: &mut Vec<Line>) {
    let [loads, shared, stores] = left(modifiers.number);
    if loads.is_some() || shared.is_some() {
        let (vm, lgkm) = (i32::from(loads.unwrap_or(63)), i32::from(shared.unwrap_or(63)));
        let number = vm & 15 | (vm >> 4) << 14 | 7 << 4 | lgkm << 8;
        let modifiers = Modifiers::number(number);
        lines.push(Line { modifiers, ..Line::new(Op::Sopp(Sopp::Waitcnt), Vec::new(), Vec::new()) });
    }
    if let Some(stores) = stores {
        let null = Operand::reg(SCALAR, code::NULL, 1);
        let modifiers = Modifiers::number(stores.into());
        lines.push(Line { modifiers, ..Line::new(Op::Sopk(Sopk::WaitcntVscnt), Vec::new(), vec![null]) });
    }
}

/// A copy of some units, by pairs where both ends are even scalars.
fn copy(to: Operand, from: Operand, lines: &mut Vec<Line>) {
    let (Some(first), size) = (to.reg, to.size) else { return };
    let Some(start) = from.reg else {
        if let What::Imm(_) = from.what {
            let op = if to.file == SCALAR { Op::Sop1(Sop1::MovB32) } else { Op::Vop1(Vop1::MovB32) };
            lines.push(Line::new(op, vec![to], vec![from]));
        }
        return;
    };
    if first == start && to.file == from.file {
        return;
    }
    let mut n = 0;
    // Places that overlap are copied from the end that nobody reads any more.
    let mut moves = Vec::new();
    while n < size {
        let is_pair = to.file == SCALAR
            && from.file == SCALAR
            && size - n >= 2
            && (first + n).is_multiple_of(2)
            && (start + n).is_multiple_of(2);
        let count = if is_pair { 2 } else { 1 };
        let op = match (to.file == SCALAR, is_pair, from.file == SCALAR) {
            (true, true, _) => Op::Sop1(Sop1::MovB64),
            (true, false, true) => Op::Sop1(Sop1::MovB32),
            (true, false, false) => Op::Vop1(Vop1::ReadfirstlaneB32),
            _ => Op::Vop1(Vop1::MovB32),
        };
        let (to, from) = (Operand::reg(to.file, first + n, count), Operand::reg(from.file, start + n, count));
        moves.push(Line::new(op, vec![to], vec![from]));
        n += count;
    }
    if first > start && to.file == from.file {
        moves.reverse();
    }
    lines.extend(moves);
}

fn exchange(a: Operand, b: Operand, lines: &mut Vec<Line>) {
    let (Some(x), Some(y)) = (a.reg, b.reg) else { return };
    for n in 0..a.size {
        let both = [x + n, y + n].map(|unit| Operand::reg(a.file, unit, 1));
        lines.push(Line::new(Op::Vop1(Vop1::SwapB32), both.to_vec(), Vec::new()));
    }
}

fn is_jump(line: &Line) -> bool {
    line.op == Op::Sopp(Sopp::Branch)
}

/// A block that does not end in a jump goes on to the successor that no branch of it names.
fn go_on(code: &Code, block: Block, blocks: &mut [Vec<Line>]) {
    let at = block.0 as usize;
    if blocks[at].last().is_some_and(Line::leaves) {
        return;
    }
    let named: Vec<usize> = blocks[at].iter().filter_map(|line| line.target).collect();
    let mut succs =
        code.block_data(block).linear.succs.iter().map(|succ| succ.0 as usize).collect::<Vec<_>>();
    for target in named {
        if let Some(n) = succs.iter().position(|&succ| succ == target) {
            succs.remove(n);
        }
    }
    if let [next] = succs[..]
        && next != at + 1
    {
        let jump = Line::new(Op::Sopp(Sopp::Branch), Vec::new(), Vec::new());
        blocks[at].push(Line { target: Some(next), ..jump });
    }
}

/// How many branches lead to each block. Whoever asks whether a block is entered need not look at all lines.
struct Entries {
    branches: Vec<u32>,
    /// Lines and blocks that were looked at: what tests hold against the size of the code.
    looks: usize,
}

impl Entries {
    fn of(blocks: &[Vec<Line>]) -> Entries {
        let mut entries = Entries { branches: vec![0; blocks.len() + 1], looks: 0 };
        for line in blocks.iter().flatten() {
            entries.redirect(None, line.target);
            entries.looks += 1;
        }
        entries
    }

    /// A branch to one block leads to another one, or is gone.
    fn redirect(&mut self, from: Option<usize>, to: Option<usize>) {
        from.into_iter().for_each(|from| self.branches[from] -= 1);
        to.into_iter().for_each(|to| self.branches[to] += 1);
    }

    fn any(&mut self, blocks: RangeInclusive<usize>) -> bool {
        let all = &self.branches[blocks];
        self.looks += all.len();
        all.iter().any(|branches| *branches > 0)
    }
}

/// Shortens until nothing becomes shorter.
fn shorten_all(blocks: &mut [Vec<Line>]) -> usize {
    let mut looks = 0;
    loop {
        let mut entries = Entries::of(blocks);
        let is_shorter = shorten(blocks, &mut entries);
        looks += entries.looks;
        if !is_shorter {
            return looks;
        }
    }
}

/// Whether anything became shorter.
fn shorten(blocks: &mut [Vec<Line>], entries: &mut Entries) -> bool {
    let mut changed = false;
    for at in 0..blocks.len() {
        changed |=
            thread(blocks, entries, at) | drop_jump(blocks, entries, at) | drop_dead(blocks, entries, at);
    }
    changed
}

/// The block that control comes to when it goes to a block: past empty ones, through lone jumps.
fn destination(blocks: &[Vec<Line>], mut block: usize) -> usize {
    for _ in 0..blocks.len() {
        match blocks.get(block).map(Vec::as_slice) {
            Some([]) => block += 1,
            Some([only]) if is_jump(only) && only.target != Some(block) => {
                block = only.target.unwrap_or(block);
            }
            _ => break,
        }
    }
    block
}

/// Leads branches to where control ends up.
fn thread(blocks: &mut [Vec<Line>], entries: &mut Entries, at: usize) -> bool {
    let mut changed = false;
    for n in 0..blocks[at].len() {
        let Some(target) = blocks[at][n].target else { continue };
        let to = destination(blocks, target);
        if to != target && to < blocks.len() {
            blocks[at][n].target = Some(to);
            entries.redirect(Some(target), Some(to));
            changed = true;
        }
    }
    changed
}

/// A jump or branch to what follows is none.
fn drop_jump(blocks: &mut [Vec<Line>], entries: &mut Entries, at: usize) -> bool {
    let Some(target) = blocks[at].last().and_then(|last| last.target) else { return false };
    let next = (at + 1..blocks.len()).find(|&n| !blocks[n].is_empty()).unwrap_or(blocks.len());
    let follows = target > at && target <= next;
    if follows {
        blocks[at].pop();
        entries.redirect(Some(target), None);
    }
    follows
}

/// A branch over a lone jump becomes the opposite branch to where that jump leads.
fn invert(blocks: &mut [Vec<Line>], entries: &mut Entries, at: usize) {
    let Some((over, op)) = blocks[at].last().and_then(|last| Some((last.target?, opposite(last.op)?))) else {
        return;
    };
    let mut others = (at + 1..blocks.len()).filter(|&n| !blocks[n].is_empty());
    let (Some(lone), next) = (others.next(), others.next().unwrap_or(blocks.len())) else { return };
    let to = blocks[lone][0].target.filter(|_| blocks[lone].len() == 1 && is_jump(&blocks[lone][0]));
    if let (Some(to), Some(last)) =
        (to.filter(|_| over > lone && over <= next), blocks[at].len().checked_sub(1))
        && !entries.any(at + 1..=lone)
    {
        let branch = &mut blocks[at][last];
        (branch.op, branch.target) = (op, Some(to));
        blocks[lone].clear();
        entries.redirect(Some(over), None);
    }
}

/// The branch that is taken where another is not.
fn opposite(op: Op) -> Option<Op> {
    let pairs = [
        [Sopp::CbranchScc0, Sopp::CbranchScc1],
        [Sopp::CbranchVccz, Sopp::CbranchVccnz],
        [Sopp::CbranchExecz, Sopp::CbranchExecnz],
    ];
    let [a, b] = pairs.into_iter().find(|pair| pair.map(Op::Sopp).contains(&op))?;
    Some(Op::Sopp(if op == Op::Sopp(a) { b } else { a }))
}

/// What stands behind a jump and is nobody's destination is never reached.
fn drop_dead(blocks: &mut [Vec<Line>], entries: &mut Entries, at: usize) -> bool {
    if blocks[at].is_empty() {
        return false;
    }
    let Some(before) = (0..at).rev().find(|&n| !blocks[n].is_empty()) else { return false };
    let leaves = blocks[before].last().is_some_and(Line::leaves);
    let is_dead = leaves && !entries.any(before + 1..=at);
    if is_dead {
        let lost = std::mem::take(&mut blocks[at]);
        lost.iter().for_each(|line| entries.redirect(line.target, None));
    }
    is_dead
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::code::exec;
    use crate::isa::sop2::Sop2;

    fn branch(op: Sopp, target: usize) -> Line {
        Line { target: Some(target), ..Line::new(Op::Sopp(op), Vec::new(), Vec::new()) }
    }

    /// So many loops one behind the other: lanes that have had their turn leave, and all come back behind it. The branch
    /// back leads through a lone jump, over another one.
    fn loops(count: usize) -> Vec<Vec<Line>> {
        let mask = Operand::reg(SCALAR, 4, 1);
        let less = Line::new(Op::Sop2(Sop2::Andn2B32), vec![exec(32)], vec![mask, mask]);
        let back = Line::new(Op::Sop1(Sop1::MovB32), vec![exec(32)], vec![mask]);
        let one = |n: usize| {
            let at = 4 * n;
            let head = vec![less.clone(), branch(Sopp::CbranchScc1, at + 2)];
            [
                head,
                vec![branch(Sopp::Branch, at + 3)],
                vec![branch(Sopp::Branch, at)],
                vec![less.clone(), back.clone()],
            ]
        };
        let end = vec![Line::new(Op::Sopp(Sopp::Endpgm), Vec::new(), Vec::new())];
        (0..count).flat_map(one).chain([end]).collect()
    }

    #[test]
    fn what_is_looked_at_grows_with_the_code() {
        let [few, many] = [100, 1600].map(|count| {
            let mut blocks = loops(count);
            let looks = straighten(&mut blocks);
            // Two lines of each loop stay: lanes that leave, and the branch back. All come back at the end alone.
            assert_eq!(blocks.iter().map(Vec::len).sum::<usize>(), 2 * count + 2);
            looks
        });
        assert!(many <= 16 * few, "{few} looks at 100 loops, {many} at 1,600");
    }
}
