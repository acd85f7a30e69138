//! Cross-lane, table and memory operations: the reference for both
//! engines, which may have faster ways for some.

use crate::arith::Arith;
use crate::env::FloatEnv;
use crate::memory::Access;
use crate::op::Op;
use crate::state::{LANES, State};
use crate::uop::{Scope, Slot, Sum, Uop};

/// Does one special micro-op, float parts in the arithmetic `E`.
pub(crate) fn run<E: Arith>(state: &mut State, uop: &Uop, env: &FloatEnv) {
    match uop.op {
        Op::Imm => repeat(state, uop, |_, _, _| uop.imm),
        Op::LaneId => repeat(state, uop, |s, _, lane| u32::from(s.half) * LANES as u32 + lane as u32),
        Op::Dot => {
            let arith = E::new(env);
            per_lane(state, uop, uop.d[0], |s, lane| dot(arith, s, uop, lane));
        }
        Op::Row => row(state, uop),
        Op::Broadcast => repeat(state, uop, |s, i, _| wave(s, uop.a[i])),
        Op::Ballot => {
            let mask = state.truth(uop.a[0]) & state.active;
            set_wave(state, Slot(uop.d[0].0.saturating_add(state.half)), mask);
        }
        Op::MaskToLane => repeat(state, uop, |s, i, lane| {
            let word = wave(s, Slot(uop.a[i].0.saturating_add(s.half)));
            (word >> lane & 1).wrapping_neg()
        }),
        Op::ReadFirst => {
            let lane = state.active.trailing_zeros() as usize % LANES;
            set_wave(state, uop.d[0], state.lanes(uop.a[0]).0[lane]);
        }
        Op::Shuffle => shuffle(state, uop),
        _ => memory(state, uop),
    }
}

fn wave(state: &State, slot: Slot) -> u32 {
    state.waves.get(usize::from(slot.0)).copied().unwrap_or(0)
}

fn set_wave(state: &mut State, slot: Slot, value: u32) {
    if let Some(word) = state.waves.get_mut(usize::from(slot.0)) {
        *word = value;
    }
}

/// Writes `value` to the lanes that the scope selects.
fn per_lane(state: &mut State, uop: &Uop, d: Slot, value: impl Fn(&State, usize) -> u32) {
    for lane in 0..LANES {
        if uop.scope == Scope::Whole || state.is_active(lane) {
            let result = value(state, lane);
            state.lanes_mut(d).0[lane] = result;
        }
    }
}

fn repeat(state: &mut State, uop: &Uop, value: impl Fn(&State, usize, usize) -> u32) {
    for i in 0..usize::from(uop.count) {
        per_lane(state, uop, uop.d[i], |s, lane| value(s, i, lane));
    }
}

fn dot<E: Arith>(e: E, state: &State, uop: &Uop, lane: usize) -> u32 {
    let product = |i: usize| e.mul(state.lanes(uop.a[i]).0[lane], state.lanes(uop.b[i]).0[lane]);
    let count = usize::from(uop.count);
    if uop.imm == Sum::Pairs as u32 && count > 1 {
        let first = e.add(product(0), product(1));
        return match count {
            2 => first,
            3 => e.add(first, product(2)),
            _ => e.add(first, e.add(product(2), product(3))),
        };
    }
    (0..count).fold(0, |sum, i| e.add(sum, product(i)))
}

fn row(state: &mut State, uop: &Uop) {
    // The index may share a slot with a result.
    let index = *state.lanes(uop.a[0]);
    for (k, d) in uop.d.into_iter().enumerate() {
        per_lane(state, uop, d, |s, lane| {
            let table = &s.tables[uop.imm as usize & 0xFF];
            table.row(index.0[lane].wrapping_add(uop.imm >> 8))[k]
        });
    }
}

fn shuffle(state: &mut State, uop: &Uop) {
    for i in 0..usize::from(uop.count) {
        let from = *state.lanes(uop.a[i]);
        per_lane(state, uop, uop.d[i], |s, lane| from.0[s.lanes(uop.b[i]).0[lane] as usize % LANES]);
    }
}

