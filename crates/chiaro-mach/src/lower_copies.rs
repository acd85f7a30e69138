//! Lowers parallel copies, collects and splits to moves, swaps, spills and reloads.
//!
//! Before: registers are allocated; a copy may read and write places in memory.
//! After: every `pcopy` is one move within a file. One from a register to itself costs nothing
//! and stays as a statement that two values are equal there, for the allocation checker.
//!
//! ```text
//! v3:r@r1, v4:r@r0 = pcopy v1:r@r0, v2:r@r1
//! ```
//! becomes, in a file with exchanges,
//! ```text
//! v3:r@r1, v4:r@r0 = swap v1:r@r0, v2:r@r1
//! ```

use crate::code::{Code, Inst};
use crate::copies::{Cargo, Move, Pair, Place, Scratch, Stuck, is_memory, sequence};
use crate::file::RegFile;
use crate::op::Op;
use crate::operand::{Operand, What};

/// Lowers every copy of a function that moves several things at once. An error names a copy
/// for which the allocator provided no scratch place.
pub fn lower_copies(code: &mut Code, files: &[RegFile]) -> Result<(), (Inst, Stuck)> {
    for block in code.blocks() {
        let is_several = |&inst: &Inst| matches!(code.op(inst), Op::Pcopy | Op::Collect | Op::Split);
        if !code.insts(block).iter().any(is_several) {
            continue;
        }
        let old = std::mem::take(&mut code.block_mut(block).insts);
        let mut new = Vec::with_capacity(old.len() + old.len() / 2);
        for inst in old {
            match code.op(inst) {
                Op::Pcopy | Op::Collect | Op::Split => lower(code, files, inst, &mut new)?,
                _ => new.push(inst),
            }
        }
        code.block_mut(block).insts = new;
    }
    Ok(())
}

fn lower(code: &mut Code, files: &[RegFile], inst: Inst, new: &mut Vec<Inst>) -> Result<(), (Inst, Stuck)> {
    let (anything, labels): (Vec<_>, Vec<_>) =
        pairs(code, inst).into_iter().partition(|(_, from)| from.what == What::Undef);
    let of = |o: &Operand| o.reg.map(|unit| Place { file: o.file, unit });
    let homes = labels.iter().filter_map(|(def, from)| {
        let home = from.value().map_or(def.file, |value| code.value_data(value).file);
        Some(Pair { to: of(def)?, from: of(from)?, size: def.size, home })
    });
    let homes: Vec<Pair> = homes.collect();
    let moves = sequence(&homes, files, scratch(code, files, inst)).map_err(|stuck| (inst, stuck))?;
    let span = code.inst(inst).span;
    for step in moves {
        let (op, defs, uses) = spell(&step, &labels, files);
        // What stays where it is under its own name states nothing.
        if defs[0] == uses[0] {
            continue;
        }
        let made = code.make(op, &defs, &uses);
        code.inst_mut(made).span = span;
        new.push(made);
    }
    // Nothing moves there, and the checker is told that whatever is in the register will do.
    for (def, from) in anything {
        new.push(code.make(Op::Pcopy, &[def], &[from]));
    }
    Ok(())
}

/// What goes where: definition and use of the same size, pair by pair.
pub(crate) fn pairs(code: &Code, inst: Inst) -> Vec<(Operand, Operand)> {
    let (defs, uses) = (code.defs(inst), code.uses(inst));
    let all: Vec<(Operand, Operand)> = match code.op(inst) {
        Op::Collect => defs.iter().take(1).flat_map(|def| parts(def, uses)).collect(),
        Op::Split => uses.iter().flat_map(|from| parts(from, defs)).map(|(from, def)| (def, from)).collect(),
        _ => defs.iter().copied().zip(uses.iter().copied()).collect(),
    };
    all.into_iter().filter(|(_, from)| from.in_file() || from.what == What::Undef).collect()
}

/// The parts of a whole that lie behind one another, each with what they belong to.
fn parts(whole: &Operand, list: &[Operand]) -> Vec<(Operand, Operand)> {
    let mut at = 0;
    let part = |&other: &Operand| {
        let reg = whole.reg.map(|unit| unit + at);
        let part = Operand { reg, fixed: None, align: 1, ..whole.part(at, other.size) };
        at += other.size;
        // What is beyond the whole is scratch.
        (at <= whole.size).then_some((part, other))
    };
    list.iter().map_while(part).collect()
}

/// Definitions beyond the pairs are scratch.
fn scratch(code: &Code, files: &[RegFile], inst: Inst) -> Scratch {
    let mut scratch = Scratch::default();
    for def in code.defs(inst).iter().filter(|def| def.what == What::Reg) {
        if is_memory(files, def.file) {
            scratch.memory = def.reg.map(|unit| Place { file: def.file, unit });
        } else {
            scratch.register = def.reg;
        }
    }
    scratch
}

/// A move as an instruction.
fn spell(step: &Move, labels: &[(Operand, Operand)], files: &[RegFile]) -> (Op, Vec<Operand>, Vec<Operand>) {
    match *step {
        Move::Copy { to, from, size, cargo, done } => {
            let op = match (is_memory(files, to.file), is_memory(files, from.file)) {
                (true, _) => Op::Spill,
                (_, true) => Op::Reload,
                _ => Op::Pcopy,
            };
            let (def, used) = ends(labels, to, from, size, cargo, done);
            (op, vec![def], vec![used])
        }
        Move::Swap { a, b, size, into_a, into_b, b_done } => {
            let (def_a, use_b) = ends(labels, a, b, size, Some(into_a), true);
            let (def_b, use_a) = ends(labels, b, a, size, Some(into_b), b_done);
            (Op::Swap, vec![def_a, def_b], vec![use_b, use_a])
        }
    }
}

/// Both ends of a move. What has arrived has the name of the definition, what is on its way
/// still that of the use.
fn ends(
    labels: &[(Operand, Operand)],
    to: Place,
    from: Place,
    size: u16,
    cargo: Option<Cargo>,
    done: bool,
) -> (Operand, Operand) {
    let bare = |place: Place| Operand::reg(place.file, place.unit, size);
    let Some((cargo, (def, used))) = cargo.and_then(|c| Some((c, labels.get(c.pair)?))) else {
        return (bare(to), bare(from));
    };
    let named = |label: &Operand, place: Place| Operand {
        what: label.what,
        offset: label.offset + cargo.offset,
        ..bare(place)
    };
    (named(if done { def } else { used }, to), named(used, from))
}
