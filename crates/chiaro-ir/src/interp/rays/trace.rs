//! `trace_ray` and `execute_callable`: the search, and whom it calls.

use chiaro_trace::{Group, Hit, Ray, Scene, Traversal, flags};

use super::stage::{Call, View};
use super::together;
use crate::interp::domain::Domain;
use crate::interp::exec::{Outcome, Walk};
use crate::interp::frame::Frame;
use crate::interp::world::{LaneRay, Section, Verdict};
use crate::rays::trap;
use crate::{Inst, Value};

impl<'m, D: Domain> Walk<'m, D> {
    /// Traces the rays of all lanes to their end.
    pub(super) fn trace_ray(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let depth = self.pipeline().map_or(0, |pipeline| pipeline.depth as usize);
        if self.rays.open.len() >= depth {
            return Err(self.ray_fault(fr, inst, here[0], &trap::ray_too_deep(depth)));
        }
        let mut lanes = vec![None; self.lanes];
        for &lane in here {
            lanes[lane as usize] = Some(self.lane_ray(fr, inst, lane));
        }
        self.rays.open.push(lanes);
        self.rays.counts.rays += here.len() as u64;
        self.rays.counts.depth = self.rays.counts.depth.max(self.rays.open.len() as u32);
        let outcome = self.search(fr, inst, here).and_then(|()| self.finish(fr, inst, here));
        self.rays.open.pop();
        outcome
    }

