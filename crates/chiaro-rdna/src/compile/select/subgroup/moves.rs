//! Values of other lanes: patterns that instructions have, lanes by number, any lane through LDS hardware.
//!
//! `ds_bpermute` reaches 32 lanes, all of a wave of that size. In waves of 64 each wave has a place of its own in LDS,
//! which it writes and reads in order, without a barrier.

use chiaro_ir as ir;
use chiaro_ir::{Function, FunctionRef, Op as Ir, Step, Walk};
use chiaro_mach::{Block, Effects, Operand};

use super::super::Select;
use super::super::interface::builtin::SUBGROUP_ID;
use super::super::part::{Kind, Part};
use super::super::value::WORD;
use super::is_number;
use crate::abi::interface::Argument;
use crate::compile::code::{Modifiers, flag};
use crate::isa::Op;
use crate::isa::ds::Ds;
use crate::isa::sop2::Sop2;
use crate::isa::vop1::Vop1;
use crate::isa::vop3::Vop3;

/// Patterns of DPP (spec section 7).
pub(super) mod pattern {
    pub(crate) const ROW_SHR: u32 = 0x110;
    pub(crate) const ROW_XMASK: u32 = 0x160;

    /// Which lane of the quad each of its lanes reads.
    pub(crate) const fn quad([a, b, c, d]: [u32; 4]) -> u32 {
        a | b << 2 | c << 4 | d << 6
    }
}

/// Lanes of the quad across: horizontally, vertically, diagonally.
const ACROSS: [[u32; 4]; 3] = [[1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]];
/// Bytes of a wave of 64 in LDS.
const EXCHANGE: u32 = 256;

