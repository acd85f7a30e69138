//! Registers of one call.

use super::domain::Domain;
use super::layout::{Layouts, TypeLayout};
use crate::{ConstantKind, Def, Function, Inst, Module, Value};

/// Where the values of a function lie in a frame, and the constants that fill some.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// First leaf of each value.
    slots: Vec<u32>,
    total: usize,
    constants: Vec<Value>,
}

impl Plan {
    pub(super) fn new(f: &Function, layouts: &Layouts) -> Plan {
        let mut plan = Plan { slots: Vec::with_capacity(f.value_count()), total: 0, constants: Vec::new() };
        for v in (0..f.value_count() as u32).map(Value) {
            plan.slots.push(plan.total as u32);
            plan.total += layouts.get(f.ty(v)).leaves.len();
            if matches!(f.def(v), Def::Constant(_)) {
                plan.constants.push(v);
            }
        }
        plan
    }

    /// Leaves of all values.
    pub(super) fn total(&self) -> usize {
        self.total
    }
}

/// Where a lane goes when it has left a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goto {
    /// On.
    Here,
    /// Behind a construct.
    Exit(Inst),
    /// To the continuing block of a loop.
    Continue(Inst),
    /// To the body of a loop again.
    Repeat(Inst),
    /// Out of the function.
    Returned,
}

/// The registers of a call, for all lanes.
pub(super) struct Frame<'m, D: Domain> {
    pub f: &'m Function,
    plan: &'m Plan,
    pub layouts: &'m Layouts,
    lanes: usize,
    /// Leaf by leaf, all lanes of each.
    regs: Vec<D::Scalar>,
    pub goto: Vec<Goto>,
    pub result: Vec<D::Scalar>,
    /// Regions of the call's variables.
    pub variables: Vec<(Inst, u32)>,
}

impl<'m, D: Domain> Frame<'m, D> {
    /// In room that another call has left.
    pub(super) fn new(
        (f, plan): (&'m Function, &'m Plan),
        layouts: &'m Layouts,
        lanes: usize,
        mut regs: Vec<D::Scalar>,
    ) -> Frame<'m, D> {
        let result = layouts.get(f.result).leaves.len() * lanes;
        regs.clear();
        regs.resize(plan.total * lanes, D::Scalar::default());
        Frame {
            f,
            plan,
            layouts,
            lanes,
            regs,
            goto: vec![Goto::Here; lanes],
            result: vec![D::Scalar::default(); result],
            variables: Vec::new(),
        }
    }

    /// The result, and the room that is free again.
    pub(super) fn end(self) -> (Vec<D::Scalar>, Vec<D::Scalar>) {
        (self.result, self.regs)
    }

    /// Fills the constants; `leaves` gives a constant's leaves.
    pub(super) fn fill(&mut self, leaves: &dyn Fn(Value) -> Vec<D::Scalar>) {
        for &v in &self.plan.constants {
            for (i, s) in leaves(v).into_iter().enumerate() {
                let at = (self.plan.slots[v.0 as usize] as usize + i) * self.lanes;
                self.regs[at..at + self.lanes].fill(s);
            }
        }
    }

    pub(super) fn layout(&self, v: Value) -> &'m TypeLayout {
        self.layouts.get(self.f.ty(v))
    }

    #[inline]
    fn at(&self, v: Value, leaf: usize) -> usize {
        (self.plan.slots[v.0 as usize] as usize + leaf) * self.lanes
    }

    #[inline]
    pub(super) fn get(&self, v: Value, leaf: usize, lane: u32) -> D::Scalar {
        self.regs[self.at(v, leaf) + lane as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, v: Value, leaf: usize, lane: u32, s: D::Scalar) {
        let at = self.at(v, leaf) + lane as usize;
        self.regs[at] = s;
    }

    /// Copies values to others at once, so that they may overlap.
    pub(super) fn copy_all(&mut self, from: &[Value], to: &[Value], lanes: &[u32]) {
        let mut buffer = Vec::new();
        for &v in from {
            for leaf in 0..self.layout(v).leaves.len() {
                buffer.extend(lanes.iter().map(|&lane| self.get(v, leaf, lane)));
            }
        }
        let mut at = buffer.into_iter();
        for &v in to {
            for leaf in 0..self.layout(v).leaves.len() {
                for (&lane, s) in lanes.iter().zip(&mut at) {
                    self.set(v, leaf, lane, s);
                }
            }
        }
    }
}

/// The leaves of a constant as bits, in order.
pub(super) fn constant_bits(
    module: &Module,
    layouts: &Layouts,
    globals: &[u64],
    c: crate::Constant,
    fill: u64,
    out: &mut Vec<(u64, bool)>,
) {
    let ty = module.constants.ty(c);
    let leaves = layouts.get(ty).leaves.len();
    match module.constants.get(c) {
        ConstantKind::Scalar(bits) => out.push((*bits, true)),
        ConstantKind::Composite(parts) => {
            parts.iter().for_each(|&p| constant_bits(module, layouts, globals, p, fill, out));
        }
        ConstantKind::Zero => out.extend(std::iter::repeat_n((0, true), leaves)),
        ConstantKind::Undef => out.extend(std::iter::repeat_n((fill, false), leaves)),
        ConstantKind::Global(g) => out.push((globals.get(g.0 as usize).copied().unwrap_or(0), true)),
        // 0 is no function.
        ConstantKind::Function(f) => out.push((u64::from(f.0) + 1, true)),
        ConstantKind::Spec(n) => match module.specs.get(*n as usize) {
            Some(spec) => constant_bits(module, layouts, globals, spec.default, fill, out),
            None => out.extend(std::iter::repeat_n((0, true), leaves)),
        },
    }
}
