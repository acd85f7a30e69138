//! Subgroup operations, barriers, helper lanes, geometry streams, ray queries and natives.

use super::memory::combine_class;
use super::{Check, Typing};
use crate::op::{Combine, Op};
use crate::ty::{Ty, Type};

impl Typing<'_> {
    pub(super) fn group(&self, op: Op) -> Check {
        use Op::*;
        match op {
            Elect | IsHelper => self.asks(0),
            VoteAll | VoteAny => {
                self.asks(1)?;
                self.arg_is(0, |ty| self.is_bool(ty), "bool")
            }
            VoteEqual => {
                self.asks(1)?;
                self.arg_is(0, |ty| self.is_plain(ty), "a scalar or vector")
            }
            Ballot => {
                self.count(1)?;
                self.arg_is(0, |ty| self.is_bool(ty), "bool")?;
                self.result_is(|ty| self.is_ints(ty, 4), "vec4<i32>")
            }
            InverseBallot | BallotBit | BallotCount(_) | BallotLsb | BallotMsb => self.mask(op),
            Broadcast | LaneShuffle | LaneXor | LaneUp | LaneDown | LaneRotate(_) | QuadBroadcast => {
                self.moves(true)
            }
            BroadcastFirst | QuadSwap(0..=2) => self.moves(false),
            QuadSwap(_) => Err("swaps horizontally (0), vertically (1) or diagonally (2)".into()),
            LaneCombine(combine, _) => self.combines(combine),
            ControlBarrier(..) | MemoryBarrier(..) | BeginOrdered | EndOrdered | Demote | EmitVertex(_)
            | EndPrimitive(_) | Trap(_) => {
                self.count(0)?;
                self.no_result()
            }
            Clock(_) => {
                self.count(0)?;
                self.result_is(|ty| self.is_ints(ty, 2), "vec2<i32>")
            }
            RayQuery(_) => self.ray_query(),
            // The target knows the types of its own operations; a pure one without a result
            // would be nothing.
            _ => self.result().map(drop),
        }
    }

    /// A text of the module, and values that can be shown.
    pub(super) fn prints(&self, text: u32) -> Check {
        if self.module.texts.get(text as usize).is_none() {
            return Err("prints a text that the module does not have".into());
        }
        self.no_result()?;
        (0..self.args.len()).try_for_each(|n| self.arg_is(n, |ty| self.is_plain(ty), "a scalar or vector"))
    }

    /// So many operands, and a bool.
    fn asks(&self, operands: usize) -> Check {
        self.count(operands)?;
        self.result_is(|ty| self.is_bool(ty), "bool")
    }

    fn is_ints(&self, ty: Ty, n: u8) -> bool {
        self.types.components(ty) == n && self.is_i32(self.types.scalar(ty))
    }

    fn mask(&self, op: Op) -> Check {
        self.count(if op == Op::BallotBit { 2 } else { 1 })?;
        self.arg_is(0, |ty| self.is_ints(ty, 4), "vec4<i32>")?;
        match op {
            Op::BallotBit => {
                self.arg_is(1, |ty| self.is_i32(ty), "i32")?;
                self.result_is(|ty| self.is_bool(ty), "bool")
            }
            Op::InverseBallot => self.result_is(|ty| self.is_bool(ty), "bool"),
            _ => self.result_is(|ty| self.is_i32(ty), "i32"),
        }
    }

    /// A value from another lane, which an operand names where `lane` is set.
    fn moves(&self, lane: bool) -> Check {
        self.count(1 + usize::from(lane))?;
        self.expect(0, self.result()?)?;
        self.arg_is(0, |ty| self.is_plain(ty), "a scalar or vector")?;
        if lane { self.arg_is(1, |ty| self.is_i32(ty), "i32") } else { Ok(()) }
    }

    fn combines(&self, combine: Combine) -> Check {
        if combine == Combine::Exchange {
            return Err("lanes have nothing to exchange".into());
        }
        self.moves(false)?;
        self.in_class(combine_class(combine), self.arg(0))
    }

    fn ray_query(&self) -> Check {
        self.count_between(1, usize::MAX)?;
        // Few have no query: hints for the order of invocations, parts of triangles.
        if let Ok((_, ty)) = self.place(0)
            && *self.types.get(ty) != Type::RayQuery
        {
            return Err(format!("operand 1 points to {}, not to a ray query", self.name(ty)));
        }
        if self.f.results(self.inst).len() > 1 { self.result().map(drop) } else { Ok(()) }
    }
}