impl Select<'_> {
    /// Bytes of LDS for the exchange between lanes of the function and its callees.
    pub(in crate::compile::select) fn exchange_bytes(&self) -> u32 {
        if self.exchanges() { EXCHANGE * self.interface.threads().div_ceil(64) } else { 0 }
    }

    /// Whether a function or its callees ask which wave of the group this is.
    pub(in crate::compile::select) fn asks_for_wave(&self) -> bool {
        self.interface.threads() > self.wave.into() && (self.used(SUBGROUP_ID) != 0 || self.exchanges())
    }

    /// Whether the function or its callees may need any lane of a wave of 64.
    fn exchanges(&self) -> bool {
        self.wave == 64 && self.reach.iter().any(|&f| self.exchanges_in(f))
    }

    /// Reductions do where some lanes may not run, which nobody knows of callees.
    fn exchanges_in(&self, f: FunctionRef) -> bool {
        let is_reduction = |op: Ir| matches!(op, Ir::LaneCombine(..));
        let is_kernel = self.unit.order.last() == Some(&f);
        let reduces = !is_kernel || self.is_parted(is_reduction);
        let f = self.module.function(f);
        Walk::new(f).any(|step| match step {
            Step::Inst(inst) if is_reduction(f.op(inst)) => reduces,
            Step::Inst(inst) => self.moves_far(f, inst),
            _ => false,
        })
    }

    /// Whether a lane reads one that no pattern of an instruction leads to.
    fn moves_far(&self, f: &Function, inst: ir::Inst) -> bool {
        let number = f.args(inst).get(1).and_then(|&index| self.module.value_bits(f, index));
        match f.op(inst) {
            Ir::LaneShuffle | Ir::QuadBroadcast => number.is_none(),
            Ir::LaneXor => number.is_none_or(|mask| mask >= 32),
            Ir::LaneUp | Ir::LaneDown | Ir::LaneRotate(_) => number != Some(0),
            _ => false,
        }
    }

    /// Scalars of another lane.
    pub(super) fn moved(&mut self, at: Block, op: Ir, args: &[Vec<Part>]) -> Option<Vec<Part>> {
        if !matches!(
            op,
            Ir::Broadcast
                | Ir::BroadcastFirst
                | Ir::LaneShuffle
                | Ir::LaneXor
                | Ir::LaneUp
                | Ir::LaneDown
                | Ir::LaneRotate(_)
                | Ir::QuadBroadcast
                | Ir::QuadSwap(_)
        ) {
            return None;
        }
        let index = args.get(1).and_then(|parts| parts.first()).copied().unwrap_or(Part::number(0));
        let parts = args[0].iter().map(|&part| match self.is_of_wave(part) {
            true => part,
            false => self.moved_part(at, op, part, index),
        });
        Some(parts.collect())
    }

    fn moved_part(&mut self, at: Block, op: Ir, part: Part, index: Part) -> Part {
        let part = self.plain(at, part);
        let is_one = op == Ir::Broadcast || op == Ir::LaneShuffle && self.is_of_wave(index);
        match (op, index.bits()) {
            (Ir::BroadcastFirst, _) => self.of_lowest(at, part),
            _ if is_one => self.of_lane(at, part, index),
            (Ir::QuadSwap(n), _) => self.by_pattern(at, part, pattern::quad(ACROSS[usize::from(n.min(2))])),
            (Ir::QuadBroadcast, Some(n)) => self.by_pattern(at, part, pattern::quad([n as u32 & 3; 4])),
            (Ir::LaneXor | Ir::LaneUp | Ir::LaneDown | Ir::LaneRotate(_), Some(0)) => part,
            (Ir::LaneXor, Some(n)) if n < 16 => self.by_pattern(at, part, pattern::ROW_XMASK | n as u32),
            (Ir::LaneXor, Some(n)) if n < 32 => self.swizzled(at, part, n as u32),
            _ => {
                let from = self.source_lane(at, op, index);
                self.of_any(at, part, from)
            }
        }
    }

    /// The number of the lane that an operation reads.
    fn source_lane(&mut self, at: Block, op: Ir, index: Part) -> Part {
        let lane = self.lane(at);
        let mut two = |op: Ir, a: Part, b: Part| self.integer(at, op, &[a, b], 32).unwrap_or(a);
        match op {
            Ir::LaneXor => two(Ir::Xor, lane, index),
            Ir::LaneUp => two(Ir::ISub, lane, index),
            Ir::LaneDown => two(Ir::IAdd, lane, index),
            Ir::LaneRotate(size) if size > 0 => {
                let size = u32::from(size);
                let sum = two(Ir::IAdd, lane, index);
                let low = two(Ir::And, sum, Part::number(size - 1));
                let high = two(Ir::And, lane, Part::number(size.wrapping_neg()));
                two(Ir::Or, low, high)
            }
            Ir::LaneRotate(_) => two(Ir::IAdd, lane, index),
            Ir::QuadBroadcast => {
                let low = two(Ir::And, index, Part::number(3));
                let quad = two(Ir::And, lane, Part::number(!3));
                two(Ir::Or, low, quad)
            }
            _ => index,
        }
    }

    /// The same for each word of a scalar; bools are the numbers 0 and 1 meanwhile.
    pub(super) fn by_words(
        &mut self,
        at: Block,
        part: Part,
        mut one: impl FnMut(&mut Self, Part) -> Part,
    ) -> Part {
        match part.kind {
            Kind::Word => one(self, part),
            Kind::Short => {
                let word = one(self, Part { kind: Kind::Word, ..part });
                Part { kind: Kind::Short, ..word }
            }
            Kind::Pair => {
                let halves = [one(self, part.half(0)), one(self, part.half(1))];
                self.joined(at, halves)
            }
            Kind::Mask | Kind::Truth => {
                let number = Self::part(self.in_vector(at, part), Kind::Word);
                let word = one(self, number);
                self.comparison(at, Ir::INe, [word, Part::number(0)]).unwrap_or(part)
            }
        }
    }

    /// The value of the lowest lane that runs.
    pub(super) fn of_lowest(&mut self, at: Block, part: Part) -> Part {
        if part.kind == Kind::Mask {
            let lane = self.lowest_running(at);
            return self.bit_of_mask(at, part, lane);
        }
        Self::part(self.in_scalar(at, part), part.kind)
    }

    /// The value of a lane whose number is the same in all.
    pub(super) fn of_lane(&mut self, at: Block, part: Part, lane: Part) -> Part {
        let lane = match lane.bits() {
            Some(n) => Part::number(n as u32 & (u32::from(self.wave) - 1)),
            None => Self::part(self.in_scalar(at, lane), Kind::Word),
        };
        if part.kind == Kind::Mask {
            return self.bit_of_mask(at, part, lane);
        }
        self.by_words(at, part, |s, word| {
            let number = lane.bits().map(Operand::imm);
            let uses = [s.in_vector(at, word), number.unwrap_or_else(|| s.in_scalar(at, lane))];
            let def = s.new_scalar(1);
            s.push(at, Op::Vop3(Vop3::ReadlaneB32), &[def], &uses, Modifiers::default());
            Self::part(def, Kind::Word)
        })
    }

    /// A lane's bit of a bool, as one of the wave.
    fn bit_of_mask(&mut self, at: Block, mask: Part, lane: Part) -> Part {
        let lane = match lane.bits() {
            Some(n) => Operand::imm(n),
            None => self.in_scalar(at, lane),
        };
        let mask = self.mask(at, mask);
        let moved = self.on_masks(at, [Sop2::LshrB32, Sop2::LshrB64], [mask, lane]);
        let low = Part { kind: Kind::Word, ..moved };
        let bit = self.scalar(at, Op::Sop2(Sop2::AndB32), &[low, Part::number(1)], Kind::Word);
        Part { kind: Kind::Truth, ..bit }
    }

    /// Lanes by a pattern of DPP; 0 where that leads nowhere.
    pub(super) fn by_pattern(&mut self, at: Block, part: Part, pattern: u32) -> Part {
        self.by_words(at, part, |s, word| {
            if is_number(word) {
                return word;
            }
            let (def, source) = (s.new_vector(1), s.in_vector(at, word));
            let how = Modifiers::pattern(pattern, 15).with(flag::BOUND);
            s.push(at, Op::Vop1(Vop1::MovB32), &[def], &[source], how);
            Self::part(def, Kind::Word)
        })
    }

    /// The lane among 32 whose number differs by a mask.
    fn swizzled(&mut self, at: Block, part: Part, mask: u32) -> Part {
        self.by_words(at, part, |s, word| {
            let (def, source) = (s.new_vector(1), s.in_vector(at, word));
            let how = Modifiers::number((mask << 10 | 31) as i32);
            s.push(at, Op::Ds(Ds::SwizzleB32), &[def], &[source], how);
            Self::part(def, Kind::Word)
        })
    }

    /// The value of any lane.
    pub(super) fn of_any(&mut self, at: Block, part: Part, lane: Part) -> Part {
        if self.wave == 64 {
            return self.exchanged(at, part, lane);
        }
        let address = self.shifted(at, lane, 2);
        self.by_words(at, part, |s, word| {
            let uses = [s.in_vector(at, address), s.in_vector(at, word)];
            let def = s.new_vector(1);
            s.push(at, Op::Ds(Ds::BpermuteB32), &[def], &uses, Modifiers::default());
            Self::part(def, Kind::Word)
        })
    }

    /// The same in waves of 64: all write, then all read.
    fn exchanged(&mut self, at: Block, part: Part, lane: Part) -> Part {
        let own = self.lane(at);
        let from = self.integer(at, Ir::And, &[lane, Part::number(63)], 32).unwrap_or(lane);
        let places = [own, from].map(|lane| self.place_in_exchange(at, lane));
        let offset = Modifiers::number(self.exchange as i32);
        self.by_words(at, part, |s, word| {
            let [to, from] = places.map(|place| s.in_vector(at, place));
            let data = s.in_vector(at, word);
            let write = s.push(at, Op::Ds(Ds::WriteB32), &[], &[to, data], offset);
            s.code.inst_mut(write).effects.writes |= Effects::SHARED;
            let def = s.new_vector(1);
            let read = s.push(at, Op::Ds(Ds::ReadB32), &[def], &[from], offset);
            s.code.inst_mut(read).effects.reads |= Effects::SHARED;
            Self::part(def, Kind::Word)
        })
    }

    /// Where a lane's word is in LDS, behind what the group shares.
    fn place_in_exchange(&mut self, at: Block, lane: Part) -> Part {
        let Some(&info) = self.arguments.get(&Argument::GroupInfo) else {
            return self.shifted(at, lane, 2);
        };
        // The wave's number stands six bits up, its place is 256 times that.
        let (op, info) = (Op::Sop2(Sop2::AndB32), [Self::part(info, Kind::Word), Part::number(0xfc0)]);
        let base = self.known(op, &info, |s| {
            let number = s.scalar(at, op, &info, Kind::Word);
            s.shifted(at, number, 2)
        });
        let parts = [lane, Part::number(2), base];
        let op = Op::Vop3(Vop3::LshlAddU32);
        self.known(op, &parts, |s| s.vector(at, op, &parts.map(|part| (part, WORD)), Kind::Word))
    }
}
