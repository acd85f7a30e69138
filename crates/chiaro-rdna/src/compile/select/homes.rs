//! Which values are scalars of the wave: those that are the same in all lanes, and that the scalar unit can compute
//! out of others of the kind.
//!
//! What is defined in the course of a block finds its place by its operands; values that control hands over need one
//! before all that they are handed is known. Everything the same in all lanes counts as a scalar at first; what
//! turns out to come from a lane's register takes that back, until nothing changes.

use chiaro_ir as ir;

use chiaro_ir::{Def, Function, Group, Module, Op as Ir, Space, Uniformity, Variance, Walk};

use crate::compile::calls::callee::is_of_wave;

/// What is known of a function's values.
#[derive(Debug)]
pub(super) struct Homes {
    /// Values that differ from lane to lane, or that are in lanes though they do not.
    in_lanes: Vec<bool>,
    /// Values that differ from lane to lane.
    differ: Vec<bool>,
}

impl Homes {
    /// Whether a value has its place in scalar registers.
    pub(super) fn is_scalar(&self, value: ir::Value) -> bool {
        !self.in_lanes[value.0 as usize]
    }

    /// Whether a value differs from lane to lane.
    pub(super) fn differs(&self, value: ir::Value) -> bool {
        self.differ[value.0 as usize]
    }
}

/// Whether what comes out is one number for the wave, wherever the operands are.
fn is_of_all_lanes(op: Ir) -> bool {
    matches!(
        op,
        Ir::Ballot
            | Ir::VoteAll
            | Ir::VoteAny
            | Ir::VoteEqual
            | Ir::BroadcastFirst
            | Ir::Broadcast
            | Ir::LaneCombine(_, Group::Reduce)
    )
}

/// Whether the scalar unit computes a result of scalars.
fn is_scalar_op(module: &Module, f: &Function, inst: ir::Inst, op: Ir) -> bool {
    let Some(result) = f.result_of(inst) else { return true };
    let types = &module.types;
    let of_floats = f.args(inst).first().is_some_and(|&arg| types.is_float(f.ty(arg)));
    match op {
        Ir::Construct | Ir::Extract(_) | Ir::Insert(_) | Ir::Shuffle(_) | Ir::Select | Ir::Bitcast => true,
        Ir::FNeg | Ir::FAbs => true,
        Ir::SampledImage | Ir::ImageOf | Ir::Access => true,
        Ir::SExt | Ir::ZExt => true,
        Ir::Load => true,
        op if is_of_all_lanes(op) => true,
        Ir::BallotCount(Group::Reduce) | Ir::BallotLsb | Ir::BallotMsb | Ir::BallotBit | Ir::LaneShuffle => {
            true
        }
        Ir::ULt | Ir::ULe | Ir::SLt | Ir::SLe | Ir::UMin | Ir::UMax | Ir::SMin | Ir::SMax | Ir::IAbs => {
            types.bits(f.ty(f.args(inst)[0])) == Some(32)
        }
        Ir::IEq | Ir::INe => !matches!(types.bits(f.ty(f.args(inst)[0])), Some(8 | 16)),
        Ir::BitInsert | Ir::BitExtractU | Ir::BitExtractS | Ir::ExtractDyn | Ir::InsertDyn => false,
        _ if op.info().shape == ir::Shape::Special => false,
        _ => !of_floats && !types.is_float(f.ty(result)),
    }
}

/// Where the values of a function live.
pub(super) fn homes(module: &Module, f: &Function, known: &Uniformity) -> Homes {
    let differs = |n: usize| known.value(ir::Value(n as u32)) == Variance::Lane;
    let differ: Vec<bool> = (0..f.value_count()).map(differs).collect();
    let mut work = Work { module, f, in_lanes: differ.clone(), changed: true };
    for (n, lanes) in work.in_lanes.iter_mut().enumerate() {
        *lanes &= !matches!(f.def(ir::Value(n as u32)), Def::Constant(_));
    }
    // What functions are given stands where signatures say.
    for &param in f.params.iter().filter(|&&param| !is_of_wave(module, f.ty(param))) {
        work.in_lanes[param.0 as usize] = true;
    }
    while std::mem::take(&mut work.changed) {
        work.walk();
    }
    Homes { in_lanes: work.in_lanes, differ }
}

struct Work<'a> {
    module: &'a Module,
    f: &'a Function,
    in_lanes: Vec<bool>,
    changed: bool,
}

impl Work<'_> {
    fn raise(&mut self, value: ir::Value) {
        self.changed |= !std::mem::replace(&mut self.in_lanes[value.0 as usize], true);
    }

    /// Values that control defines come from these.
    fn carry(&mut self, to: Vec<ir::Value>, from: &[ir::Value]) {
        for (to, from) in to.into_iter().zip(from) {
            if self.in_lanes[from.0 as usize] {
                self.raise(to);
            }
        }
    }

    fn walk(&mut self) {
        for inst in Walk::insts(self.f) {
            let (op, args) = (self.f.op(inst), self.f.args(inst));
            let params = |target: ir::Inst, n: usize| {
                let block = self.f.blocks_of(target).get(n);
                block.map(|&block| self.f.block(block).params.clone()).unwrap_or_default()
            };
            match op {
                Ir::Exit(target) => self.carry(self.f.results(target).collect(), args),
                Ir::Continue(target) => self.carry(params(target, 1), args),
                Ir::Repeat(target) => self.carry(params(target, 0), args),
                Ir::Loop => self.carry(params(inst, 0), args),
                _ if op.is_construct() || op.is_exit() => {}
                Ir::Call(_) => {
                    for value in
                        self.f.results(inst).filter(|&value| !is_of_wave(self.module, self.f.ty(value)))
                    {
                        self.raise(value);
                    }
                }
                _ => {
                    // A lane's value is read from outside of it, by a number that has to be a scalar.
                    let looked_at = if op == Ir::LaneShuffle { &args[1..] } else { args };
                    let from_lanes = looked_at.iter().any(|arg| self.in_lanes[arg.0 as usize]);
                    let is_scalar =
                        is_scalar_op(self.module, self.f, inst, op) && self.is_scalar_load(inst, op);
                    if from_lanes && !is_of_all_lanes(op) || !is_scalar {
                        self.f.results(inst).for_each(|value| self.raise(value));
                    }
                }
            }
        }
    }

    /// Loads of what is not written are made by scalar memory instructions.
    fn is_scalar_load(&self, inst: ir::Inst, op: Ir) -> bool {
        if op != Ir::Load {
            return true;
        }
        let pointer = self.f.args(inst)[0];
        let space = self.module.types.pointee(self.f.ty(pointer)).map(|(space, _)| space);
        match space {
            Some(Space::Uniform | Space::PushConstant | Space::Input | Space::UniformConstant) => true,
            Some(Space::Storage) => {
                self.module.variable_of(self.f, pointer).is_some_and(|g| self.module.global(g).read_only)
            }
            _ => false,
        }
    }
}
