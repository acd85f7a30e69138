//! Reductions, scans, derivatives.
//!
//! Where all lanes of the wave run, rows of 16 are combined by DPP and then with each other:
//!
//! ```text
//! v_add_nc_u32_dpp v1, v0, v0 row_xmask:1      2, 4, 8: each lane has the sum of its row
//! v_permlanex16_b32 v2, v1, 0, 0               the neighbouring row's
//! ```
//!
//! Where some may not, what stands in their registers must not count, nor be overwritten: each lane that runs looks up
//! the next one below it that does, takes what that one has and where it looks, and so on, twice as far each time.

use chiaro_ir::{Combine, Group, Op as Ir};
use chiaro_mach::{Block, Operand};

use super::super::Select;
use super::super::part::{From, Kind, Part};
use super::moves::pattern::{ROW_SHR, ROW_XMASK, quad};
use crate::compile::code::Modifiers;
use crate::isa::Op;
use crate::isa::vop1::Vop1;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;

/// How two numbers become one, and their bits.
type Fold = (Combine, u8);

/// Lanes of a row, in which DPP moves values.
const ROW: u32 = 16;

/// The instruction on words that takes one of them from another lane.
fn instruction((combine, bits): Fold) -> Option<Vop2> {
    let op = match combine {
        Combine::IAdd => Vop2::AddNcU32,
        Combine::FAdd => Vop2::AddF32,
        Combine::FMul => Vop2::MulF32,
        Combine::SMin => Vop2::MinI32,
        Combine::SMax => Vop2::MaxI32,
        Combine::UMin => Vop2::MinU32,
        Combine::UMax => Vop2::MaxU32,
        Combine::FMin => Vop2::MinF32,
        Combine::FMax => Vop2::MaxF32,
        Combine::And => Vop2::AndB32,
        Combine::Or => Vop2::OrB32,
        Combine::Xor => Vop2::XorB32,
        Combine::IMul | Combine::Exchange => return None,
    };
    (bits == 32).then_some(op)
}

