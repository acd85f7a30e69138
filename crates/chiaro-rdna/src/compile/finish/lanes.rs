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
