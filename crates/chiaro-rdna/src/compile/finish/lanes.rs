//! Changes of EXEC that nothing sees, and skips that take longer than what they skip.
//!
//! ```text
//! s_andn2_b32 exec_lo, s0, exec_lo   (nothing)
//! s_mov_b32 exec_lo, s0              s_mov_b32 exec_lo, s0
//! ```
//!
//! A skip over few instructions that do no harm without lanes is none (spec section 12.4).

use super::line::Line;
use crate::compile::code::{SCALAR, is_memory, row};
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sopp::Sopp;
use crate::regs::code::EXEC_LO;

/// What skipping is worth: scalar instructions twice, and vector instructions.
const WORTH: usize = 16;

/// Simplifies all blocks.
pub(super) fn simplify(blocks: &mut [Vec<Line>]) {
    drop_unseen(blocks);
    for at in 0..blocks.len() {
        drop_skip(blocks, at);
    }
}

fn writes_exec(line: &Line) -> bool {
    line.defs.iter().any(|def| def.file == SCALAR && def.reg == Some(EXEC_LO) && def.value().is_none())
}

/// Does nothing but set EXEC.
fn sets_exec(line: &Line) -> bool {
    writes_exec(line) && line.defs.len() == 1 && matches!(line.op, Op::Sop1(_) | Op::Sop2(_))
}

/// Sets EXEC to something that has nothing to do with what it was.
fn replaces_exec(line: &Line) -> bool {
    let reads =
        line.uses.iter().any(|used| used.file == SCALAR && used.reg == Some(EXEC_LO) && used.in_file());
    writes_exec(line) && !reads && matches!(line.op, Op::Sop1(_) | Op::Sop2(_))
}

/// A change of EXEC in front of another one: of several in a row the last one stays. One look at each line, from the
/// end.
fn drop_unseen(blocks: &mut [Vec<Line>]) {
    let mut follows = false;
    for block in blocks.iter_mut().rev() {
        block.reverse();
        block.retain(|line| {
            let is_unseen = follows && sets_exec(line);
            follows = is_unseen || replaces_exec(line);
            !is_unseen
        });
        block.reverse();
    }
}

/// A skip forward over what costs little and does nothing without lanes.
fn drop_skip(blocks: &mut [Vec<Line>], at: usize) {
    let Some(last) = blocks[at].last() else { return };
    let (Op::Sopp(Sopp::CbranchExecz), Some(to)) = (last.op, last.target) else { return };
    if to <= at {
        return;
    }
    let mut cost = 0;
    for line in blocks[at + 1..to.min(blocks.len())].iter().flatten() {
        if !is_harmless(line) {
            return;
        }
        cost += if matches!(line.op, Op::Sop1(_) | Op::Sop2(_) | Op::Sopc(_) | Op::Sopk(_)) { 2 } else { 1 };
        if cost > WORTH {
            return;
        }
    }
    blocks[at].pop();
}

/// Whether a line may run without lanes: no memory, no control, and no lane is read.
fn is_harmless(line: &Line) -> bool {
    let name = row(line.op).name;
    let reads_lane = name.starts_with("v_read") || name.starts_with("v_write");
    let waits = matches!(line.op, Op::Sopp(Sopp::Waitcnt));
    !is_memory(line.op)
        && line.callee.is_none()
        && !matches!(line.op, Op::Smem(_))
        && (waits || !matches!(line.op, Op::Sopp(_)))
        && !reads_lane
        || matches!(line.op, Op::Sop1(Sop1::MovB32 | Sop1::MovB64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::code::{SCC, VECTOR};
    use crate::isa::global::Global;
    use crate::isa::sop2::Sop2;
    use crate::isa::vop1::Vop1;
    use chiaro_mach::Operand;

    fn s(unit: u16) -> Operand {
        Operand::reg(SCALAR, unit, 1)
    }

    fn line(op: Op, defs: &[Operand], uses: &[Operand]) -> Line {
        Line::new(op, defs.to_vec(), uses.to_vec())
    }

    /// The names that are left of some blocks.
    fn left(mut blocks: Vec<Vec<Line>>) -> Vec<&'static str> {
        simplify(&mut blocks);
        blocks.iter().flatten().map(|line| row(line.op).name).collect()
    }

    #[test]
    fn of_several_changes_the_last_is_seen() {
        let exec = s(EXEC_LO);
        let rest = |defs: &[Operand]| line(Op::Sop2(Sop2::Andn2B32), defs, &[s(0), exec]);
        let mov = line(Op::Sop1(Sop1::MovB32), &[exec], &[s(0)]);
        for (lines, names) in [
            (vec![rest(&[exec]), mov.clone()], &["s_mov_b32"][..]),
            (vec![rest(&[exec]), rest(&[exec]), mov.clone()], &["s_mov_b32"]),
            // The other result may be asked for, and what reads EXEC needs what was there.
            (vec![rest(&[exec, Operand::reg(SCC, 0, 1)]), mov.clone()], &["s_andn2_b32", "s_mov_b32"]),
            (vec![mov.clone(), rest(&[exec])], &["s_mov_b32", "s_andn2_b32"]),
            (vec![rest(&[s(1)]), mov.clone()], &["s_andn2_b32", "s_mov_b32"]),
        ] {
            assert_eq!(left(vec![lines.clone()]), names);
            // The next block may begin with the change that is seen.
            let (first, last) = lines.split_at(1);
            assert_eq!(left(vec![first.to_vec(), last.to_vec()]), names);
        }
    }

    #[test]
    fn a_skip_over_little_is_none() {
        let v = |unit| Operand::reg(VECTOR, unit, 1);
        let skip = |to| Line { target: Some(to), ..line(Op::Sopp(Sopp::CbranchExecz), &[], &[]) };
        let vector = line(Op::Vop1(Vop1::MovB32), &[v(0)], &[v(1)]);
        let scalar = line(Op::Sop2(Sop2::AddU32), &[s(0)], &[s(0), s(1)]);
        let load = line(Op::Global(Global::LoadDword), &[v(0)], &[v(2)]);
        let read = line(Op::Vop1(Vop1::ReadfirstlaneB32), &[s(0)], &[v(0)]);
        let is_skipped = |lines: Vec<Line>, to| {
            let over = vec![vec![skip(to)], lines, vec![line(Op::Sopp(Sopp::Endpgm), &[], &[])]];
            left(over).contains(&"s_cbranch_execz")
        };
        for (lines, skipped) in [
            (vec![vector.clone(); WORTH], false),
            (vec![vector.clone(); WORTH + 1], true),
            (vec![scalar.clone(); WORTH / 2], false),
            (vec![scalar; WORTH / 2 + 1], true),
            (vec![load], true),
            (vec![read], true),
        ] {
            assert_eq!(is_skipped(lines, 2), skipped);
        }
        // A way back ends a loop.
        assert!(is_skipped(vec![vector], 0));
    }
}
