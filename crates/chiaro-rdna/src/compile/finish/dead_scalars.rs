//! Scalar instructions whose results nobody reads: conditions made again, lanes kept for nobody.
//!
//! ```text
//! s_cmp_lt_u32 s0, 4                         (nothing, if SCC is written again before it is read)
//!
//! s_and_saveexec_b32 s2, s1                  s_andn2_b32 exec_lo, exec_lo, s1      (s2 is dead)
//! s_andn2_b32 exec_lo, s2, exec_lo
//!
//! v_cmp_lt_u32_e64 s1, 4, v0                 v_cmpx_lt_u32_e32 4, v0               (both are dead)
//! s_and_saveexec_b32 s2, s1
//!
//! s_mov_b32 exec_lo, 0                       s_mov_b32 exec_lo, s12
//! s_or_b32 exec_lo, exec_lo, s12
//!
//! s_mov_b32 s12, exec_lo                     (the first alone, which is dead then)
//! s_mov_b32 exec_lo, s12
//! ```
//!
//! Lanes that leave loops and functions are switched off by masks of all their constructs; what they make of EXEC is
//! often known only when all of it stands in one line.

use chiaro_mach::{Operand, What};

use super::line::{Line, SCC_UNIT, is_exec, numbers};
use crate::compile::code::{SCALAR, SCC, implied, is_counted, row};
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::regs::SGPRS;
use crate::regs::code::VCC_LO;

/// Scalar registers by their codes, and SCC behind them.
type Units = [u64; 3];
/// Rounds, at most: what one drops shows the next one more.
const ROUNDS: u32 = 4;

/// Drops what nobody reads from a program; targets are numbers of lines.
pub(super) fn dead_scalars(lines: &mut Vec<Line>, wave: u8) {
    let mut touched: Vec<[Units; 2]> = lines.iter().map(|line| touched_by(line, wave)).collect();
    for _ in 0..ROUNDS {
        let live = Live::of(lines, &touched);
        let mut kept = vec![true; lines.len()];
        for at in join_pairs(lines, &live, &mut kept) {
            touched[at] = touched_by(&lines[at], wave);
        }
        (0..lines.len())
            .filter(|&at| is_dead(&lines[at], &live.after[at], wave))
            .for_each(|at| kept[at] = false);
        if kept.iter().all(|kept| *kept) {
            return;
        }
        compact(lines, &kept);
        let mut stays = kept.into_iter();
        touched.retain(|_| stays.next().unwrap_or(true));
    }
}

/// Registers that are read later: behind each line.
struct Live {
    after: Vec<Units>,
    /// Lines that jumps lead to.
    entered: Vec<bool>,
}

impl Live {
    fn of(lines: &[Line], touched: &[[Units; 2]]) -> Live {
        let mut entered = vec![false; lines.len() + 1];
        lines.iter().filter_map(|line| line.target).for_each(|to| entered[to] = true);
        let mut live = Live { after: vec![Units::default(); lines.len()], entered };
        let mut before = vec![Units::default(); lines.len() + 1];
        // A round for each loop that is in another one, and one that finds nothing new.
        let has_loops = lines.iter().enumerate().any(|(at, line)| line.target.is_some_and(|to| to <= at));
        while live.round(lines, touched, &mut before) && has_loops {}
        live
    }

    fn round(&mut self, lines: &[Line], touched: &[[Units; 2]], before: &mut [Units]) -> bool {
        let mut grows = false;
        for at in (0..lines.len()).rev() {
            let line = &lines[at];
            let on = if line.leaves() { Units::default() } else { before[at + 1] };
            let jumped = line.target.map_or(Units::default(), |to| before[to]);
            let [written, read] = touched[at];
            let (mut after, mut own) = (on, read);
            for n in 0..after.len() {
                after[n] |= jumped[n];
                own[n] |= after[n] & !written[n];
            }
            grows |= own != before[at];
            (self.after[at], before[at]) = (after, own);
        }
        grows
    }
}

/// What a line writes and reads.
fn touched_by(line: &Line, wave: u8) -> [Units; 2] {
    // Others read what is there where functions meet.
    if line.callee.is_some() || line.op == Op::Sop1(Sop1::SetpcB64) {
        return [Units::default(), [u64::MAX; 3]];
    }
    let [written, mut read] = implied(line.op, wave);
    let mut defs = &line.defs[..];
    if is_counted(line.op) {
        // One of the registers that M0 may count on to is written: the others stay.
        read.extend(std::mem::take(&mut defs));
    }
    [units(defs.iter().chain(&written)), units(line.uses.iter().chain(&read))]
}

fn units<'a>(operands: impl Iterator<Item = &'a Operand>) -> Units {
    let mut units = Units::default();
    for operand in operands {
        numbers(operand).for_each(|unit| units[usize::from(unit / 64)] |= 1 << (unit % 64));
    }
    units
}

fn is_read(units: &Units, operand: &Operand) -> bool {
    numbers(operand).any(|unit| is_among(units, unit))
}

