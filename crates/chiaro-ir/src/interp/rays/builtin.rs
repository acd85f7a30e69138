//! Built-ins of the stages of rays, by SPIR-V's numbers.

use chiaro_trace::{Affine, Hit};

use super::stage::View;
use crate::interp::domain::Domain;
use crate::interp::exec::Walk;
use crate::interp::layout::TypeLayout;
use crate::interp::world::LaneRay;

impl<D: Domain> Walk<'_, D> {
    /// A built-in of a lane as bytes; none for what the stage has not.
    pub(super) fn built_in(&self, number: u32, lane: u32, view: View, layout: &TypeLayout) -> Vec<u8> {
        let words = match number {
            5319 => self.rays.ids.get(lane as usize).copied().unwrap_or_default().to_vec(),
            5320 => self.rays.size.to_vec(),
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
            5321 => floats(&ray.origin),
            5322 => floats(&ray.direction),
            5325 => floats(&[ray.least]),
            5326 | 5332 => floats(&[match (view, hit) {
                (View::Asked | View::Taken, Some(hit)) => hit.t,
                _ => lane.traversal.limit(),
            }]),
            5351 => vec![ray.flags],
            6021 => vec![ray.mask],
            _ => hit.map_or(Vec::new(), |hit| self.of_hit(number, lane, &hit)),
        }
    }

    fn of_hit(&self, number: u32, lane: &LaneRay, hit: &Hit) -> Vec<u32> {
        let ray = &lane.traversal.ray;
        let structure = lane.traversal.structure;
        let Some((scene, (instance, to_object))) =
            self.scene().and_then(|scene| Some((scene, scene.instance(structure, hit.instance)?)))
        else {
            return Vec::new();
        };
        match number {
            6 => vec![hit.instance],
            7 => vec![hit.primitive],
            5323 => floats(&point(to_object, ray.origin)),
            5324 => floats(&direction(to_object, ray.direction)),
            5327 => vec![instance.custom_index],
            5330 => floats(&instance.transform.columns()),
            5331 => floats(&to_object.columns()),
            5333 => vec![hit.kind],
            5335 => {
                let corners = scene.corners(structure, [hit.instance, hit.geometry, hit.primitive]);
                floats(corners.unwrap_or_default().as_flattened())
            }
            5352 => vec![hit.geometry],
            _ => Vec::new(),
        }
    }
}

/// A point in the space of an instance.
pub(super) fn point(to_object: &Affine, p: [f32; 3]) -> [f32; 3] {
    to_object.point(p.map(f64::from)).map(|x| x as f32)
}

/// A direction in the space of an instance.
pub(super) fn direction(to_object: &Affine, d: [f32; 3]) -> [f32; 3] {
    to_object.direction(d.map(f64::from)).map(|x| x as f32)
}

/// Floats as words.
pub(super) fn floats(all: &[f32]) -> Vec<u32> {
    all.iter().map(|x| x.to_bits()).collect()
}
