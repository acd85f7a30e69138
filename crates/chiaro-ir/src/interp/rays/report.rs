//! `report_hit`: an intersection stage says that its box holds something.

use chiaro_trace::Group;

use super::together;
use crate::interp::domain::Domain;
use crate::interp::exec::{Outcome, Walk};
use crate::interp::frame::Frame;
use crate::interp::memory::Place;
use crate::interp::world::{Section, Verdict};
use crate::{Inst, Space};

impl<'m, D: Domain> Walk<'m, D> {
    /// Hits in range that are not opaque are asked about; answers whether each was taken.
    pub(super) fn report_hit(&mut self, fr: &mut Frame<'m, D>, inst: Inst, here: &[u32]) -> Outcome {
        let args = fr.f.args(inst);
        let mut asked = Vec::new();
        for &lane in here {
            self.rays.verdicts[lane as usize] = Verdict::Ignore;
            let (t, kind) = (self.float_of(fr, args[0], 0, lane), self.whole(fr, args[1], lane));
            let attributes = self.attributes(lane);
            let Some(ray) = self.lane_mut(lane) else { continue };
            let Some(hit) = ray.traversal.within(t, kind) else { continue };
            (ray.asked, ray.attributes) = (Some(hit), attributes);
            asked.push((lane, hit.opaque));
        }
        let of = |opaque: bool| asked.iter().filter(move |(_, o)| *o == opaque).map(|(lane, _)| *lane);
        of(true).for_each(|lane| self.rays.verdicts[lane as usize] = Verdict::Accept);
        self.ask_reported(fr, inst, &of(false).collect::<Vec<_>>())?;
        for &(lane, _) in &asked {
            let verdict = self.verdict(lane);
            if let Some(ray) = self.lane_mut(lane) {
                ray.conclude(verdict);
                ray.asked = ray.traversal.candidate;
            }
            // Who ends the search ends the stage, too.
            self.dead[lane as usize] |= verdict == Verdict::Terminate;
        }
        self.answer(fr, inst, here, |w, lane| u64::from(w.verdict(lane) != Verdict::Ignore));
        Ok(())
    }

    fn ask_reported(&mut self, fr: &Frame<'m, D>, inst: Inst, lanes: &[u32]) -> Outcome {
        let record = |lane: u32| self.hit_record(lane, self.lane_of(lane).and_then(|ray| ray.asked));
        for (record, lanes) in together(lanes, record) {
            let group = self.group_of(fr, inst, Section::Hit, record, lanes[0])?;
            self.any_hit(group.and_then(Group::any), record, &lanes)?;
        }
        Ok(())
    }

    /// What the stage under way says of its hit: the bytes of its variable of attributes.
    fn attributes(&self, lane: u32) -> Vec<u8> {
        let part = self.rays.chain.last().and_then(|&stage| self.part_of(stage));
        let mut own = part.into_iter().flat_map(|part| part.globals.clone());
        let is_attribute = |g: &u32| self.module.globals[*g as usize].space == Space::HitAttribute;
        own.find(is_attribute).map_or(Vec::new(), |g| {
            self.memory.peek(Place::of(self.globals[g as usize]).region, lane as usize).to_vec()
        })
    }
}
