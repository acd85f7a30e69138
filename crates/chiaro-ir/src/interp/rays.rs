//! Rays: pipelines of stages that call one another through a table, and queries within a stage.
//!
//! A ray is a [`Traversal`](chiaro_trace::Traversal) of the scene that asks stages where it halts: the interpreter is the reference, so it tries
//! all primitives in order and knows no tree. Lanes are together as elsewhere: those whose rays halt at the same record
//! call its stage together, those of the lowest lane first. Every call of a stage has variables of its own, so that a
//! stage may be under way several times; a payload is the caller's variable, seen by the callee.

mod builtin;
mod query;
mod report;
mod stage;
mod trace;

use std::collections::HashMap;

use super::domain::Domain;
use super::exec::{Outcome, Walk};
use super::frame::Frame;
use super::images::{Handle, Images};
use super::{Fault, FaultKind, Interpreter, Report};
use crate::rays::trap::told;
use crate::{Inst, Op, Value};

/// Lanes that a launch runs together.
const TOGETHER: u32 = 128;

impl<D: Domain> Interpreter<'_, D> {
    /// Launches the ray generation stage of the table so many times, in [`world`](Interpreter::world). The entry point
    /// that the interpreter was made for does not count.
    ///
    /// # Errors
    /// What stops the run: a table that is too short, rays that nest deeper than the pipeline allows, and what stops
    /// others. Nothing is launched without a pipeline.
    pub fn trace(&mut self, size: [u32; 3], images: &mut dyn Images) -> Result<Report, Box<Fault>> {
        let mut report = Report { fuel: self.options.fuel, ..Report::default() };
        let count = size.iter().map(|n| u64::from(*n)).product::<u64>();
        let mut first = 0;
        while first < count {
            let lanes = (count - first).min(u64::from(TOGETHER)) as usize;
            let [width, height] = [size[0], size[1]].map(u64::from);
            let id = |n: u64| [n % width, n / width % height, n / (width * height)].map(|n| n as u32);
            let ids: Vec<[u32; 3]> = (first..first + lanes as u64).map(id).collect();
            let start = |walk: &mut Walk<'_, D>, all: &[u32]| walk.launch(size, &ids, all);
            let (next, _) = self.within(lanes, &HashMap::new(), images, report.fuel, &start)?;
            report.add(next, &self.options);
            first += lanes as u64;
        }
        Ok(report)
    }
}

impl<'m, D: Domain> Walk<'m, D> {
    /// An operation on rays.
    pub(super) fn ray_op(&mut self, fr: &mut Frame<'m, D>, inst: Inst, op: Op, here: &[u32]) -> Outcome {
        let piped = self.world.is_some_and(|world| world.stages.is_some());
        match op {
            Op::TraceRay if piped => self.trace_ray(fr, inst, here),
            Op::ReportHit if !self.rays.open.is_empty() => self.report_hit(fr, inst, here),
            Op::ExecuteCallable if piped => self.execute_callable(fr, inst, here),
            Op::RayQuery(code) if self.world.is_some() => self.ray_query(fr, inst, code, here),
            _ => Err(self.not_interpreted(fr, inst, op.info().name)),
        }
    }

    fn not_interpreted(&self, fr: &Frame<'m, D>, inst: Inst, name: &'static str) -> Box<Fault> {
        Box::new(Fault::new(FaultKind::NotInterpreted(name), fr.f.inst(inst).span))
    }

    /// A fault with the launch of a lane and the stages that are under way.
    fn ray_fault(&self, fr: &Frame<'m, D>, inst: Inst, lane: u32, what: &str) -> Box<Fault> {
        let launch = self.rays.ids.get(lane as usize).copied().unwrap_or_default();
        let stages: Vec<&str> = self.rays.chain.iter().map(|&stage| self.stage_name(stage)).collect();
        let text = told(what, launch, &stages);
        Box::new(Fault { lane: Some(lane), ..Fault::new(FaultKind::Rays(text), fr.f.inst(inst).span) })
    }

    /// The structure that a handle means; one that is none has nothing in it.
    fn structure(&self, fr: &Frame<'m, D>, v: Value, lane: u32) -> usize {
        let bits = self.domain.bits(fr.get(v, 0, lane));
        let known = self.world.map(|world| world.structures.get(&Handle::of(bits)).copied().unwrap_or(0));
        known.filter(|_| bits != 0).unwrap_or(usize::MAX)
    }

    fn whole(&self, fr: &Frame<'m, D>, v: Value, lane: u32) -> u32 {
        self.domain.bits(fr.get(v, 0, lane)) as u32
    }

    fn float_of(&self, fr: &Frame<'m, D>, v: Value, leaf: usize, lane: u32) -> f32 {
        f32::from_bits(self.domain.bits(fr.get(v, leaf, lane)) as u32)
    }

    fn vector_of(&self, fr: &Frame<'m, D>, v: Value, lane: u32) -> [f32; 3] {
        std::array::from_fn(|leaf| self.float_of(fr, v, leaf, lane))
    }
}

/// Lanes with the same key, those of the lowest lane first.
fn together<K: PartialEq>(lanes: &[u32], key: impl Fn(u32) -> K) -> Vec<(K, Vec<u32>)> {
    let mut all: Vec<(K, Vec<u32>)> = Vec::new();
    for &lane in lanes {
        let key = key(lane);
        match all.iter_mut().find(|(known, _)| *known == key) {
            Some((_, lanes)) => lanes.push(lane),
            None => all.push((key, vec![lane])),
        }
    }
    all
}