fn is_among(units: &Units, unit: u16) -> bool {
    units[usize::from(unit / 64)] >> (unit % 64) & 1 == 1
}

/// Whether a line computes by scalars what nobody reads. Registers that are no values are read by more than lines say.
fn is_dead(line: &Line, after: &Units, wave: u8) -> bool {
    let computes = match line.op {
        Op::Sop2(_) | Op::Sopc(_) => true,
        Op::Sop1(_) => !matches!(row(line.op).name, "s_setpc_b64" | "s_swappc_b64" | "s_rfe_b64"),
        _ => false,
    };
    if !computes {
        return false;
    }
    let [written, _] = implied(line.op, wave);
    let is_value = |def: &Operand| {
        def.file == SCC || def.file == SCALAR && def.reg.is_some_and(|unit| unit < SGPRS || unit == VCC_LO)
    };
    let mut all = line.defs.iter().chain(&written).peekable();
    all.peek().is_some() && all.all(|def| is_value(def) && !is_read(after, def))
}

/// Rewrites pairs of changes of EXEC that stand together; which lines are others now.
fn join_pairs(lines: &mut [Line], live: &Live, kept: &mut [bool]) -> Vec<usize> {
    let mut rewritten = Vec::new();
    for at in 1..lines.len() {
        if live.entered[at] || !kept[at - 1] {
            continue;
        }
        let [first, second] = [&lines[at - 1], &lines[at]];
        if let Some(line) = none_and_some(first, second, &live.after[at])
            .or_else(|| others(first, second, live, at))
            .or_else(|| compared(first, second, &live.after[at]))
        {
            (lines[at], kept[at - 1]) = (line, false);
            rewritten.push(at);
        } else if is_undone(first, second) {
            kept[at] = false;
        }
    }
    rewritten
}

/// No lanes, and then some.
fn none_and_some(first: &Line, second: &Line, after: &Units) -> Option<Line> {
    let (exec, from) = first.moved()?;
    let (Op::Sop2(Sop2::OrB32 | Sop2::OrB64), &[a, b], &[to]) =
        (second.op, &second.uses[..], &second.defs[..])
    else {
        return None;
    };
    let is_plain = is_exec(&exec) && from.what == What::Imm(0) && is_exec(&to) && is_exec(&a) && !is_exec(&b);
    (is_plain && !is_among(after, SCC_UNIT)).then(|| Line {
        op: first.op,
        defs: vec![to],
        uses: vec![b],
        ..second.clone()
    })
}

/// Some lanes, and then those of the others, where nobody asks for all of them later.
fn others(first: &Line, second: &Line, live: &Live, at: usize) -> Option<Line> {
    let is_pair = matches!(
        (first.op, second.op),
        (Op::Sop1(Sop1::AndSaveexecB32), Op::Sop2(Sop2::Andn2B32))
            | (Op::Sop1(Sop1::AndSaveexecB64), Op::Sop2(Sop2::Andn2B64))
    );
    let (&saved, &mask, &[from, less], &to) =
        (first.defs.first()?, first.uses.first()?, &second.uses[..], second.defs.first()?)
    else {
        return None;
    };
    let is_rest = is_exec(&less) || same_place(&mask, &less);
    let is_same = saved.reg == from.reg && is_rest && saved.reg != mask.reg && is_exec(&to);
    (is_pair && is_same && !is_read(&live.after[at], &saved))
        .then(|| Line { uses: vec![to, mask], ..second.clone() })
}

/// Lanes are compared, and some of them run on; nobody asks for the mask or for those that ran.
fn compared(first: &Line, second: &Line, after: &Units) -> Option<Line> {
    let (Op::Vopc(op), Op::Sop1(Sop1::AndSaveexecB32 | Sop1::AndSaveexecB64)) = (first.op, second.op) else {
        return None;
    };
    let (mask, used, saved) = (first.defs.first()?, second.uses.first()?, second.defs.first()?);
    let is_seen = is_among(after, SCC_UNIT) || [mask, saved].into_iter().any(|mask| is_read(after, mask));
    let op = op.running().filter(|_| same_place(mask, used) && !is_seen)?;
    Some(Line { op: Op::Vopc(op), defs: Vec::new(), ..first.clone() })
}

/// What runs is kept, and runs then.
fn is_undone(first: &Line, second: &Line) -> bool {
    let (Some((kept, exec)), Some((to, from))) = (first.moved(), second.moved()) else { return false };
    is_exec(&exec) && is_exec(&to) && same_place(&kept, &from)
}

fn same_place(a: &Operand, b: &Operand) -> bool {
    a.in_file() && b.in_file() && (a.file, a.reg, a.size) == (b.file, b.reg, b.size)
}

