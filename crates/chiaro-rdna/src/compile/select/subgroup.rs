//! What lanes tell each other (spec sections 7 and 16): votes, ballots, and who is who in a wave.
//!
//! A bool of lanes is a mask already, so that votes and ballots are scalar operations on it and EXEC. [`moves`] has
//! values of other lanes, [`combine`] reductions and scans.

mod combine;
mod moves;

use chiaro_ir as ir;
use chiaro_ir::{Group, Op as Ir};
use chiaro_mach::{Block, Operand};

use super::Select;
use super::interface::builtin;
use super::part::{From, Kind, Part};
use super::value::WORD;
use crate::abi::interface::Argument;
use crate::compile::code;
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::vop3::Vop3;

/// Masks of all lanes from the first one on, and of those above it.
const FROM: u64 = u64::MAX;
const ABOVE: u64 = FROM << 1;

impl Select<'_> {
    /// An operation over the lanes of a wave; `None` if it is not one.
    pub(super) fn subgroup(
        &mut self,
        at: Block,
        inst: ir::Inst,
        op: Ir,
        args: &[Vec<Part>],
    ) -> Option<Vec<Part>> {
        let first = || args.first().and_then(|parts| parts.first()).copied();
        Some(match op {
            Ir::Elect => vec![self.elect(at)],
            Ir::VoteAll => vec![self.vote_all(at, first()?)],
            Ir::VoteAny => vec![self.vote_any(at, first()?)],
            Ir::VoteEqual => vec![self.vote_equal(at, &args[0])],
            Ir::Ballot => self.ballot(at, first()?),
            Ir::InverseBallot => vec![self.own_bit(at, &args[0])],
            Ir::BallotBit => vec![self.bit_of(at, &args[0], *args.get(1)?.first()?)],
            Ir::BallotCount(Group::Inclusive) => {
                let (below, own) = (self.count_below(at, &args[0]), self.own_bit(at, &args[0]));
                let own = Self::part(self.in_vector(at, own), Kind::Word);
                vec![self.sum(at, below, own)]
            }
            Ir::BallotCount(Group::Exclusive) => vec![self.count_below(at, &args[0])],
            Ir::BallotCount(_) => vec![self.count(at, &args[0])],
            Ir::BallotLsb => vec![self.lowest(at, &args[0])],
            Ir::BallotMsb => vec![self.highest_of(at, &args[0])],
            Ir::LaneCombine(combine, group) => {
                let bits = self.bits(self.f.ty(self.f.args(inst)[0]));
                let one = |part: &Part| self.combine_lanes(at, *part, (combine, bits), group);
                args[0].iter().map(one).collect::<Option<_>>()?
            }
            Ir::Ddx | Ir::Ddy | Ir::DdxFine | Ir::DdyFine | Ir::DdxCoarse | Ir::DdyCoarse => {
                let one = |part: &Part| self.derivative(at, op, *part);
                args[0].iter().map(one).collect::<Option<_>>()?
            }
            _ => self.moved(at, op, args)?,
        })
    }

    /// A built-in of the wave.
    pub(super) fn subgroup_input(&mut self, at: Block, number: u32) -> Option<Vec<Part>> {
        let threads = self.interface.threads();
        Some(match number {
            builtin::SUBGROUP_SIZE => vec![Part::number(self.wave.into())],
            builtin::SUBGROUP_COUNT => vec![Part::number(threads.div_ceil(self.wave.into()))],
            builtin::SUBGROUP_ID => vec![self.number_of_wave(at)],
            builtin::LANE => vec![self.lane(at)],
            builtin::LANE_EQUAL..=builtin::LANES_BELOW => self.lanes_beside(at, number),
            _ => return None,
        })
    }

    /// Which of the group's waves this is.
    fn number_of_wave(&mut self, at: Block) -> Part {
        let Some(&info) = self.arguments.get(&Argument::GroupInfo) else { return Part::number(0) };
        let field = [Self::part(info, Kind::Word), Part::number(6), Part::number(6)];
        self.integer(at, Ir::BitExtractU, &field, 32).unwrap_or(field[0])
    }

    /// The number of the lane in its wave.
    pub(super) fn lane(&mut self, at: Block) -> Part {
        let all = [Part::number(u32::MAX), Part::number(0)];
        self.known(Op::Vop3(Vop3::MbcntLoU32B32), &all, |s| s.mbcnt(at, [all[0]; 2], all[1]))
    }

    /// How many bits of two words belong to lanes below, and a number.
    fn mbcnt(&mut self, at: Block, words: [Part; 2], more: Part) -> Part {
        let low = Op::Vop3(Vop3::MbcntLoU32B32);
        let count = self.vector(at, low, &[(words[0], WORD), (more, WORD)], Kind::Word);
        match self.wave {
            32 => count,
            _ => {
                let high = Op::Vop3(Vop3::MbcntHiU32B32);
                self.vector(at, high, &[(words[1], WORD), (count, WORD)], Kind::Word)
            }
        }
    }

    /// Masks of the lanes equal to this one, from it on, above, up to it, below: the numbers of built-ins are in order.
    fn lanes_beside(&mut self, at: Block, number: u32) -> Vec<Part> {
        let lane = self.lane(at);
        let mask = match number {
            builtin::LANE_EQUAL => self.lanes_from(at, 1, lane),
            builtin::LANES_FROM => self.lanes_from(at, FROM, lane),
            builtin::LANES_UP_TO => self.lanes_up_to(at, lane),
            builtin::LANES_BELOW => self.lanes_below(at, lane),
            _ => self.lanes_from(at, ABOVE, lane),
        };
        self.words_of_mask(mask)
    }

    /// Bits of a mask, the first of them that of a lane.
    fn lanes_from(&mut self, at: Block, bits: u64, lane: Part) -> Part {
        self.of_wave_size(at, Ir::Shl, Self::lanes(self.wave, bits), lane)
    }

    fn lanes_up_to(&mut self, at: Block, lane: Part) -> Part {
        let above = self.lanes_from(at, ABOVE, lane);
        self.of_wave_size(at, Ir::Not, above, above)
    }

    fn lanes_below(&mut self, at: Block, lane: Part) -> Part {
        let from = self.lanes_from(at, FROM, lane);
        self.of_wave_size(at, Ir::Not, from, from)
    }

    /// A number with a bit for each lane.
    fn lanes(wave: u8, bits: u64) -> Part {
        if wave == 64 { Part::long(bits) } else { Part::number(bits as u32) }
    }

    /// An operation on numbers of as many bits as there are lanes.
    fn of_wave_size(&mut self, at: Block, op: Ir, a: Part, b: Part) -> Part {
        let made = match self.wave {
            64 => self.long(at, op, &[a, b]),
            _ => self.integer(at, op, &[a, b], 32),
        };
        made.unwrap_or(a)
    }

    /// Such a number as the four words that languages have for it.
    fn words_of_mask(&self, mask: Part) -> Vec<Part> {
        let zero = Part::number(0);
        match self.wave {
            64 => vec![mask.half(0), mask.half(1), zero, zero],
            _ => vec![Part { kind: Kind::Word, ..mask }, zero, zero, zero],
        }
    }

    /// And back: words for lanes that there are not are passed over.
    fn mask_of_words(&mut self, at: Block, words: &[Part]) -> Part {
        let word = |n: usize| words.get(n).copied().unwrap_or(Part::number(0));
        if self.wave == 64 { self.joined(at, [word(0), word(1)]) } else { word(0) }
    }

    /// An operation of the scalar unit on masks.
    fn on_masks(&mut self, at: Block, [word, long]: [Sop2; 2], uses: [Operand; 2]) -> Part {
        let def = self.new_scalar(Kind::Mask.size(self.wave));
        let op = Op::Sop2(if self.wave == 64 { long } else { word });
        self.push(at, op, &[def], &uses, Default::default());
        Self::part(def, Kind::Mask)
    }

    /// The lowest lane that runs.
    fn elect(&mut self, at: Block) -> Part {
        let lowest = self.lowest_running(at);
        let uses = [Operand::imm(1), self.in_scalar(at, lowest)];
        self.on_masks(at, [Sop2::LshlB32, Sop2::LshlB64], uses)
    }

    /// The number of the lowest lane that runs.
    fn lowest_running(&mut self, at: Block) -> Part {
        let op = Op::Sop1(if self.wave == 64 { Sop1::Ff1I32B64 } else { Sop1::Ff1I32B32 });
        let (def, running) = (self.new_scalar(1), code::exec(self.wave));
        self.push(at, op, &[def], &[running], Default::default());
        Self::part(def, Kind::Word)
    }

    fn vote_any(&mut self, at: Block, bool: Part) -> Part {
        if bool.kind == Kind::Truth {
            return bool;
        }
        self.set_scc_of(at, bool);
        self.truth_of_scc(at)
    }

    fn vote_all(&mut self, at: Block, bool: Part) -> Part {
        if bool.kind == Kind::Truth {
            return bool;
        }
        let (mask, running) = (self.mask(at, bool), code::exec(self.wave));
        let _others = self.on_masks(at, [Sop2::Andn2B32, Sop2::Andn2B64], [running, mask]);
        let op = Op::Sop2(Sop2::CselectB32);
        self.scalar(at, op, &[Part::number(0), Part::number(1)], Kind::Truth)
    }

    /// Whether no lane differs from the lowest one.
    fn vote_equal(&mut self, at: Block, parts: &[Part]) -> Part {
        let mut differs = Part::truth(false);
        for &part in parts {
            if self.is_of_wave(part) {
                continue;
            }
            let part = self.plain(at, part);
            let first = self.of_lowest(at, part);
            let Some(other) = self.comparison(at, Ir::INe, [first, part]) else { continue };
            differs =
                if differs.bits() == Some(0) { other } else { self.bools(at, Ir::Or, [differs, other]) };
        }
        let any = self.vote_any(at, differs);
        self.turned(at, any)
    }

    /// Whether a scalar is the same in all lanes to see.
    fn is_of_wave(&self, part: Part) -> bool {
        !self.is_vector(part) && part.kind != Kind::Mask
    }

    /// Which of the lanes that run have a bool.
    fn ballot(&mut self, at: Block, bool: Part) -> Vec<Part> {
        let mask = match bool.bits() {
            Some(1) => Self::part(self.running(at), Kind::Mask),
            _ => {
                let uses = [self.mask(at, bool), code::exec(self.wave)];
                self.on_masks(at, [Sop2::AndB32, Sop2::AndB64], uses)
            }
        };
        self.words_of_mask(mask)
    }

    /// Each lane's own bit of a mask, as a bool.
    fn own_bit(&mut self, at: Block, words: &[Part]) -> Part {
        if words.iter().all(|&word| self.is_of_wave(word)) {
            let mask = self.mask_of_words(at, words);
            return Self::part(self.in_scalar(at, mask), Kind::Mask);
        }
        let lane = self.lane(at);
        self.bit_of(at, words, lane)
    }

    /// A bit of a mask, as a bool.
    fn bit_of(&mut self, at: Block, words: &[Part], n: Part) -> Part {
        let word = match n.bits() {
            Some(n) => words.get(n as usize / 32).copied().unwrap_or(Part::number(0)),
            None if self.wave == 64 => {
                let is_high =
                    self.comparison(at, Ir::ULe, [Part::number(32), n]).unwrap_or(Part::truth(false));
                self.choice(at, is_high, [words[1], words[0]])
            }
            None => words[0],
        };
        let low = self.integer(at, Ir::LShr, &[word, n], 32).unwrap_or(word);
        let bit = self.integer(at, Ir::And, &[low, Part::number(1)], 32).unwrap_or(low);
        self.comparison(at, Ir::INe, [bit, Part::number(0)]).unwrap_or(Part::truth(false))
    }

    fn count(&mut self, at: Block, words: &[Part]) -> Part {
        let mask = self.mask_of_words(at, words);
        match self.wave {
            64 => self.long_count(at, mask),
            _ => self.integer(at, Ir::BitCount, &[mask], 32).unwrap_or(mask),
        }
    }

    /// How many bits of a mask belong to lanes below.
    fn count_below(&mut self, at: Block, words: &[Part]) -> Part {
        self.mbcnt(at, [words[0], words[1]], Part::number(0))
    }

    fn lowest(&mut self, at: Block, words: &[Part]) -> Part {
        let low = self.integer(at, Ir::FindLsb, &words[..1], 32).unwrap_or(words[0]);
        if self.wave == 32 {
            return low;
        }
        let high = self.integer(at, Ir::FindLsb, &words[1..2], 32).unwrap_or(words[1]);
        let high = self.sum(at, high, Part::number(32));
        self.by_word(at, words[0], [low, high])
    }

    fn highest_of(&mut self, at: Block, words: &[Part]) -> Part {
        let low = self.integer(at, Ir::FindUMsb, &words[..1], 32).unwrap_or(words[0]);
        if self.wave == 32 {
            return low;
        }
        let high = self.integer(at, Ir::FindUMsb, &words[1..2], 32).unwrap_or(words[1]);
        let high = self.sum(at, high, Part::number(32));
        self.by_word(at, words[1], [high, low])
    }

    /// The highest lane of those in both masks; -1 where there is none.
    fn highest_of_both(&mut self, at: Block, a: Part, b: Part) -> Part {
        let both = self.of_wave_size(at, Ir::And, a, b);
        self.highest_of(at, &self.words_of_mask(both))
    }

    /// The first where a word has a bit set, else the second.
    fn by_word(&mut self, at: Block, word: Part, [first, second]: [Part; 2]) -> Part {
        let is_set = self.comparison(at, Ir::INe, [word, Part::number(0)]).unwrap_or(Part::truth(true));
        if let (Kind::Truth, true) = (is_set.kind, self.is_scalar(first) && self.is_scalar(second)) {
            self.set_scc_of(at, is_set);
            return self.scalar(at, Op::Sop2(Sop2::CselectB32), &[first, second], Kind::Word);
        }
        self.choice(at, is_set, [first, second])
    }
}

/// Whether a part is undefined or a number: nothing has to be moved for it.
fn is_number(part: Part) -> bool {
    !matches!(part.from, From::Value(..))
}
