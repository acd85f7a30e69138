//! Across lanes: ballots, shuffles, reductions, scans, quads (spec 7).
//!
//! A shuffle takes the low two bits of its index from all lanes of the quad, active or not. An index in a register
//! stands in r0h for the shuffle alone and is 0 there else, so that lanes that do not run say nothing:
//!
//! ```text
//! mov r0h, index
//! simd_shuffle r4, r3, r0h
//! mov_imm r0h, 0
//! ```

use chiaro_ir as ir;
use chiaro_ir::{Combine, Group, Op as Ir};
use chiaro_mach::{Block, Operand};

use super::Select;
use super::interface::special;
use super::part::{From, Part, Widened};
use super::test::Test;
use crate::compile::code::condition::{ABOVE, BELOW, EQUAL, GREATER, INVERT, LESS};
use crate::compile::code::table::{AND, AND_NOT, COPY, OR, XOR};
use crate::compile::code::{GPR, Modifiers};
use crate::isa::Op;
use crate::isa::integer::Integer;
use crate::isa::simd::Simd;

/// The half that holds the index of a shuffle.
const INDEX: u16 = 1;
/// Lanes of a SIMD-group.
const LANES: u32 = crate::regs::LANES;
/// Modes of the operation that has no name of its own: scans of the smallest and of the largest float.
pub(in crate::compile) const SCAN_MIN: u8 = 1;
pub(in crate::compile) const SCAN_MAX: u8 = 2;

/// Who takes part in a machine operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reach {
    Quad,
    All,
    Below,
}

/// The machine's operation.
fn operation(combine: Combine, reach: Reach) -> Option<Simd> {
    use {Combine as C, Simd as S};
    Some(match (reach, combine) {
        (Reach::Quad, C::IAdd) => S::QuadIadd,
        (Reach::Quad, C::FAdd) => S::QuadFadd,
        (Reach::Quad, C::FMul) => S::QuadFmul,
        (Reach::Quad, C::SMin) => S::QuadMinS,
        (Reach::Quad, C::UMin) => S::QuadMinU,
        (Reach::Quad, C::FMin) => S::QuadMinF,
        (Reach::Quad, C::SMax) => S::QuadMaxS,
        (Reach::Quad, C::UMax) => S::QuadMaxU,
        (Reach::Quad, C::FMax) => S::QuadMaxF,
        (Reach::Quad, C::And) => S::QuadAnd,
        (Reach::Quad, C::Or) => S::QuadOr,
        (Reach::Quad, C::Xor) => S::QuadXor,
        (Reach::All, C::IAdd) => S::SimdIadd,
        (Reach::All, C::FAdd) => S::SimdFadd,
        (Reach::All, C::FMul) => S::SimdFmul,
        (Reach::All, C::SMin) => S::SimdMinS,
        (Reach::All, C::UMin) => S::SimdMinU,
        (Reach::All, C::FMin) => S::SimdMinF,
        (Reach::All, C::SMax) => S::SimdMaxS,
        (Reach::All, C::UMax) => S::SimdMaxU,
        (Reach::All, C::FMax) => S::SimdMaxF,
        (Reach::All, C::And) => S::SimdAnd,
        (Reach::All, C::Or) => S::SimdOr,
        (Reach::All, C::Xor) => S::SimdXor,
        (Reach::Below, C::IAdd) => S::SimdPrefixIadd,
        (Reach::Below, C::FAdd) => S::SimdPrefixFadd,
        (Reach::Below, C::FMul) => S::SimdPrefixFmul,
        (Reach::Below, C::SMin) => S::SimdPrefixMinS,
        (Reach::Below, C::UMin) => S::SimdPrefixMinU,
        (Reach::Below, C::SMax) => S::SimdPrefixMaxS,
        (Reach::Below, C::UMax) => S::SimdPrefixMaxU,
        (Reach::Below, C::And) => S::SimdPrefixAnd,
        (Reach::Below, C::Or) => S::SimdPrefixOr,
        (Reach::Below, C::Xor) => S::SimdPrefixXor,
        (Reach::Below, C::FMin | C::FMax) => S::SimdOp,
        _ => return None,
    })
}

