//! Control flow: all lanes of a workgroup in lockstep, with lists of the active ones.
//!
//! A lane that leaves a block notes where it goes and is off until the construct that it goes
//! to takes it on again; so lanes that entered a construct together are together behind it,
//! and a barrier needs no waiting.

use super::arith;
use super::domain::{Domain, Note};
use super::elsewhere::Elsewhere;
use super::frame::{Frame, Goto, Plan, constant_bits};
use super::images::Images;
use super::layout::{Layouts, Leaf};
use super::memory::{Memory, Place};
use super::races::Races;
use super::world::{Rays, World};
use super::{Fault, FaultKind, Options};
use crate::{Block, Def, Effect, FunctionRef, Inst, Module, Op, Shape, Type, Value};

/// What all runs of an interpreter share.
pub(super) struct Prepared<'m, D> {
    pub module: &'m Module,
    pub layouts: &'m Layouts,
    pub plans: &'m [Plan],
    pub domain: &'m D,
    pub options: &'m Options,
    pub world: Option<&'m World<'m>>,
    pub elsewhere: &'m Elsewhere,
}

/// A run in progress.
pub(super) struct Walk<'m, D: Domain> {
    pub module: &'m Module,
    pub layouts: &'m Layouts,
    pub plans: &'m [Plan],
    pub domain: &'m D,
    pub options: &'m Options,
    pub memory: Memory<D>,
    /// The pointer to each variable of the module.
    pub globals: Vec<u64>,
    pub lanes: usize,
    pub notes: Vec<Note>,
    /// Lanes with an integer beyond what the options allow.
    pub large: Vec<bool>,
    /// Lanes that have ended.
    pub dead: Vec<bool>,
    /// Lanes that run on for others only.
    pub helper: Vec<bool>,
    pub fuel: u64,
    pub faults: Vec<Fault>,
    depth: usize,
    /// By function: how often it is open.
    open: Vec<u32>,
    /// Registers of calls that are over: the next ones take their room, which nobody has to find again.
    room: Vec<Vec<D::Scalar>>,
    pub images: &'m mut dyn Images,
    /// Vertices that geometry shaders have emitted: lane, stream, and whether it ended a primitive.
    pub emitted: Vec<super::Emitted>,
    /// What lanes have printed.
    pub printed: Vec<super::Printed>,
    /// Texts that are not kept.
    pub unprinted: u64,
    /// What is kept of stores to variables of functions.
    pub watched: super::Watched,
    /// Who wrote what last, where that is asked for.
    pub races: Races,
    /// What rays meet and call, and those that are under way.
    pub world: Option<&'m World<'m>>,
    pub rays: Rays,
    /// What inputs are where they were not given.
    pub elsewhere: &'m Elsewhere,
}

/// Faults that are kept.
const KEPT: usize = 64;

pub(super) type Outcome<T = ()> = Result<T, Box<Fault>>;