impl Select<'_> {
    /// A scalar of several lanes combined.
    pub(super) fn combine_lanes(&mut self, at: Block, part: Part, fold: Fold, group: Group) -> Option<Part> {
        let operation = fold.0.op()?;
        let is_idempotent = !matches!(operation, Ir::IAdd | Ir::IMul | Ir::FAdd | Ir::FMul | Ir::Xor);
        if self.is_of_wave(part) && is_idempotent && group != Group::Exclusive {
            return Some(part);
        }
        if matches!(part.kind, Kind::Mask | Kind::Truth) {
            let word = Self::part(self.in_vector(at, part), Kind::Word);
            let made = self.combine_lanes(at, word, (fold.0, 32), group)?;
            return self.comparison(at, Ir::INe, [made, Part::number(0)]);
        }
        let part = self.plain(at, part);
        let part = Self::part(self.in_vector(at, part), part.kind);
        match (group, self.all_run) {
            (Group::Clustered(1), _) => Some(part),
            (Group::Clustered(size), true) if u32::from(size) < self.wave.into() => {
                self.clustered(at, part, fold, size.into())
            }
            (Group::Reduce | Group::Clustered(_), true) => self.reduced(at, part, fold),
            (Group::Inclusive, true) => self.scanned(at, part, fold),
            (Group::Exclusive, true) => {
                let shifted = self.shifted_by_one(at, part, fold);
                self.scanned(at, shifted, fold)
            }
            (_, false) => self.chained(at, part, fold, group),
        }
    }

    /// Two numbers combined, that of the lower lanes first.
    fn folded(&mut self, at: Block, (combine, bits): Fold, [a, b]: [Part; 2]) -> Option<Part> {
        let op = combine.op()?;
        match combine {
            Combine::FAdd | Combine::FMul | Combine::FMin | Combine::FMax => self.float(at, op, [a, b, b]),
            _ if bits == 64 => self.long(at, op, &[a, b]),
            _ => self.integer(at, op, &[a, b], bits),
        }
    }

    fn identity((combine, bits): Fold, kind: Kind) -> Part {
        Part::new(From::Number(combine.identity(bits)), kind)
    }

    /// Each lane's number with that of the lane that a pattern says, in the rows of a mask. Who has no such lane, or
    /// stands in another row, keeps its own.
    fn with_moved(&mut self, at: Block, part: Part, fold: Fold, pattern: u32, rows: u32) -> Option<Part> {
        let how = Modifiers::pattern(pattern, rows);
        if let (Some(op), Kind::Word) = (instruction(fold), part.kind) {
            let (def, own) = (self.new_vector(1), self.in_vector(at, part));
            self.push(at, Op::Vop2(op), &[def], &[own, own, own.tied(0)], how);
            return Some(Self::part(def, Kind::Word));
        }
        let identity = Self::identity(fold, part.kind);
        let other = self.onto(at, part, identity, how);
        self.folded(at, fold, [other, part])
    }

    /// A number with those of other lanes written over it.
    fn onto(&mut self, at: Block, part: Part, old: Part, how: Modifiers) -> Part {
        if part.kind == Kind::Pair {
            let halves = [0, 1].map(|n| self.onto(at, part.half(n), old.half(n), how));
            return self.joined(at, halves);
        }
        let (source, old) = (self.in_vector(at, part), self.in_vector(at, old));
        let def = self.new_vector(1);
        self.push(at, Op::Vop1(Vop1::MovB32), &[def], &[source, old.tied(0)], how);
        Self::part(def, part.kind)
    }

    /// Runs of up to 32 lanes, each with the number of all.
    fn clustered(&mut self, at: Block, part: Part, fold: Fold, size: u32) -> Option<Part> {
        let mut all = part;
        let mut distance = 1;
        while distance < size.min(ROW) {
            all = self.with_moved(at, all, fold, ROW_XMASK | distance, 15)?;
            distance *= 2;
        }
        if size <= ROW {
            return Some(all);
        }
        let other = self.of_other_row(at, all, 0);
        self.folded(at, fold, [all, other])
    }

    /// The number of one lane of the neighbouring row: of the first, or of the last.
    fn of_other_row(&mut self, at: Block, part: Part, lanes: u64) -> Part {
        self.by_words(at, part, |s, word| {
            let (def, source) = (s.new_vector(1), s.in_vector(at, word));
            let uses = [source, Operand::imm(lanes), Operand::imm(lanes)];
            s.push(at, Op::Vop3(Vop3::Permlanex16B32), &[def], &uses, Modifiers::default());
            Self::part(def, Kind::Word)
        })
    }

    /// The number of all lanes, as one of the wave.
    fn reduced(&mut self, at: Block, part: Part, fold: Fold) -> Option<Part> {
        let half = self.clustered(at, part, fold, 32)?;
        let low = self.of_lane(at, half, Part::number(0));
        if self.wave == 32 {
            return Some(low);
        }
        let high = self.of_lane(at, half, Part::number(32));
        let whole = self.folded(at, fold, [low, high])?;
        Some(Self::part(self.in_scalar(at, whole), part.kind))
    }

    /// The numbers of all lanes up to each one.
    fn scanned(&mut self, at: Block, part: Part, fold: Fold) -> Option<Part> {
        let mut all = part;
        for distance in [1, 2, 4, 8] {
            all = self.with_moved(at, all, fold, ROW_SHR | distance, 15)?;
        }
        // Every second row takes what the one below it has in its last lane.
        let below = self.of_other_row(at, all, u64::MAX);
        all = self.in_rows(at, all, fold, below, 0b1010)?;
        if self.wave == 32 {
            return Some(all);
        }
        let below = self.of_lane(at, all, Part::number(31));
        self.in_rows(at, all, fold, below, 0b1100)
    }

    /// A further number for the lanes of some rows.
    fn in_rows(&mut self, at: Block, part: Part, fold: Fold, below: Part, rows: u32) -> Option<Part> {
        let how = Modifiers::pattern(quad([0, 1, 2, 3]), rows);
        let below = Self::part(self.in_vector(at, below), part.kind);
        if let (Some(op), Kind::Word) = (instruction(fold), part.kind) {
            let (def, own, below) = (self.new_vector(1), self.in_vector(at, part), self.in_vector(at, below));
            self.push(at, Op::Vop2(op), &[def], &[below, own, own.tied(0)], how);
            return Some(Self::part(def, Kind::Word));
        }
        let identity = Self::identity(fold, part.kind);
        let below = self.onto(at, below, identity, how);
        self.folded(at, fold, [below, part])
    }

    /// Each lane has what the one below it had; the first one what changes nothing.
    fn shifted_by_one(&mut self, at: Block, part: Part, fold: Fold) -> Part {
        let identity = Self::identity(fold, part.kind);
        let how = Modifiers::pattern(ROW_SHR | 1, 15);
        let mut made = self.onto(at, part, identity, how);
        for first in (ROW..self.wave.into()).step_by(ROW as usize) {
            let last = self.of_lane(at, part, Part::number(first - 1));
            made = self.with_lane(at, made, last, first);
        }
        made
    }

    /// A number with another one in one lane.
    fn with_lane(&mut self, at: Block, part: Part, number: Part, lane: u32) -> Part {
        let one = |s: &mut Self, part: Part, number: Part| {
            let uses = [s.in_scalar(at, number), Operand::imm(lane.into()), s.in_vector(at, part).tied(0)];
            let def = s.new_vector(1);
            s.push(at, Op::Vop3(Vop3::WritelaneB32), &[def], &uses, Modifiers::default());
            Self::part(def, Kind::Word)
        };
        if part.kind == Kind::Pair {
            let halves = [0, 1].map(|n| one(self, part.half(n), number.half(n)));
            return self.joined(at, halves);
        }
        let [word, other] = [part, number].map(|part| Part { kind: Kind::Word, ..part });
        Part { kind: part.kind, ..one(self, word, other) }
    }

    /// Only lanes that run: each takes what the next one below has, then what that one's next has.
    fn chained(&mut self, at: Block, part: Part, fold: Fold, group: Group) -> Option<Part> {
        let lane = self.lane(at);
        let kind = if self.wave == 64 { Kind::Pair } else { Kind::Word };
        let running = Self::part(self.running(at), kind);
        let size = match group {
            Group::Clustered(size) => u32::from(size).min(self.wave.into()),
            _ => self.wave.into(),
        };
        let first = self.integer(at, Ir::And, &[lane, Part::number(size.wrapping_neg())], 32)?;
        let below = self.lanes_below(at, lane);
        let next = self.highest_of_both(at, running, below);
        let (mut all, mut from) = (part, next);
        for _ in 0..size.ilog2() {
            let has = self.comparison(at, Ir::SLe, [first, from])?;
            let (other, further) = (self.of_any(at, all, from), self.of_any(at, from, from));
            let both = self.folded(at, fold, [other, all])?;
            all = self.choice(at, has, [both, all]);
            from = self.choice(at, has, [further, from]);
        }
        match group {
            Group::Inclusive => Some(all),
            Group::Exclusive => {
                let (has, below) = (self.comparison(at, Ir::SLe, [first, next])?, self.of_any(at, all, next));
                Some(self.choice(at, has, [below, Self::identity(fold, part.kind)]))
            }
            _ if size == u32::from(self.wave) => {
                let last = self.highest_of(at, &self.words_of_mask(running));
                Some(self.of_lane(at, all, last))
            }
            _ => {
                let end = self.integer(at, Ir::Or, &[lane, Part::number(size - 1)], 32)?;
                let up_to = self.lanes_up_to(at, end);
                let last = self.highest_of_both(at, running, up_to);
                Some(self.of_any(at, all, last))
            }
        }
    }

    /// The change across a quad of lanes: 0 1 over 2 3.
    pub(super) fn derivative(&mut self, at: Block, op: Ir, part: Part) -> Option<Part> {
        let [high, low] = match op {
            Ir::DdxFine => [[1, 1, 3, 3], [0, 0, 2, 2]],
            Ir::DdyFine => [[2, 3, 2, 3], [0, 1, 0, 1]],
            Ir::Ddx | Ir::DdxCoarse => [[1; 4], [0; 4]],
            _ => [[2; 4], [0; 4]],
        };
        let part = self.plain(at, part);
        let part = Self::part(self.in_vector(at, part), part.kind);
        let [high, low] = [high, low].map(|lanes| self.by_pattern(at, part, quad(lanes)));
        self.float(at, Ir::FSub, [high, low, low])
    }
}