/// Takes lines out; targets become numbers of those that stay.
fn compact(lines: &mut Vec<Line>, kept: &[bool]) {
    let mut place = Vec::with_capacity(kept.len() + 1);
    let mut next = 0;
    for &stays in kept {
        place.push(next);
        next += usize::from(stays);
    }
    place.push(next);
    lines.iter_mut().for_each(|line| line.target = line.target.map(|to| place[to]));
    let mut stays = kept.iter();
    lines.retain(|_| stays.next().is_none_or(|stays| *stays));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::code::VECTOR;
    use crate::isa::sopc::Sopc;
    use crate::isa::sopp::Sopp;
    use crate::isa::vopc::Vopc;
    use crate::regs::code::EXEC_LO;

    fn s(unit: u16) -> Operand {
        Operand::reg(SCALAR, unit, 1)
    }

    fn exec() -> Operand {
        s(EXEC_LO)
    }

    fn line(op: Op, defs: &[Operand], uses: &[Operand]) -> Line {
        Line::new(op, defs.to_vec(), uses.to_vec())
    }

    fn mov(to: Operand, from: Operand) -> Line {
        line(Op::Sop1(Sop1::MovB32), &[to], &[from])
    }

    fn compare(unit: u16) -> Line {
        line(Op::Sopc(Sopc::CmpEqU32), &[], &[s(unit), Operand::imm(0)])
    }

    fn branch(op: Sopp, target: usize) -> Line {
        Line { target: Some(target), ..line(Op::Sopp(op), &[], &[]) }
    }

    fn end() -> Line {
        line(Op::Sopp(Sopp::Endpgm), &[], &[])
    }

    /// A program as names and targets, after the pass.
    fn after(mut lines: Vec<Line>) -> Vec<(&'static str, Option<usize>)> {
        dead_scalars(&mut lines, 32);
        lines.iter().map(|line| (row(line.op).name, line.target)).collect()
    }

    fn leaving(behind: Line) -> Vec<(&'static str, Option<usize>)> {
        let save = line(Op::Sop1(Sop1::AndSaveexecB32), &[s(2)], &[s(1)]);
        let rest = line(Op::Sop2(Sop2::Andn2B32), &[exec()], &[s(2), s(1)]);
        after(vec![save, rest, behind, end()])
    }

    #[test]
    fn conditions_that_are_made_again_are_made_once() {
        let asked = |line| vec![compare(0), line, compare(1), branch(Sopp::CbranchScc0, 4), end()];
        let kept = [("s_cmp_eq_u32", None), ("s_cbranch_scc0", Some(2)), ("s_endpgm", None)];
        assert_eq!(after(asked(mov(s(3), s(4)))), kept);
        assert_eq!(after(asked(branch(Sopp::CbranchScc1, 4))).len(), 5);
    }

    #[test]
    fn lanes_that_leave_are_taken_from_those_that_run() {
        assert_eq!(leaving(mov(s(5), s(6))), [("s_andn2_b32", None), ("s_endpgm", None)]);
        // Who runs again is asked for.
        let again =
            [("s_and_saveexec_b32", None), ("s_andn2_b32", None), ("s_mov_b32", None), ("s_endpgm", None)];
        assert_eq!(leaving(mov(exec(), s(2))), again);
    }

    #[test]
    fn none_and_some_are_some() {
        let some = line(Op::Sop2(Sop2::OrB32), &[exec()], &[exec(), s(7)]);
        let lines = |entry| {
            vec![
                mov(s(7), exec()),
                mov(exec(), Operand::imm(0)),
                some.clone(),
                branch(Sopp::CbranchExecz, entry),
                end(),
            ]
        };
        assert_eq!(after(lines(4)), [("s_cbranch_execz", Some(1)), ("s_endpgm", None)]);
        // Who jumps in between has other lanes.
        assert_eq!(after(lines(2)).len(), 5);
    }

    #[test]
    fn comparisons_switch_lanes_off_where_nobody_asks_for_masks() {
        let lane = Operand::reg(VECTOR, 0, 1);
        let compared = line(Op::Vopc(Vopc::CmpLtU32), &[s(1)], &[Operand::imm(4), lane]);
        let some = line(Op::Sop1(Sop1::AndSaveexecB32), &[s(2)], &[s(1)]);
        let names = |rest: &[Line]| {
            let lines = [&[compared.clone(), some.clone()], rest, &[end()]].concat();
            after(lines).into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(&[]), ["v_cmpx_lt_u32", "s_endpgm"]);
        let kept = ["v_cmp_lt_u32", "s_and_saveexec_b32", "s_mov_b32", "s_endpgm"];
        assert_eq!(names(&[mov(exec(), s(2))]), kept, "the lanes come back");
        assert_eq!(names(&[mov(exec(), s(1))]), kept, "the mask is read");
        let branched = names(&[branch(Sopp::CbranchScc0, 3)]);
        assert_eq!(branched[1], "s_and_saveexec_b32", "it is asked whether any are left");
    }

    #[test]
    fn what_the_next_iteration_reads_stays() {
        let step = line(Op::Sop2(Sop2::AddU32), &[s(0)], &[s(0), Operand::imm(1)]);
        let lines = vec![compare(0), branch(Sopp::CbranchScc1, 4), step, branch(Sopp::Branch, 0), end()];
        assert_eq!(after(lines).len(), 5);
    }
}