impl<'m, D: Domain> Walk<'m, D> {
    pub(super) fn new(
        prepared: Prepared<'m, D>,
        images: &'m mut dyn Images,
        lanes: usize,
        fuel: u64,
    ) -> Walk<'m, D> {
        let Prepared { module, layouts, plans, domain, options, world, elsewhere } = prepared;
        Walk {
            module,
            layouts,
            plans,
            domain,
            options,
            memory: Memory::new(options.memory),
            globals: Vec::new(),
            lanes,
            notes: vec![Note::default(); lanes],
            large: vec![false; lanes],
            dead: vec![false; lanes],
            helper: vec![false; lanes],
            fuel,
            faults: Vec::new(),
            depth: 0,
            open: vec![0; module.functions.len()],
            room: Vec::new(),
            images,
            emitted: Vec::new(),
            printed: Vec::new(),
            unprinted: 0,
            watched: super::Watched::default(),
            races: Races::default(),
            world,
            rays: Rays::default(),
            elsewhere,
        }
    }

    /// Calls a function; arguments and result leaf by leaf, all lanes of each.
    pub(super) fn call(
        &mut self,
        f: FunctionRef,
        args: &[D::Scalar],
        lanes: &[u32],
    ) -> Outcome<Vec<D::Scalar>> {
        let (function, n) = (self.module.function(f), f.0 as usize);
        if function.is_import() {
            return Err(Box::new(Fault::new(FaultKind::Import(function.name.clone()), function.span)));
        }
        self.depth += 1;
        self.open[n] += 1;
        if self.depth > self.options.depth || self.open[n] > self.options.recursion {
            return Err(Box::new(Fault::new(FaultKind::Recursion, function.span)));
        }
        let plan = &self.plans[n];
        if plan.total().saturating_mul(self.lanes) > self.options.registers {
            return Err(Box::new(Fault::new(FaultKind::TooLarge, function.span)));
        }
        let room = self.room.pop().unwrap_or_default();
        let mut frame: Frame<'m, D> = Frame::new((function, plan), self.layouts, self.lanes, room);
        frame.fill(&|v| self.constant(function, v));
        let mut at = args.chunks_exact(self.lanes.max(1));
        for &p in &function.params {
            for leaf in 0..frame.layout(p).leaves.len() {
                let Some(column) = at.next() else { break };
                lanes.iter().for_each(|&lane| frame.set(p, leaf, lane, column[lane as usize]));
            }
        }
        let outcome = self.block(&mut frame, function.body, lanes);
        for (_, region) in std::mem::take(&mut frame.variables) {
            self.memory.remove(region);
        }
        self.depth -= 1;
        self.open[n] -= 1;
        let (result, room) = frame.end();
        self.room.push(room);
        outcome.map(|()| result)
    }

    fn constant(&self, f: &crate::Function, v: Value) -> Vec<D::Scalar> {
        let Def::Constant(c) = f.def(v) else { return Vec::new() };
        let mut bits = Vec::new();
        constant_bits(self.module, self.layouts, &self.globals, c, self.options.undef, &mut bits);
        let leaves = &self.layouts.get(f.ty(v)).leaves;
        leaves.iter().zip(bits).map(|(&(leaf, _), (bits, _))| self.scalar(leaf, bits)).collect()
    }

    /// Bits as a scalar of a leaf.
    pub(super) fn scalar(&self, leaf: Leaf, bits: u64) -> D::Scalar {
        match leaf {
            Leaf::Float(width) => self.domain.of_float(bits & arith::mask(width), width),
            Leaf::Int(width) => self.domain.of_bits(bits & arith::mask(width)),
            Leaf::Bool => self.domain.of_bits(bits & 1),
            Leaf::Handle => self.domain.of_bits(bits),
        }
    }

    fn block(&mut self, fr: &mut Frame<'m, D>, block: Block, lanes: &[u32]) -> Outcome {
        let mut here = lanes.to_vec();
        for &inst in &fr.f.block(block).insts {
            if here.is_empty() {
                return Ok(());
            }
            self.burn(fr, inst)?;
            match fr.f.op(inst).effect() {
                Effect::Exit => return self.leave(fr, inst, &here),
                Effect::Construct => {
                    self.construct(fr, inst, &here)?;
                    // A lane may have ended in a function that was called within.
                    here.retain(|&lane| fr.goto[lane as usize] == Goto::Here && !self.dead[lane as usize]);
                }
                _ => {
                    self.inst(fr, inst, &here)?;
                    here.retain(|&lane| !self.dead[lane as usize]);
                }
            }
        }
        Ok(())
    }

    pub(super) fn burn(&mut self, fr: &Frame<'m, D>, inst: Inst) -> Outcome {
        match self.fuel.checked_sub(1) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(Box::new(Fault::new(FaultKind::Fuel, fr.f.inst(inst).span))),
        }
    }

    fn leave(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let f = fr.f;
        let (op, args) = (f.op(inst), f.args(inst));
        let goto = match op {
            Op::Exit(to) => {
                let results: Vec<Value> = f.results(to).collect();
                fr.copy_all(args, &results, here);
                Goto::Exit(to)
            }
            Op::Continue(to) => {
                let continuing = f.blocks_of(to).get(1).copied();
                let params = continuing.map_or(&[][..], |b| &f.block(b).params);
                fr.copy_all(args, params, here);
                Goto::Continue(to)
            }
            Op::Repeat(to) => {
                let body = f.blocks_of(to).first().copied();
                let params = body.map_or(&[][..], |b| &f.block(b).params);
                fr.copy_all(args, params, here);
                Goto::Repeat(to)
            }
            Op::Return => {
                if let Some(&v) = args.first() {
                    for leaf in 0..fr.layout(v).leaves.len() {
                        for &lane in here {
                            fr.result[leaf * self.lanes + lane as usize] = fr.get(v, leaf, lane);
                        }
                    }
                }
                Goto::Returned
            }
            Op::Unreachable => return Err(Box::new(Fault::new(FaultKind::Unreachable, f.inst(inst).span))),
            _ => {
                if let Op::EndHit(accepts) = op {
                    here.iter().for_each(|&lane| self.rays.say(lane, accepts));
                }
                here.iter().for_each(|&lane| self.dead[lane as usize] = true);
                Goto::Returned
            }
        };
        here.iter().for_each(|&lane| fr.goto[lane as usize] = goto);
        Ok(())
    }

    fn construct(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let f = fr.f;
        let (args, blocks) = (f.args(inst), f.blocks_of(inst));
        match f.op(inst) {
            Op::If => {
                let taken =
                    |fr: &Frame<'m, D>, lane: &u32| self.domain.bits(fr.get(args[0], 0, *lane)) & 1 == 1;
                let (yes, no): (Vec<u32>, Vec<u32>) = here.iter().partition(|lane| taken(fr, lane));
                self.arm(fr, blocks.first(), &yes)?;
                self.arm(fr, blocks.get(1), &no)?;
            }
            Op::Switch => self.switch(fr, inst, here)?,
            Op::Loop => self.repeat(fr, inst, here)?,
            _ => self.arm(fr, blocks.first(), here)?,
        }
        take_on(fr, here, Goto::Exit(inst));
        Ok(())
    }

    fn arm(&mut self, fr: &mut Frame<'m, D>, block: Option<&Block>, lanes: &[u32]) -> Outcome {
        match block {
            Some(&block) if !lanes.is_empty() => self.block(fr, block, lanes),
            _ => Ok(()),
        }
    }

    fn switch(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let f = fr.f;
        let (selector, blocks) = (f.args(inst)[0], f.blocks_of(inst));
        let cases: std::collections::HashMap<u64, u32> = f.cases(inst).collect();
        let mut arms: Vec<Vec<u32>> = vec![Vec::new(); blocks.len()];
        for &lane in here {
            let value = self.domain.bits(fr.get(selector, 0, lane));
            let block = cases.get(&value).map_or(blocks.len().saturating_sub(1), |&b| b as usize);
            if let Some(arm) = arms.get_mut(block) {
                arm.push(lane);
            }
        }
        blocks.iter().zip(&arms).try_for_each(|(block, lanes)| self.arm(fr, Some(block), lanes))
    }

    fn repeat(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let f = fr.f;
        let blocks = f.blocks_of(inst);
        let Some(&body) = blocks.first() else { return Ok(()) };
        fr.copy_all(f.args(inst), &f.block(body).params, here);
        let mut inside = here.to_vec();
        while !inside.is_empty() {
            self.burn(fr, inst)?;
            self.block(fr, body, &inside)?;
            let continuing = take_on(fr, &inside, Goto::Continue(inst));
            self.arm(fr, blocks.get(1), &continuing)?;
            inside = take_on(fr, &inside, Goto::Repeat(inst));
        }
        Ok(())
    }

    /// What changes nothing but its results, and everything that touches memory or other lanes.
    fn inst(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let op = fr.f.op(inst);
        match op.info().shape {
            Shape::Special => self.special(fr, inst, op, here),
            Shape::Same(_) if matches!(op.effect(), Effect::Convergent) => {
                self.derivative(fr, inst, op, here);
                Ok(())
            }
            _ => {
                self.scalars(fr, inst, op, here);
                Ok(())
            }
        }
    }

    /// Notes something wrong with one lane's access; the run goes on with its stated meaning.
    pub(super) fn fault(&mut self, fr: &Frame<'m, D>, inst: Inst, kind: FaultKind, lane: u32) {
        let first = !self.faults.iter().any(|fault| fault.lane == Some(lane) && fault.kind == kind);
        if (first || self.faults.len() < KEPT) && !self.helper[lane as usize] {
            self.faults.push(Fault { lane: Some(lane), ..Fault::new(kind, fr.f.inst(inst).span) });
        }
    }

    /// The place that a pointer of a lane names.
    pub(super) fn place(&self, fr: &Frame<'m, D>, v: Value, lane: u32) -> Place {
        Place::of(self.domain.bits(fr.get(v, 0, lane)))
    }

    /// What a pointer points to.
    pub(super) fn pointee(&self, fr: &Frame<'m, D>, v: Value) -> crate::Ty {
        match self.module.types.get(fr.f.ty(v)) {
            Type::Pointer(_, to) => *to,
            _ => fr.f.ty(v),
        }
    }
}

/// The lanes that go there; they are here again.
fn take_on<D: Domain>(fr: &mut Frame<'_, D>, lanes: &[u32], from: Goto) -> Vec<u32> {
    let mut taken = lanes.to_vec();
    taken.retain(|&lane| fr.goto[lane as usize] == from);
    taken.iter().for_each(|&lane| fr.goto[lane as usize] = Goto::Here);
    taken
}
