//! What lanes of a subgroup tell each other, as far as no lane is asked that may not run: what it would say is undefined.

use super::{Generator, add_global};
use crate::id::{GlobalRef, Value};
use crate::module::Module;
use crate::op::{Combine, Group, Op};
use crate::ty::{Space, Ty};

/// SPIR-V's number of the built-in.
const LOCAL_INDEX: u32 = 29;

/// Adds the input that tells lanes apart.
pub(super) fn add_lane(module: &mut Module, i32: Ty) -> GlobalRef {
    let lane = add_global(module, "lane", Space::Input, i32, None);
    let global = &mut module.globals[lane.0 as usize];
    (global.init, global.binding.builtin) = (None, Some(LOCAL_INDEX));
    lane
}

impl Generator<'_, '_> {
    /// Values that differ from lane to lane, if the module has that.
    pub(super) fn lane(&mut self) {
        let Some(lane) = self.world.lane else { return };
        let place = self.b.global(lane);
        let lane = self.b.load(place);
        self.own(lane);
        let word = {
            let (place, zero, seven) = (self.b.global(self.world.input), self.b.i32(0), self.b.i32(7));
            let index = self.b.and(lane, seven);
            let place = self.b.access(place, &[zero, index]);
            self.b.load(place)
        };
        let float = self.b.convert(Op::SToF, word, self.world.f32);
        let less = self.b.slt(lane, word);
        self.known.extend([lane, word, float, less, lane]);
    }

    /// An operation over the lanes that run.
    pub(super) fn between_lanes(&mut self) -> Value {
        let (bool, i32) = (self.world.bool, self.world.i32);
        match self.rng.below(8) {
            0 => self.b.op_as(Op::Elect, &[], bool),
            1 => {
                let condition = self.value(bool);
                let op = [Op::VoteAll, Op::VoteAny][self.rng.below(2)];
                self.b.op_as(op, &[condition], bool)
            }
            2 => {
                let ty = self.any_type();
                let value = self.value(ty);
                self.b.op_as(Op::VoteEqual, &[value], bool)
            }
            3 => self.ballot(),
            4 => {
                let ty = self.any_type();
                let value = self.value(ty);
                self.b.op_as(Op::BroadcastFirst, &[value], ty)
            }
            _ => {
                let ty = if self.rng.once_in(2) { i32 } else { self.any_type() };
                let value = self.value(ty);
                let (combine, group) = (self.combination(ty), self.group());
                self.b.op_as(Op::LaneCombine(combine, group), &[value], ty)
            }
        }
    }

    /// A mask of lanes, and a question about it.
    fn ballot(&mut self) -> Value {
        let (bool, i32) = (self.world.bool, self.world.i32);
        let words = self.b.types().vector(i32, 4);
        let condition = self.value(bool);
        let mask = self.b.op_as(Op::Ballot, &[condition], words);
        match self.rng.below(5) {
            0 => self.b.op_as(Op::InverseBallot, &[mask], bool),
            1 => {
                let (n, most) = (self.value(i32), self.b.i32(31));
                let n = self.b.and(n, most);
                self.b.op_as(Op::BallotBit, &[mask, n], bool)
            }
            2 => {
                let group = [Group::Reduce, Group::Inclusive, Group::Exclusive][self.rng.below(3)];
                self.b.op_as(Op::BallotCount(group), &[mask], i32)
            }
            // Of no lane the result is undefined.
            3 => {
                let all = self.b.bool(true);
                let mask = self.b.op_as(Op::Ballot, &[all], words);
                let op = [Op::BallotLsb, Op::BallotMsb][self.rng.below(2)];
                self.b.op_as(op, &[mask], i32)
            }
            _ => self.b.extract(mask, 0),
        }
    }

    fn combination(&mut self, ty: Ty) -> Combine {
        use Combine::*;
        match () {
            () if ty == self.world.bool => [And, Or, Xor][self.rng.below(3)],
            () if self.b.types().is_float(ty) => [FAdd, FMul, FMin, FMax][self.rng.below(4)],
            () => [IAdd, IMul, SMin, UMin, SMax, UMax, And, Or, Xor][self.rng.below(9)],
        }
    }

    fn group(&mut self) -> Group {
        let clustered = Group::Clustered(1 << self.rng.below(6));
        [Group::Reduce, Group::Inclusive, Group::Exclusive, clustered][self.rng.below(4)]
    }
}
