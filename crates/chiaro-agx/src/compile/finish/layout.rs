//! One list of lines out of blocks.
//!
//! Copies become moves, exchanges three `xor` or one `extr`; what is already in its place is nothing. Lanes that
//! change places only to change back, and nesting around nothing, are left out:
//!
//! ```text
//! else_exec 1
//! pop_exec 1     ->    pop_exec 1
//! ```

use chiaro_mach::{Block, Code, Inst, Op as Mach, Operand, What};

use super::line::Line;
use super::standing::{End, Standing};
use crate::compile::allocate::uses_unit;
use crate::compile::code::table::{COPY, XOR};
use crate::compile::code::{GPR, Modifiers, modifiers, nests, operation};
use crate::isa::Op;
use crate::isa::control::Control;
use crate::isa::integer::Integer;
use crate::isa::memory::Memory;

/// Traps behind a stop (spec 6.3).
const TRAPS: usize = 8;

/// The lines of a function; targets are numbers of lines.
pub(super) fn layout(code: &Code, options: Standing) -> Vec<Line> {
    let mut blocks: Vec<Vec<Line>> =
        code.blocks().map(|block| block_lines(code, block, options.end)).collect();
    while drop_idle(&mut blocks) {}
    // The counter of nesting, and the index of shuffles, are 0 at the start.
    let has_counter = blocks.iter().flatten().any(|line| nests(line.op)) && !options.samples;
    for (unit, is_there) in [(0, has_counter), (1, uses_unit(code, 1))] {
        if let Some(first) = blocks.first_mut().filter(|_| is_there) {
            let op = Op::Integer(Integer::MovImm);
            let (to, zero) = ([Operand::reg(GPR, unit, 1)], [Operand::imm(0)]);
            first.insert(0, Line::new(op, &to, &zero, Modifiers::default()));
        }
    }
    let mut starts = Vec::with_capacity(blocks.len() + 1);
    let mut at = 0;
    for block in &blocks {
        starts.push(at);
        at += block.len();
    }
    let mut lines: Vec<Line> = blocks.into_iter().flatten().collect();
    for line in &mut lines {
        line.target = line.target.map(|block| starts[block]);
    }
    lines
}

fn block_lines(code: &Code, block: Block, end: End) -> Vec<Line> {
    let mut lines = Vec::with_capacity(code.insts(block).len());
    for &inst in code.insts(block) {
        let first = lines.len();
        match code.op(inst) {
            Mach::Machine(_) => lines.extend(machine(code, inst)),
            Mach::Pcopy => lines.extend(copy(code.defs(inst)[0], code.uses(inst)[0])),
            Mach::Swap => lines.extend(exchange(code.defs(inst)[0], code.defs(inst)[1])),
            Mach::Return if end == End::Stop => lines.extend(stop()),
            _ => {}
        }
        lines[first..].iter_mut().for_each(|line| line.span = code.inst(inst).span);
    }
    lines
}

fn stop() -> Vec<Line> {
    let line = |op: Control| Line::new(Op::Control(op), &[], &[], Modifiers::default());
    let mut lines = vec![line(Control::Stop)];
    lines.extend(vec![line(Control::Trap); TRAPS]);
    lines
}

fn machine(code: &Code, inst: Inst) -> Vec<Line> {
    let Some(op) = operation(code, inst) else { return Vec::new() };
    let line = Line::new(op, code.defs(inst), code.uses(inst), modifiers(code, inst));
    if op == Op::Memory(Memory::Wait) {
        let of = |slot: bool| Line { modifiers: Modifiers { slot, ..Modifiers::default() }, ..line.clone() };
        let mask = line.modifiers.mask;
        return [false, true].into_iter().filter(|&slot| mask >> u8::from(slot) & 1 == 1).map(of).collect();
    }
    let label = code.uses(inst).iter().find_map(|used| match used.what {
        What::Label(block) => Some(block.0 as usize),
        _ => None,
    });
    vec![Line { target: label, ..line }]
}

fn copy(to: Operand, from: Operand) -> Vec<Line> {
    // What nobody has defined needs no copy, either.
    if from.reg.is_none() || to.reg == from.reg && to.file == from.file {
        return Vec::new();
    }
    let of = |n: u16| {
        let half = |o: Operand| Operand::reg(GPR, o.reg.unwrap_or(0) + n, to.size.min(2));
        let modifiers = Modifiers { table: COPY, ..Modifiers::default() };
        Line::new(Op::Integer(Integer::Bitop), &[half(to)], &[half(from), Operand::imm(0)], modifiers)
    };
    (0..to.size).step_by(2).map(of).collect()
}

/// a ^= b, b ^= a, a ^= b; the halves of one register by a rotation.
fn exchange(a: Operand, b: Operand) -> Vec<Line> {
    let place = |o: &Operand| Operand::reg(GPR, o.reg.unwrap_or(0), o.size);
    let (a, b) = (place(&a), place(&b));
    if let (1, Some(low), Some(high)) = (a.size, a.reg.min(b.reg), a.reg.max(b.reg))
        && low % 2 == 0
        && high == low + 1
    {
        let whole = Operand::reg(GPR, low, 2);
        let uses = [whole, whole, Operand::imm(16)];
        return vec![Line::new(Op::Integer(Integer::Extr), &[whole], &uses, Modifiers::default())];
    }
    let modifiers = Modifiers { table: XOR, ..Modifiers::default() };
    let one = |(to, other)| Line::new(Op::Integer(Integer::Bitop), &[to], &[to, other], modifiers);
    [(a, b), (b, a), (a, b)].map(one).to_vec()
}

/// Places of two lines one behind the other.
fn neighbours(blocks: &[Vec<Line>]) -> Vec<[(usize, usize); 2]> {
    let all: Vec<(usize, usize)> =
        blocks.iter().enumerate().flat_map(|(b, lines)| (0..lines.len()).map(move |n| (b, n))).collect();
    all.windows(2).map(|two| [two[0], two[1]]).collect()
}

/// Drops nesting around nothing; whether there was some.
fn drop_idle(blocks: &mut [Vec<Line>]) -> bool {
    use Control as C;
    for [(a, n), (b, m)] in neighbours(blocks) {
        let (first, second) = (&blocks[a][n], &blocks[b][m]);
        let Op::Control(C::PopExec) = second.op else { continue };
        match first.op {
            Op::Control(C::ElseExec) => {}
            Op::Control(C::IfIcmp | C::IfFcmp | C::PushExec)
                if first.modifiers.levels == second.modifiers.levels =>
            {
                blocks[b].remove(m);
            }
            _ => continue,
        }
        blocks[a].remove(n);
        return true;
    }
    false
}
