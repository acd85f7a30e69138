//! Subgroup operations across lanes: runs of consecutive lanes of the workgroup.

use super::domain::{Domain, Inconclusive};
use super::exec::{Outcome, Walk};
use super::frame::Frame;
use super::{Fault, FaultKind};
use crate::{Combine, Group, Inst, Op, Value};

impl<'m, D: Domain> Walk<'m, D> {
    pub(super) fn lane_op(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, here: &[u32]) -> Outcome {
        let size = self.options.subgroup.max(1);
        let mut rest = here;
        while let Some(&first) = rest.first() {
            let end = (first / size + 1) * size;
            let count = rest.partition_point(|&lane| lane < end);
            self.in_subgroup(fr, inst, op, &rest[..count], first / size * size)?;
            rest = &rest[count..];
        }
        Ok(())
    }

    /// The active lanes of one subgroup, which begins at lane `base`.
    fn in_subgroup(
        &mut self,
        fr: &mut Frame<'m, D>,
        inst: Inst,
        op: Op,
        active: &[u32],
        base: u32,
    ) -> Outcome {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return Ok(()) };
        let number = |fr: &Frame<'m, D>, v: Value, lane: u32| self.domain.bits(fr.get(v, 0, lane)) as u32;
        let first = active[0];
        if active.iter().any(|&lane| self.notes[lane as usize].0.is_some()) {
            active.iter().for_each(|&lane| self.notes[lane as usize].add(Inconclusive::Taken));
        }
        match op {
            Op::Elect => self.answer(fr, inst, active, |_, lane| u64::from(lane == first)),
            Op::VoteAll | Op::VoteAny => {
                let holds = |lane: &u32| number(fr, args[0], *lane) & 1 == 1;
                let vote =
                    if op == Op::VoteAll { active.iter().all(holds) } else { active.iter().any(holds) };
                self.answer(fr, inst, active, |_, _| u64::from(vote));
            }
            Op::VoteEqual => {
                let leaves = fr.layout(args[0]).leaves.len();
                let bits = |leaf, lane| self.domain.bits(fr.get(args[0], leaf, lane));
                let equal = (0..leaves).all(|i| active.iter().all(|&lane| bits(i, lane) == bits(i, first)));
                self.answer(fr, inst, active, |_, _| u64::from(equal));
            }
            Op::Ballot => {
                let mask = active.iter().filter(|&&lane| number(fr, args[0], lane) & 1 == 1);
                let mask = mask.fold(0u128, |mask, lane| mask | 1 << (lane - base).min(127));
                for i in 0..fr.layout(result).leaves.len() {
                    let word = self.domain.of_bits((mask >> (32 * i)) as u64 & 0xffff_ffff);
                    active.iter().for_each(|&lane| fr.set(result, i, lane, word));
                }
            }
            Op::InverseBallot | Op::BallotBit | Op::BallotCount(_) | Op::BallotLsb | Op::BallotMsb => {
                self.ballot_question(fr, inst, op, active, base);
            }
            Op::LaneCombine(combine, group) => self.reduce(fr, inst, combine, group, active, base),
            _ => return self.moved(fr, inst, op, active, base),
        }
        Ok(())
    }

    fn ballot_question(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, active: &[u32], base: u32) {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return };
        for &lane in active {
            let leaves = fr.layout(args[0]).leaves.len();
            let words =
                (0..leaves).map(|i| u128::from(self.domain.bits(fr.get(args[0], i, lane))) << (32 * i));
            let mask: u128 = words.sum();
            let own = (lane - base).min(127);
            let below = (1u128 << own) - 1;
            let bits = match op {
                Op::InverseBallot => (mask >> own & 1) as u64,
                Op::BallotBit => {
                    let n = self.domain.bits(fr.get(args[1], 0, lane)).min(127);
                    (mask >> n & 1) as u64
                }
                Op::BallotCount(Group::Inclusive) => (mask & (below | 1 << own)).count_ones().into(),
                Op::BallotCount(Group::Exclusive) => (mask & below).count_ones().into(),
                Op::BallotCount(_) => mask.count_ones().into(),
                Op::BallotLsb => mask.trailing_zeros().min(127).into(),
                _ => (127 - mask.leading_zeros().min(127)).into(),
            };
            fr.set(result, 0, lane, self.domain.of_bits(bits));
        }
    }

    fn reduce(
        &mut self,
        fr: &mut Frame<'m, D>,
        inst: Inst,
        combine: Combine,
        group: Group,
        active: &[u32],
        base: u32,
    ) {
        let f = fr.f;
        let v = f.args(inst)[0];
        let Some(result) = f.result_of(inst) else { return };
        for (i, &(leaf, _)) in fr.layout(v).leaves.iter().enumerate() {
            for &lane in active {
                let takes_part = |other: u32| match group {
                    Group::Reduce => true,
                    Group::Inclusive => other <= lane,
                    Group::Exclusive => other < lane,
                    Group::Clustered(n) => {
                        (other - base) / u32::from(n.max(1)) == (lane - base) / u32::from(n.max(1))
                    }
                };
                let mut all = None;
                for &other in active.iter().filter(|&&other| takes_part(other)) {
                    let s = fr.get(v, i, other);
                    all = Some(all.map_or(s, |a| self.combined(combine, leaf, a, s, lane)));
                }
                let s = all.unwrap_or_else(|| self.scalar(leaf, identity(combine, leaf)));
                fr.set(result, i, lane, s);
            }
        }
    }

    /// Values of other lanes. What one has that is not active nobody defines: the lane's own, or what undefined values are
    /// filled with.
    fn moved(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, active: &[u32], base: u32) -> Outcome {
        let f = fr.f;
        let args = f.args(inst);
        let Some(result) = f.result_of(inst) else { return Ok(()) };
        let size = self.options.subgroup.max(1);
        let mut from = Vec::with_capacity(active.len());
        for &lane in active {
            let n = args.get(1).map_or(0, |&v| self.domain.bits(fr.get(v, 0, lane)) as u32);
            let own = lane - base;
            let other = match op {
                Op::BroadcastFirst => active[0] - base,
                Op::Broadcast | Op::LaneShuffle => n,
                Op::LaneXor => own ^ n,
                Op::LaneUp => own.wrapping_sub(n),
                Op::LaneDown => own.wrapping_add(n),
                Op::LaneRotate(0) => own.wrapping_add(n) % size,
                Op::LaneRotate(c) => own / u32::from(c) * u32::from(c) + own.wrapping_add(n) % u32::from(c),
                Op::QuadBroadcast => own & !3 | n & 3,
                Op::QuadSwap(direction) => own ^ [1, 2, 3][usize::from(direction.min(2))],
                _ => {
                    let kind = FaultKind::NotInterpreted(op.info().name);
                    return Err(Box::new(Fault::new(kind, f.inst(inst).span)));
                }
            };
            let there = (other < size).then(|| base + other).filter(|l| active.binary_search(l).is_ok());
            from.push(there.or(Some(lane).filter(|_| self.options.undef == 0)));
        }
        for (i, &(leaf, _)) in fr.layout(result).leaves.iter().enumerate() {
            let of = |lane: Option<u32>| match lane {
                Some(lane) => fr.get(args[0], i, lane),
                None => self.scalar(leaf, self.options.undef),
            };
            let moved: Vec<D::Scalar> = from.iter().map(|&lane| of(lane)).collect();
            active.iter().zip(moved).for_each(|(&lane, s)| fr.set(result, i, lane, s));
        }
        Ok(())
    }
}

/// What changes nothing, as bits.
fn identity(combine: Combine, leaf: super::layout::Leaf) -> u64 {
    let bits = match leaf {
        super::layout::Leaf::Int(bits) | super::layout::Leaf::Float(bits) => bits,
        _ => 1,
    };
    combine.identity(bits)
}