/// Loads, stores and atomics, lane after lane in ascending order: that is the
/// order in which lanes on the same address see each other.
fn memory(state: &mut State, uop: &Uop) {
    for lane in 0..LANES {
        if uop.scope != Scope::Whole && !state.is_active(lane) {
            continue;
        }
        let value = |slot: Slot| state.lanes(slot).0[lane];
        let access = Access {
            pc: state.pc,
            lane: u32::from(state.half) * LANES as u32 + lane as u32,
            space: uop.imm,
            address: u64::from(value(uop.a[0])) | u64::from(value(uop.a[1])) << 32,
            size: match uop.op {
                Op::Load8 | Op::Store8 => 1,
                Op::Load16 | Op::Store16 => 2,
                _ => 4,
            },
        };
        let (b, c) = (value(uop.b[0]), value(uop.c[0]));
        match uop.op {
            Op::Store8 | Op::Store16 | Op::Store32 => state.memory.store(access, b),
            Op::Load8 | Op::Load16 | Op::Load32 => {
                state.lanes_mut(uop.d[0]).0[lane] = state.memory.load(access);
            }
            _ => {
                let old = state.memory.load(access);
                state.memory.store(access, atomic(uop.op, old, b, c));
                state.lanes_mut(uop.d[0]).0[lane] = old;
            }
        }
    }
}

/// What an atomic operation leaves in memory.
fn atomic(op: Op, old: u32, b: u32, c: u32) -> u32 {
    match op {
        Op::AtomicAdd => old.wrapping_add(b),
        Op::AtomicAnd => old & b,
        Op::AtomicOr => old | b,
        Op::AtomicXor => old ^ b,
        Op::AtomicMinU => old.min(b),
        Op::AtomicMaxU => old.max(b),
        Op::AtomicMinS => (old as i32).min(b as i32) as u32,
        Op::AtomicMaxS => (old as i32).max(b as i32) as u32,
        Op::AtomicSwap => b,
        Op::AtomicCompareSwap if old == b => c,
        _ => old,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::Ieee;
    use crate::memory::Space;
    use crate::state::Lanes;

    #[test]
    fn masks_travel_between_lanes_and_wave() {
        let mut state = State::new(4, 4);
        state.lanes[0] = Lanes(std::array::from_fn(|lane| u32::from(lane % 3 == 0)));
        (state.active, state.half) = (0xFFFF, 1);
        let slots = |n| [Slot(n); 4];
        let env = FloatEnv::IEEE;
        run::<Ieee>(&mut state, &Uop { d: slots(2), ..Uop::new(Op::Ballot) }, &env);
        assert_eq!(state.waves, [0, 0, 0, 0b1001_0010_0100_1001]);
        let back = Uop { d: slots(1), a: slots(2), scope: Scope::Whole, ..Uop::new(Op::MaskToLane) };
        run::<Ieee>(&mut state, &back, &env);
        assert_eq!(state.truth(Slot(1)), 0b1001_0010_0100_1001);
    }

    #[test]
    fn atomics_know_signs_and_what_was_there() {
        const MINUS_ONE: u32 = u32::MAX;
        let cases = [
            (Op::AtomicAdd, MINUS_ONE, 3, 2),
            (Op::AtomicAnd, 12, 10, 8),
            (Op::AtomicOr, 12, 10, 14),
            (Op::AtomicXor, 12, 10, 6),
            (Op::AtomicMinU, MINUS_ONE, 3, 3),
            (Op::AtomicMaxU, 3, MINUS_ONE, MINUS_ONE),
            (Op::AtomicMinS, 3, MINUS_ONE, MINUS_ONE),
            (Op::AtomicMaxS, MINUS_ONE, 3, 3),
            (Op::AtomicSwap, 12, 10, 10),
        ];
        for (op, old, b, left) in cases {
            assert_eq!(atomic(op, old, b, 7), left, "{op:?} of {old:#x} and {b:#x}");
        }
        assert_eq!(atomic(Op::AtomicCompareSwap, 12, 12, 7), 7);
        assert_eq!(atomic(Op::AtomicCompareSwap, 12, 10, 7), 12);
    }

    #[test]
    fn lanes_on_one_address_go_in_order() {
        let mut state = State::new(4, 0);
        state.memory.spaces.push(Space { bytes: vec![0; 8], ..Space::default() });
        state.lanes[2] = Lanes::splat(3);
        let add = Uop { d: [Slot(3); 4], b: [Slot(2); 4], ..Uop::new(Op::AtomicAdd) };
        run::<Ieee>(&mut state, &add, &FloatEnv::IEEE);
        assert_eq!(state.lanes[3].0[..4], [0, 3, 6, 9]);
        assert_eq!(state.memory.spaces[0].bytes[0], 96);
    }
}