    /// A ray as its operands have it: of numbers that are too wide the low bits count, as the API says.
    fn lane_ray(&self, fr: &Frame<'m, D>, inst: Inst, lane: u32) -> LaneRay {
        let args = fr.f.args(inst);
        let number = |n: usize| self.whole(fr, args[n], lane);
        let ray = self.ray(fr, [args[1], args[2], args[6], args[7], args[8], args[9]], lane);
        let size = self.layouts.get(self.pointee(fr, args[10])).size;
        LaneRay {
            traversal: Traversal::new(ray, self.structure(fr, args[0], lane)),
            offset: number(3) & 15,
            stride: number(4) & 15,
            miss: number(5) & 0xffff,
            payload: (self.domain.bits(fr.get(args[10], 0, lane)), size),
            asked: None,
            attributes: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// A ray of flags, mask, origin, least distance, direction and most distance.
    pub(super) fn ray(&self, fr: &Frame<'m, D>, args: [Value; 6], lane: u32) -> Ray {
        Ray {
            flags: self.whole(fr, args[0], lane),
            mask: self.whole(fr, args[1], lane) & 255,
            origin: self.vector_of(fr, args[2], lane),
            least: self.float_of(fr, args[3], 0, lane),
            direction: self.vector_of(fr, args[4], lane),
            most: self.float_of(fr, args[5], 0, lane),
        }
    }

    pub(super) fn scene(&self) -> Option<&'m Scene> {
        self.world.map(|world| world.scene)
    }

    /// The innermost ray of a lane.
    pub(super) fn lane_mut(&mut self, lane: u32) -> Option<&mut LaneRay> {
        self.rays.open.last_mut()?.get_mut(lane as usize)?.as_mut()
    }

    pub(super) fn lane_of(&self, lane: u32) -> Option<&LaneRay> {
        self.rays.open.last()?.get(lane as usize)?.as_ref()
    }

    /// Goes through the scene until no lane has anything to ask.
    fn search(&mut self, fr: &Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let Some(scene) = self.scene() else { return Ok(()) };
        let mut left = here.to_vec();
        loop {
            left.retain(|&lane| self.lane_mut(lane).is_some_and(|ray| ray.traversal.proceed(scene)));
            if left.is_empty() {
                return Ok(());
            }
            self.burn(fr, inst)?;
            for &lane in &left {
                if let Some(ray) = self.lane_mut(lane) {
                    ray.asked = ray.traversal.candidate;
                }
            }
            let asked = |lane: u32| self.lane_of(lane).and_then(|ray| ray.asked);
            let key = |lane: u32| (self.hit_record(lane, asked(lane)), self.payload_of(lane));
            for ((record, _), lanes) in together(&left, key) {
                self.ask(fr, inst, record, &lanes)?;
            }
        }
    }

    fn payload_of(&self, lane: u32) -> (u64, u32) {
        self.lane_of(lane).map_or((0, 0), |ray| ray.payload)
    }

    /// The record of the hit table for a hit of a lane's ray.
    pub(super) fn hit_record(&self, lane: u32, hit: Option<Hit>) -> u32 {
        let (Some(ray), Some(hit), Some(scene)) = (self.lane_of(lane), hit, self.scene()) else { return 0 };
        let instance = scene.instance(ray.traversal.structure, hit.instance);
        let own = instance.map_or(0, |(instance, _)| instance.offset);
        own.wrapping_add(ray.offset).wrapping_add(ray.stride.wrapping_mul(hit.geometry))
    }

    /// Asks the stages of a record about the candidates of lanes.
    fn ask(&mut self, fr: &Frame<'m, D>, inst: Inst, record: u32, lanes: &[u32]) -> Outcome {
        let group = self.group_of(fr, inst, Section::Hit, record, lanes[0])?;
        let is_box =
            |w: &Self, lane: u32| w.lane_of(lane).and_then(|r| r.asked).is_some_and(|h| h.procedural);
        let (boxes, triangles): (Vec<u32>, Vec<u32>) = lanes.iter().partition(|&&lane| is_box(self, lane));
        if let Some(&lane) = triangles.first() {
            if let Some(Group::Procedural { .. }) = group {
                return Err(self.mixed(fr, inst, record, lane, ["triangle", "boxes"]));
            }
            self.ask_triangles(group, record, &triangles)?;
        }
        match (group, boxes.first()) {
            (Some(Group::Procedural { intersection, .. }), Some(_)) => {
                self.rays.counts.intersection += boxes.len() as u64;
                self.call_stage(&self.hit_call(intersection, record, &boxes, View::Intersection))
            }
            (Some(_), Some(&lane)) => Err(self.mixed(fr, inst, record, lane, ["box", "triangles"])),
            _ => Ok(()),
        }
    }

    fn mixed(
        &self,
        fr: &Frame<'m, D>,
        inst: Inst,
        record: u32,
        lane: u32,
        [met, is_for]: [&str; 2],
    ) -> Box<crate::interp::Fault> {
        let what =
            format!("a ray meets a {met}, and record {record} of the hit table is of a group for {is_for}");
        self.ray_fault(fr, inst, lane, &what)
    }

    /// Triangles that are not opaque count unless a stage says otherwise.
    fn ask_triangles(&mut self, group: Option<Group>, record: u32, lanes: &[u32]) -> Outcome {
        for &lane in lanes {
            if let Some(ray) = self.lane_mut(lane) {
                let shares = ray.asked.map_or([0.0; 2], |hit| hit.shares);
                ray.attributes = shares.iter().flat_map(|share| share.to_le_bytes()).collect();
            }
        }
        self.any_hit(group.and_then(Group::any), record, lanes)?;
        for &lane in lanes {
            let verdict = self.verdict(lane);
            if let Some(ray) = self.lane_mut(lane) {
                ray.conclude(verdict);
            }
        }
        Ok(())
    }

    /// Asks an any-hit stage, if there is one; it says in [`Walk::verdict`] what is to be done.
    pub(super) fn any_hit(&mut self, stage: Option<usize>, record: u32, lanes: &[u32]) -> Outcome {
        lanes.iter().for_each(|&lane| self.rays.verdicts[lane as usize] = Verdict::Accept);
        let Some(stage) = stage else { return Ok(()) };
        self.rays.counts.any_hit += lanes.len() as u64;
        self.call_stage(&self.hit_call(stage, record, lanes, View::Asked))
    }

    pub(super) fn verdict(&self, lane: u32) -> Verdict {
        self.rays.verdicts.get(lane as usize).copied().unwrap_or_default()
    }

    fn hit_call<'a>(&self, stage: usize, record: u32, lanes: &'a [u32], view: View) -> Call<'a> {
        let incoming = lanes.first().map(|&lane| self.payload_of(lane));
        Call { stage, lanes, record: Some((Section::Hit, record)), incoming, view }
    }

    /// Calls closest-hit and miss stages.
    fn finish(&mut self, fr: &Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let taken = |w: &Self, lane: u32| w.lane_of(lane).and_then(|ray| ray.traversal.committed);
        let (mut hits, misses): (Vec<u32>, Vec<u32>) =
            here.iter().partition(|&&lane| taken(self, lane).is_some());
        let wants = |ray: &LaneRay| !ray.traversal.ray.has(flags::SKIP_CLOSEST_HIT);
        hits.retain(|&lane| self.lane_of(lane).is_some_and(wants));
        let key = |lane: u32| (self.hit_record(lane, taken(self, lane)), self.payload_of(lane));
        for ((record, _), lanes) in together(&hits, key) {
            let group = self.group_of(fr, inst, Section::Hit, record, lanes[0])?;
            let Some(stage) = group.and_then(Group::closest) else { continue };
            self.rays.counts.closest_hit += lanes.len() as u64;
            self.call_stage(&self.hit_call(stage, record, &lanes, View::Taken))?;
        }
        let key = |lane: u32| (self.lane_of(lane).map_or(0, |ray| ray.miss), self.payload_of(lane));
        for ((record, payload), lanes) in together(&misses, key) {
            let group = self.group_of(fr, inst, Section::Miss, record, lanes[0])?;
            let Some(Group::General(stage)) = group else { continue };
            self.rays.counts.miss += lanes.len() as u64;
            let record = Some((Section::Miss, record));
            let incoming = Some(payload);
            self.call_stage(&Call { stage, lanes: &lanes, record, incoming, view: View::Missed })?;
        }
        Ok(())
    }

    /// Calls the stages that lanes name by number.
    pub(super) fn execute_callable(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let args = fr.f.args(inst);
        let size = self.layouts.get(self.pointee(fr, args[1])).size;
        let place = |lane: u32| self.domain.bits(fr.get(args[1], 0, lane));
        for ((record, place), lanes) in together(here, |lane| (self.whole(fr, args[0], lane), place(lane))) {
            let group = self.group_of(fr, inst, Section::Callable, record, lanes[0])?;
            let Some(Group::General(stage)) = group else { continue };
            self.rays.counts.callable += lanes.len() as u64;
            let record = Some((Section::Callable, record));
            let incoming = Some((place, size));
            self.call_stage(&Call { stage, lanes: &lanes, record, incoming, view: View::Launch })?;
        }
        Ok(())
    }
}

impl LaneRay {
    /// Takes the hit that was asked about, or leaves it.
    pub(super) fn conclude(&mut self, verdict: Verdict) {
        if let Some(hit) = self.asked.filter(|_| verdict != Verdict::Ignore) {
            self.traversal.take(hit);
            self.taken.clone_from(&self.attributes);
        }
        if verdict == Verdict::Terminate {
            self.traversal.end();
        }
    }
}
