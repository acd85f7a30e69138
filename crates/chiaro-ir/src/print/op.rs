//! Operations as text: the name, then what else distinguishes them, behind dots.

use crate::op::{Combine, Group, Op, Scope, Semantics};
use crate::words::{QUERIES, SEMANTICS, TAKEN, word_of};
use std::fmt::{Display, Write};

/// Writes an operation without its operands; whom it calls or leaves is an operand here.
pub(super) fn write_op(out: &mut String, op: Op) {
    out.push_str(op.info().name);
    let mut dot = |part: &dyn Display| {
        let _ = write!(out, ".{part}");
    };
    match op {
        Op::Extract(n) | Op::Insert(n) | Op::ArrayLength(n) => dot(&n),
        Op::Shuffle(parts) => shuffle(parts, &mut dot),
        Op::Var(crate::Space::Function) => {}
        Op::Var(space) => dot(&space.name()),
        Op::Atomic(combine, at, order) => {
            dot(&combine_word(combine));
            scope(at, &mut dot);
            semantics(order, &mut dot);
        }
        Op::AtomicCompare(at, order)
        | Op::AtomicLoad(at, order)
        | Op::AtomicStore(at, order)
        | Op::MemoryBarrier(at, order) => {
            scope(at, &mut dot);
            semantics(order, &mut dot);
        }
        Op::ControlBarrier(who, memory, order) => {
            scope(who, &mut dot);
            scope(memory, &mut dot);
            semantics(order, &mut dot);
        }
        Op::Sample(sampling) => sampling.names().for_each(|name| dot(&name)),
        Op::ImageQuery(query) => dot(&word_of(&QUERIES, query)),
        Op::Interpolate(taken) => dot(&word_of(&TAKEN, taken)),
        Op::BallotCount(lanes) => group(lanes, &mut dot),
        Op::LaneRotate(0) => {}
        Op::LaneRotate(n) | Op::QuadSwap(n) | Op::EmitVertex(n) | Op::EndPrimitive(n) => dot(&n),
        Op::LaneCombine(combine, lanes) => {
            dot(&combine_word(combine));
            group(lanes, &mut dot);
        }
        Op::Clock(at) => scope(at, &mut dot),
        Op::RayQuery(n) | Op::Native(n) => dot(&n),
        Op::Print(n) => dot(&n),
        Op::Trap(n) => dot(&n),
        Op::EndHit(accepts) => dot(&accepts),
        _ => {}
    }
}

fn combine_word(combine: Combine) -> &'static str {
    word_of(&Combine::NAMES, combine)
}

fn scope(scope: Scope, dot: &mut dyn FnMut(&dyn Display)) {
    dot(&word_of(&Scope::NAMES, scope));
}

fn group(group: Group, dot: &mut dyn FnMut(&dyn Display)) {
    match group {
        Group::Reduce => dot(&"reduce"),
        Group::Inclusive => dot(&"inclusive"),
        Group::Exclusive => dot(&"exclusive"),
        Group::Clustered(n) => dot(&format_args!("cluster{n}")),
    }
}

fn semantics(Semantics(bits): Semantics, dot: &mut dyn FnMut(&dyn Display)) {
    let mut rest = bits;
    for (bit, word) in SEMANTICS {
        if bits & bit != 0 {
            dot(&word);
            rest &= !bit;
        }
    }
    if rest != 0 {
        dot(&format_args!("{rest:#x}"));
    }
}

/// Components that are any value are `_`; those at the end go without saying.
fn shuffle(parts: [u8; 4], dot: &mut dyn FnMut(&dyn Display)) {
    let used = parts.iter().rposition(|&part| part != 255).map_or(0, |at| at + 1);
    for &part in &parts[..used] {
        if part == 255 { dot(&"_") } else { dot(&part) }
    }
}
