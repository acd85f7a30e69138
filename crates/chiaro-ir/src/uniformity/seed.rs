//! Sources of divergence: inputs, built-ins, memory that others write,
//! atomics, lanes asking about themselves. Everything else only hands on what its operands are.

use super::{Lane, Pass, Subgroup, Uniform, Variance};
use crate::constant::ConstantKind;
use crate::function::Def;
use crate::id::{Inst, Value};
use crate::module::Global;
use crate::op::{Effect, Group, Op};
use crate::ty::Space;

/// SPIR-V's built-ins that are the same in the whole workgroup or draw: number of workgroups,
/// workgroup's size and number, subgroup's size, number of subgroups, base vertex, base instance,
/// draw's number.
const UNIFORM_BUILTINS: [u32; 8] = [24, 25, 26, 36, 38, 4424, 4425, 4426];
/// The subgroup's number.
const SUBGROUP_BUILTINS: [u32; 1] = [40];

impl Pass<'_> {
    /// How the results of an instruction vary.
    pub(super) fn seed(&self, inst: Inst, op: Op) -> Variance {
        use Op::*;
        let args = self.f.args(inst);
        let all = args.iter().map(|&arg| self.level(arg)).max().unwrap_or(Uniform);
        let first = args.first().map_or(Uniform, |&arg| self.level(arg));
        match op {
            Load => all.max(self.memory(args[0])),
            Atomic(..) | AtomicCompare(..) | AtomicLoad(..) | AtomicStore(..) | ImageRead => Lane,
            Interpolate(_) | Elect | InverseBallot | IsHelper | Clock(_) => Lane,
            CallIndirect | TraceRay | ReportHit | ExecuteCallable | RayQuery(_) => Lane,
            BallotCount(Group::Reduce) | BallotLsb | BallotMsb | BallotBit => all,
            BallotCount(_) | LaneCombine(_, Group::Inclusive | Group::Exclusive | Group::Clustered(_)) => {
                Lane
            }
            // Of one value the sum still depends on how many lanes there are.
            Ballot | LaneCombine(_, Group::Reduce) => Subgroup,
            VoteAll | VoteAny | Broadcast | BroadcastFirst => first.min(Subgroup),
            VoteEqual => {
                if first == Uniform {
                    Uniform
                } else {
                    Subgroup
                }
            }
            LaneShuffle if first == Lane && self.level(args[1]) < Lane => Subgroup,
            LaneShuffle | LaneXor | LaneUp | LaneDown | LaneRotate(_) | QuadBroadcast | QuadSwap(_) => first,
            _ if op.effect() == Effect::Barrier => Lane,
            _ => all,
        }
    }

    /// How the contents of a place vary for lanes that look at the same place.
    fn memory(&self, pointer: Value) -> Variance {
        let Some((space, _)) = self.module.types.pointee(self.f.ty(pointer)) else { return Lane };
        match (space, self.root(pointer)) {
            (Space::Uniform | Space::PushConstant | Space::UniformConstant, _) => Uniform,
            (Space::Storage, Some(global)) if global.read_only => Uniform,
            (Space::Input, Some(global)) => match global.binding.builtin {
                Some(n) if UNIFORM_BUILTINS.contains(&n) => Uniform,
                Some(n) if SUBGROUP_BUILTINS.contains(&n) => Subgroup,
                _ => Lane,
            },
            _ => Lane,
        }
    }

    /// The variable of the module that a pointer leads into, if that is plain to see.
    fn root(&self, mut pointer: Value) -> Option<&Global> {
        // Two steps are what front ends make; longer chains count as unknown.
        for _ in 0..4 {
            match self.f.def(pointer) {
                Def::Constant(c) => match *self.module.constants.get(c) {
                    ConstantKind::Global(g) => return Some(self.module.global(g)),
                    _ => return None,
                },
                Def::Result(inst, 0) if self.f.op(inst) == Op::Access => pointer = self.f.args(inst)[0],
                _ => return None,
            }
        }
        None
    }
}