impl Select<'_> {
    /// The scalars of a result across lanes; `None` if the machine cannot.
    pub(super) fn subgroup(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        let args: Vec<Vec<Part>> = self.f.args(inst).to_vec().into_iter().map(|v| self.value(v)).collect();
        let first = || args.first().and_then(|parts| parts.first()).copied();
        let lane = |s: &mut Self| s.special_register(at, special::LANE, 2);
        Some(match op {
            Ir::Elect => {
                let number = self.special_register(at, 58, 1);
                let lowest = self.is_number(at, number, 0);
                vec![self.truth(at, &lowest)]
            }
            Ir::VoteAll | Ir::VoteAny => {
                let wanted = if op == Ir::VoteAll { EQUAL } else { EQUAL | INVERT };
                let mask = self.ballot(at, wanted, first()?);
                let none = self.is_number(at, mask, 0);
                let test = if op == Ir::VoteAll { none } else { none.inverse() };
                vec![self.truth(at, &test)]
            }
            Ir::VoteEqual => vec![self.vote_equal(at, &args[0])?],
            Ir::Ballot => {
                let mask = self.ballot(at, EQUAL | INVERT, first()?);
                vec![mask, Part::number(0), Part::number(0), Part::number(0)]
            }
            Ir::InverseBallot => {
                let lane = lane(self);
                vec![self.bit_of(at, first()?, lane)]
            }
            Ir::BallotBit => vec![self.bit_of(at, first()?, *args.get(1)?.first()?)],
            Ir::BallotCount(group) => vec![self.ballot_count(at, first()?, group)],
            Ir::BallotLsb => vec![self.lowest(at, first()?)],
            Ir::BallotMsb => vec![self.highest(at, first()?)],
            Ir::BroadcastFirst => {
                let running = self.running(at);
                let lowest = self.lowest(at, running);
                self.each(at, &args[0], |s, part| s.of_lane(at, part, lowest))
            }
            Ir::LaneCombine(combine, group) => {
                let parts = args[0].clone();
                parts.into_iter().map(|part| self.combine(at, part, combine, group)).collect::<Option<_>>()?
            }
            _ => self.shuffled(at, op, &args)?,
        })
    }

    fn each(&mut self, _: Block, parts: &[Part], mut one: impl FnMut(&mut Self, Part) -> Part) -> Vec<Part> {
        parts.iter().map(|&part| one(self, part)).collect()
    }

    /// Which running lanes have a bool equal to 0, or not.
    fn ballot(&mut self, at: Block, condition: u8, bool: Part) -> Part {
        let bool = self.register(at, bool);
        let uses = [bool, Operand { size: 1, ..Operand::imm(0) }];
        self.make(at, Op::Simd(Simd::IcmpBallot), 2, &uses, Modifiers { condition, ..Modifiers::default() })
    }

    /// The lanes that run.
    fn running(&mut self, at: Block) -> Part {
        let zero = Operand { size: 1, ..Operand::imm(0) };
        let modifiers = Modifiers { condition: EQUAL, ..Modifiers::default() };
        self.make(at, Op::Simd(Simd::IcmpBallot), 2, &[zero, zero], modifiers)
    }

    /// Bits that all lanes have and bits that some have are the same.
    fn vote_equal(&mut self, at: Block, parts: &[Part]) -> Option<Part> {
        let mut all = Part::bool(true);
        for &part in parts {
            if part.size > 2 {
                return None;
            }
            let used = self.register(at, part);
            let and = self.make(at, Op::Simd(Simd::SimdAnd), part.size, &[used], Modifiers::default());
            let or = self.make(at, Op::Simd(Simd::SimdOr), part.size, &[used], Modifiers::default());
            let (a, b) = (self.integer(at, and, false), self.integer(at, or, false));
            let same = Test { is_float: false, condition: EQUAL, a, b };
            all = self.select(at, &same, all, Part::bool(false));
        }
        Some(all)
    }

    /// Bit number `n` of a mask as a bool.
    fn bit_of(&mut self, at: Block, mask: Part, n: Part) -> Part {
        let moved = self.shift_right(at, 2, mask, n, false);
        self.bits(at, 1, AND, moved, Part::number(1))
    }

    fn ballot_count(&mut self, at: Block, mask: Part, group: Group) -> Part {
        let counted = match group {
            Group::Inclusive | Group::Exclusive => {
                let lane = self.special_register(at, special::LANE, 2);
                let ones = Part::number(if group == Group::Exclusive { u32::MAX } else { u32::MAX - 1 });
                let above = self.shift_left(at, 2, ones, lane);
                self.bits(at, 2, AND_NOT, mask, above)
            }
            _ => mask,
        };
        let used = self.integer(at, counted, false);
        self.make(at, Op::Integer(Integer::Popcount), 2, &[used], Modifiers::default())
    }

    fn lowest(&mut self, at: Block, mask: Part) -> Part {
        let minus = self.integer_two(at, Integer::Isub, 2, Part::number(0), mask, 0);
        let bit = self.bits(at, 2, AND, mask, minus);
        self.highest(at, bit)
    }

    fn shuffled(&mut self, at: Block, op: Ir, args: &[Vec<Part>]) -> Option<Vec<Part>> {
        let index = args.get(1).and_then(|parts| parts.first()).copied().unwrap_or(Part::number(0));
        let by = |kind: Simd, n: u64| Some((kind, Operand { size: 1, ..Operand::imm(n) }));
        // What a number says goes into the instruction.
        let fixed = match (op, index.bits()) {
            (Ir::QuadSwap(n), _) => by(Simd::QuadShuffleXor, [1, 2, 3][usize::from(n.min(2))]),
            (Ir::QuadBroadcast, Some(n)) => by(Simd::QuadShuffle, n & 3),
            (Ir::Broadcast | Ir::LaneShuffle, Some(n)) if n < LANES.into() => by(Simd::SimdShuffle, n),
            (Ir::LaneXor, Some(n)) if n < LANES.into() => by(Simd::SimdShuffleXor, n),
            (Ir::LaneUp, Some(n)) if n < LANES.into() => by(Simd::SimdShuffleUp, n),
            (Ir::LaneDown, Some(n)) if n < LANES.into() => by(Simd::SimdShuffleDown, n),
            _ => None,
        };
        if let Some((kind, by)) = fixed {
            return Some(self.each(at, &args[0], |s, part| {
                s.by_words(at, part, |s, part| s.shuffle(at, kind, part, by))
            }));
        }
        if op == Ir::Broadcast {
            return Some(self.each(at, &args[0], |s, part| s.of_lane(at, part, index)));
        }
        let lane = self.special_register(at, special::LANE, 2);
        let from = match op {
            Ir::LaneShuffle => index,
            Ir::LaneXor => self.bits(at, 2, XOR, lane, index),
            Ir::LaneUp => self.integer_two(at, Integer::Isub, 2, lane, index, 0),
            Ir::LaneDown => self.integer_two(at, Integer::Iadd, 2, lane, index, 0),
            Ir::QuadBroadcast => {
                let quad = self.bits(at, 2, AND, lane, Part::number(28));
                self.bits(at, 2, OR, quad, index)
            }
            Ir::LaneRotate(size) => {
                let size = if size == 0 { LANES } else { size.into() };
                let sum = self.integer_two(at, Integer::Iadd, 2, lane, index, 0);
                let low = self.bits(at, 2, AND, sum, Part::number(size - 1));
                let high = self.bits(at, 2, AND, lane, Part::number(LANES - size));
                self.bits(at, 2, OR, low, high)
            }
            _ => return None,
        };
        Some(self.each(at, &args[0], |s, part| s.of_any(at, part, from)))
    }

    /// The same for each word of a scalar.
    fn by_words(&mut self, at: Block, part: Part, mut one: impl FnMut(&mut Self, Part) -> Part) -> Part {
        if part.size <= 2 {
            return one(self, part);
        }
        let part = self.in_register(at, part);
        let words: Vec<Part> = (0..2).filter_map(|n| part.halves(2 * n, 2)).collect();
        let made: Vec<Part> = words.into_iter().map(|word| one(self, word)).collect();
        self.joined(at, &made)
    }

    fn shuffle(&mut self, at: Block, op: Simd, part: Part, by: Operand) -> Part {
        let used = self.register(at, part);
        self.make(at, Op::Simd(op), part.size, &[used, by], Modifiers::default())
    }

    fn set_index(&mut self, at: Block, op: Integer, uses: &[Operand], table: u8) -> Operand {
        let index = Operand::reg(GPR, INDEX, 1);
        self.push(at, Op::Integer(op), &[index], uses, Modifiers { table, ..Modifiers::default() });
        index
    }

    fn clear_index(&mut self, at: Block) {
        self.set_index(at, Integer::MovImm, &[Operand::imm(0)], 0);
    }

    /// The value of a lane whose number all running lanes agree on.
    fn of_lane(&mut self, at: Block, part: Part, lane: Part) -> Part {
        let lane = self.in_register(at, lane);
        let low = lane.halves(0, 1).unwrap_or(lane);
        let used = self.register(at, low);
        let index = self.set_index(at, Integer::Bitop, &[used, Operand::imm(0)], COPY);
        let made = self.by_words(at, part, |s, part| s.shuffle(at, Simd::SimdShuffle, part, index));
        self.clear_index(at);
        made
    }

    /// The value of any lane: those of the four places in its quad, of which the low bits of the index choose.
    fn of_any(&mut self, at: Block, part: Part, lane: Part) -> Part {
        let lane = self.in_register(at, lane);
        let low = lane.halves(0, 1).unwrap_or(lane);
        self.by_words(at, part, |s, part| {
            let used = s.register(at, low);
            let quad = Operand { size: 1, ..Operand::imm(28) };
            let mut index = s.set_index(at, Integer::Bitop, &[used, quad], AND);
            let mut found: Vec<Part> = Vec::new();
            for n in 0..4 {
                if n > 0 {
                    index =
                        s.set_index(at, Integer::Iadd, &[index, Operand { size: 1, ..Operand::imm(1) }], 0);
                }
                found.push(s.shuffle(at, Simd::SimdShuffle, part, index));
            }
            s.clear_index(at);
            let place = s.bits(at, 1, AND, low, Part::half(3));
            s.indexed(at, &found, place)
        })
    }

    /// Values of several lanes combined.
    fn combine(&mut self, at: Block, part: Part, combine: Combine, group: Group) -> Option<Part> {
        if part.size > 2 {
            return None;
        }
        let reach = match group {
            Group::Reduce | Group::Clustered(32) => Reach::All,
            Group::Clustered(1) => return Some(part),
            Group::Clustered(4) => Reach::Quad,
            Group::Inclusive | Group::Exclusive => Reach::Below,
            Group::Clustered(2) => return self.pairs(at, part, combine),
            Group::Clustered(size) => {
                return match operation(combine, Reach::All) {
                    Some(op) => Some(self.clusters(at, part, (combine, op), size.into())),
                    None => self.chained(at, part, combine, (group, size.into())),
                };
            }
        };
        let Some(op) = operation(combine, reach) else {
            let size = if reach == Reach::Quad { 4 } else { LANES };
            return self.chained(at, part, combine, (group, size));
        };
        let mode = match combine {
            Combine::FMin => SCAN_MIN,
            _ => SCAN_MAX,
        };
        let used = self.register(at, part);
        let made =
            self.make(at, Op::Simd(op), part.size, &[used], Modifiers { mode, ..Modifiers::default() });
        if group == Group::Inclusive { self.both(at, combine, made, part) } else { Some(made) }
    }

    fn identity(combine: Combine, size: u16) -> Part {
        Part::new(From::Number(combine.identity(16 * size as u8)), size)
    }

    /// Both lanes of each pair; one that does not run adds nothing.
    fn pairs(&mut self, at: Block, part: Part, combine: Combine) -> Option<Part> {
        let running = self.running(at);
        let lane = self.special_register(at, special::LANE, 2);
        let by = Operand { size: 1, ..Operand::imm(1) };
        let other = self.shuffle(at, Simd::SimdShuffleXor, part, by);
        let partner = self.bits(at, 2, XOR, lane, Part::number(1));
        let runs = self.bit_of(at, running, partner);
        let test = self.holds(at, runs);
        let other = self.select(at, &test, other, Self::identity(combine, part.size));
        self.both(at, combine, part, other)
    }

    /// Clusters one after the other by the operation of the whole SIMD-group, to which the other lanes add nothing.
    fn clusters(&mut self, at: Block, part: Part, (combine, op): (Combine, Simd), size: u32) -> Part {
        let lane = self.special_register(at, special::LANE, 2);
        let number = self.shift_right(at, 2, lane, Part::number(size.ilog2()), false);
        let mut all = part;
        for n in 0..LANES / size {
            let own = self.is_number(at, number, n);
            let seen = self.select(at, &own, part, Self::identity(combine, part.size));
            let used = self.register(at, seen);
            let made = self.make(at, Op::Simd(op), part.size, &[used], Modifiers::default());
            all = self.select(at, &own, made, all);
        }
        all
    }

    /// What no operation does: each running lane takes in what the running lane before it has, then what that lane's
    /// own one had, and so on, each time twice as many. For a reduction the last one of a cluster tells the others.
    fn chained(
        &mut self,
        at: Block,
        part: Part,
        combine: Combine,
        (group, size): (Group, u32),
    ) -> Option<Part> {
        let (running, below) = self.cluster(at, size);
        let (identity, nobody) = (Self::identity(combine, part.size), Part::number(u32::MAX));
        let before = self.highest(at, below);
        let (mut value, mut previous) = (self.in_register(at, part), before);
        for _ in 0..size.ilog2() {
            let none = self.is_number(at, previous, u32::MAX);
            let other = self.of_any(at, value, previous);
            let other = self.select(at, &none, identity, other);
            value = self.both(at, combine, other, value)?;
            let further = self.of_any(at, previous, previous);
            previous = self.select(at, &none, nobody, further);
        }
        Some(match group {
            Group::Inclusive => value,
            Group::Exclusive => {
                let none = self.is_number(at, before, u32::MAX);
                let other = self.of_any(at, value, before);
                self.select(at, &none, identity, other)
            }
            _ => {
                let last = self.highest(at, running);
                self.of_any(at, value, last)
            }
        })
    }

    /// The lanes of a cluster that run, and those before each lane.
    fn cluster(&mut self, at: Block, size: u32) -> (Part, Part) {
        let running = self.running(at);
        let lane = self.special_register(at, special::LANE, 2);
        let running = if size < LANES {
            let start = self.bits(at, 2, AND, lane, Part::number(LANES - size));
            let own = self.shift_left(at, 2, Part::number((1 << size) - 1), start);
            self.bits(at, 2, AND, running, own)
        } else {
            running
        };
        let above = self.shift_left(at, 2, Part::number(u32::MAX), lane);
        (running, self.bits(at, 2, AND_NOT, running, above))
    }

    /// The number of the highest bit; all ones if there is none.
    fn highest(&mut self, at: Block, mask: Part) -> Part {
        let used = self.integer(at, mask, false);
        self.make(at, Op::Integer(Integer::Ffs), 2, &[used], Modifiers::default())
    }

    /// Two values combined.
    fn both(&mut self, at: Block, combine: Combine, a: Part, b: Part) -> Option<Part> {
        let size = a.size;
        let bound = |s: &mut Self, condition: u8| {
            let [a, b] = [a, b].map(|x| if x.widened == Widened::No { x } else { s.in_register(at, x) });
            let (x, y) = (s.integer(at, a, false), s.integer(at, b, false));
            let test = Test { is_float: false, condition, a: x, b: y };
            s.select(at, &test, a, b)
        };
        Some(match combine {
            Combine::IAdd => self.integer_two(at, Integer::Iadd, size, a, b, 0),
            Combine::IMul => {
                self.integer_three(at, Integer::Imadd, size, [a, b, Part::new(From::Number(0), size)], 0)
            }
            Combine::FAdd => self.sum(at, size, a, b),
            Combine::FMul => self.product(at, size, a, b),
            Combine::FMin => self.bound(at, size, 3, a, b),
            Combine::FMax => self.bound(at, size, 7, a, b),
            Combine::And => self.bits(at, size, AND, a, b),
            Combine::Or => self.bits(at, size, OR, a, b),
            Combine::Xor => self.bits(at, size, XOR, a, b),
            Combine::SMin => bound(self, LESS),
            Combine::SMax => bound(self, GREATER),
            Combine::UMin => bound(self, BELOW),
            Combine::UMax => bound(self, ABOVE),
            Combine::Exchange => return None,
        })
    }
}
