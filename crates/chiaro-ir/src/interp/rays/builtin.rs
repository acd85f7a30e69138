//! Built-ins of the stages of rays, by SPIR-V's numbers.

use super::stage::View;
use crate::interp::domain::Domain;
use crate::interp::exec::Walk;
use crate::interp::layout::TypeLayout;
use crate::interp::world::LaneRay;
use crate::rays::{builtin as b, question};

impl<D: Domain> Walk<'_, D> {
    /// A built-in of a lane as bytes; none for what the stage has not.
    pub(super) fn built_in(&self, number: u32, lane: u32, view: View, layout: &TypeLayout) -> Vec<u8> {
        let words = match number {
            b::LAUNCH => self.rays.ids.get(lane as usize).copied().unwrap_or_default().to_vec(),
            b::SIZE => self.rays.size.to_vec(),
            _ => self.lane_of(lane).map_or(Vec::new(), |ray| self.of_ray(number, ray, view)),
        };
        let mut bytes = vec![0; layout.size as usize];
        for (&(leaf, offset), word) in layout.leaves.iter().zip(words) {
            let at = offset as usize;
            if let Some(room) = bytes.get_mut(at..at + leaf.bytes().min(4)) {
                room.copy_from_slice(&word.to_le_bytes()[..room.len()]);
            }
        }
        bytes
    }

    fn of_ray(&self, number: u32, lane: &LaneRay, view: View) -> Vec<u32> {
        let ray = &lane.traversal.ray;
        let hit = match view {
            View::Launch => return Vec::new(),
            View::Missed => None,
            View::Taken => lane.traversal.committed,
            View::Asked | View::Intersection => lane.asked,
        };
        match number {
            b::ORIGIN => floats(&ray.origin),
            b::DIRECTION => floats(&ray.direction),
            b::LEAST => floats(&[ray.least]),
            b::MOST | b::DISTANCE => floats(&[match (view, hit) {
                (View::Asked | View::Taken, Some(hit)) => hit.t,
                _ => lane.traversal.limit(),
            }]),
            b::FLAGS => vec![ray.flags],
            b::MASK => vec![ray.mask],
            b::KIND => hit.map_or(Vec::new(), |hit| vec![hit.kind]),
            _ => match (question(number), hit) {
                (Some(code), Some(hit)) => self.told_of_hit(&lane.traversal, &hit, code),
                _ => Vec::new(),
            },
        }
    }
}

/// Floats as words.
pub(super) fn floats(all: &[f32]) -> Vec<u32> {
    all.iter().map(|x| x.to_bits()).collect()
}
