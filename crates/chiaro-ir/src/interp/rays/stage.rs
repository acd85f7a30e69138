//! Calling a stage: its record, variables of its own, and built-ins.

use chiaro_trace::{Group, Pipeline};

use crate::interp::domain::Domain;
use crate::interp::exec::{Outcome, Walk};
use crate::interp::frame::Frame;
use crate::interp::memory::Place;
use crate::interp::setup::initial;
use crate::interp::world::{Section, Verdict};
use crate::interp::{Fault, FaultKind};
use crate::{Added, Global, Inst, Space};

/// Which hit the built-ins of a stage tell of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum View {
    /// No ray.
    Launch,
    /// A ray without a hit.
    Missed,
    /// The hit that was taken.
    Taken,
    /// The hit that is asked about.
    Asked,
    /// The box that is looked into; the distance is that of the nearest hit so far.
    Intersection,
}

/// A call of a stage.
pub(super) struct Call<'a> {
    pub stage: usize,
    pub lanes: &'a [u32],
    pub record: Option<(Section, u32)>,
    /// Place and bytes of what is handed over.
    pub incoming: Option<(u64, u32)>,
    pub view: View,
}

impl<'m, D: Domain> Walk<'m, D> {
    pub(super) fn pipeline(&self) -> Option<&'m Pipeline> {
        Some(self.world?.stages.as_ref()?.pipeline)
    }

    /// What a stage brought into the module.
    pub(super) fn part_of(&self, stage: usize) -> Option<&'m Added> {
        self.world?.stages.as_ref()?.parts.get(stage)
    }

    pub(super) fn stage_name(&self, stage: usize) -> &'m str {
        let entry = self.part_of(stage).and_then(|part| self.module.entries.get(part.entries.start));
        entry.map_or("?", |entry| &entry.name)
    }

    /// Runs the ray generation stage of the table.
    pub(super) fn launch(&mut self, size: [u32; 3], ids: &[[u32; 3]], all: &[u32]) -> Outcome {
        self.rays.size = size;
        self.rays.ids = ids.to_vec();
        self.rays.verdicts = vec![Verdict::Accept; self.lanes];
        let group = self.pipeline().and_then(|p| Some((p, p.table.raygen.group?)));
        let Some(Group::General(stage)) = group.and_then(|(p, group)| p.groups.get(group)) else {
            let what = "the pipeline has no ray generation stage to launch".to_owned();
            return Err(Box::new(Fault::new(FaultKind::Rays(what), None)));
        };
        let record = Some((Section::Raygen, 0));
        self.call_stage(&Call { stage: *stage, lanes: all, record, incoming: None, view: View::Launch })
    }

    /// The group of a record; `None` for one that calls nothing.
    pub(super) fn group_of(
        &self,
        fr: &Frame<'m, D>,
        inst: Inst,
        section: Section,
        n: u32,
        lane: u32,
    ) -> Outcome<Option<Group>> {
        let Some(pipeline) = self.pipeline() else { return Ok(None) };
        let records = section.records(pipeline);
        let Some(record) = records.get(n as usize) else {
            let what = format!(
                "record {n} of the {} table is wanted, and there are {}; the table is too short",
                section.name(),
                records.len()
            );
            return Err(self.ray_fault(fr, inst, lane, &what));
        };
        Ok(record.group.and_then(|group| pipeline.groups.get(group).copied()))
    }

    /// Calls a stage for some lanes, with variables of its own.
    pub(super) fn call_stage(&mut self, call: &Call<'_>) -> Outcome {
        let module = self.module;
        let Some((part, entry)) =
            self.part_of(call.stage).and_then(|part| Some((part, module.entries.get(part.entries.start)?)))
        else {
            return Ok(());
        };
        self.rays.chain.push(call.stage);
        let first = part.globals.start as usize;
        let kept = self.globals[first..part.globals.end as usize].to_vec();
        let mut made = Vec::new();
        for g in part.globals.clone() {
            if let Some(place) = self.stage_variable(call, &module.globals[g as usize], &mut made)? {
                self.globals[g as usize] = place;
            }
        }
        let outcome = self.call(entry.function, &[], call.lanes);
        self.globals[first..first + kept.len()].copy_from_slice(&kept);
        made.into_iter().for_each(|region| self.memory.remove(region));
        // An end within the stage is not one of the caller.
        call.lanes.iter().for_each(|&lane| self.dead[lane as usize] = false);
        self.rays.chain.pop();
        outcome.map(drop)
    }

    /// Where a variable is during a call; `None` where it always is.
    fn stage_variable(
        &mut self,
        call: &Call<'_>,
        global: &Global,
        made: &mut Vec<u32>,
    ) -> Outcome<Option<u64>> {
        let region = match global.space {
            Space::IncomingPayload | Space::IncomingCallableData => return self.incoming(call, global),
            Space::ShaderRecord => self.record_region(call),
            Space::Private | Space::Payload | Space::CallableData | Space::HitAttribute | Space::Input => {
                let region = self.own_region(call, global)?;
                made.push(region);
                region
            }
            _ => return Ok(None),
        };
        Ok(Some(Place { region, offset: 0 }.bits()))
    }

    /// What the caller hands over has to be as large as the callee takes it for.
    fn incoming(&self, call: &Call<'_>, global: &Global) -> Outcome<Option<u64>> {
        let Some((place, size)) = call.incoming else { return Ok(None) };
        let own = self.layouts.get(global.ty).size;
        if own == size {
            return Ok(Some(place));
        }
        let what = if global.space == Space::IncomingPayload { "payload" } else { "callable data" };
        let text = format!(
            "`{}` takes {own} bytes of {what}, and is given {size}; both sides have to declare the same",
            self.stage_name(call.stage)
        );
        Err(Box::new(Fault::new(FaultKind::Rays(text), global.span)))
    }

    fn record_region(&mut self, call: &Call<'_>) -> u32 {
        let (section, n) = call.record.unwrap_or((Section::Raygen, 0));
        if let Some(&known) = self.rays.records.get(&(section, n)) {
            return known;
        }
        let records = self.pipeline().map_or(&[][..], |pipeline| section.records(pipeline));
        let data = records.get(n as usize).map_or(&[][..], |record| &record.data);
        let region = self.memory.add(data, None);
        self.rays.records.insert((section, n), region);
        region
    }

    /// A region for a variable of the stage, as it is at the start.
    fn own_region(&mut self, call: &Call<'_>, global: &Global) -> Outcome<u32> {
        let layout = self.layouts.get(global.ty);
        self.memory.claim(layout.size, self.lanes, global.span)?;
        let mut bytes = self.options.undefined(layout.size as usize);
        if let Some(init) = global.init {
            initial(self, global.ty, init, &mut bytes);
        }
        let region = self.memory.add(&bytes, Some(self.lanes));
        for &lane in call.lanes {
            let given = match global.space {
                Space::HitAttribute => self.given_attributes(call.view, lane),
                Space::Input => {
                    global.binding.builtin.map_or(Vec::new(), |n| self.built_in(n, lane, call.view, layout))
                }
                _ => Vec::new(),
            };
            let room = self.memory.bytes_of(region, lane as usize);
            let count = room.len().min(given.len());
            room[..count].copy_from_slice(&given[..count]);
        }
        Ok(region)
    }

    fn given_attributes(&self, view: View, lane: u32) -> Vec<u8> {
        let Some(ray) = self.lane_of(lane) else { return Vec::new() };
        match view {
            View::Taken => match ray.traversal.committed {
                Some(hit) if !hit.procedural => hit.shares.iter().flat_map(|s| s.to_le_bytes()).collect(),
                _ => ray.taken.clone(),
            },
            View::Asked => ray.attributes.clone(),
            _ => Vec::new(),
        }
    }
}
