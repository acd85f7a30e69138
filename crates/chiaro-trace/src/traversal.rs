//! The search of one ray: all primitives in order, with a halt where a shader is asked.

use crate::bounds::RUN;
use crate::intersect::{aabb, triangle};
use crate::ray::{Ray, flags};
use crate::scene::{Geometry, Placed, Scene, instance_flags};
use crate::shape::Shape;

/// Something that a ray meets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hit {
    /// Number of the instance in its structure.
    pub instance: u32,
    /// Number of the geometry in its mesh.
    pub geometry: u32,
    /// Number of the primitive in its geometry.
    pub primitive: u32,
    /// The distance; of a box that is a candidate, where the ray enters it.
    pub t: f32,
    /// Shares of the second and the third corner of a triangle.
    pub shares: [f32; 2],
    /// 254 for the front of a triangle, 255 for its back; what an intersection stage says.
    pub kind: u32,
    /// Whether no any-hit stage is asked.
    pub opaque: bool,
    /// Whether it is a box.
    pub procedural: bool,
}

impl Hit {
    /// The kind of a triangle seen from the front.
    pub const FRONT: u32 = 254;
    /// The kind of a triangle seen from behind.
    pub const BACK: u32 = 255;
}

/// A ray in the space of an instance.
#[derive(Clone, Copy, Debug)]
struct Local {
    origin: [f64; 3],
    direction: [f64; 3],
}

/// The search of a ray in progress. Distances are decided in binary64 and are binary32 then: a triangle has to be farther
/// than the least and nearer than the nearest so far, so that of two at one distance the first is kept.
#[derive(Clone, Debug)]
pub struct Traversal {
    /// The ray.
    pub ray: Ray,
    /// The structure.
    pub structure: usize,
    /// The nearest hit that was taken.
    pub committed: Option<Hit>,
    /// What a shader is to be asked about.
    pub candidate: Option<Hit>,
    /// The place that comes next: instance, geometry, primitive.
    at: [usize; 3],
    local: Option<Local>,
    ended: bool,
}

impl Traversal {
    /// A search that begins.
    #[must_use]
    pub fn new(ray: Ray, structure: usize) -> Traversal {
        let ended = !ray.is_sound();
        Traversal { ray, structure, committed: None, candidate: None, at: [0; 3], local: None, ended }
    }

    /// The distance that hits must not be beyond: that of the nearest one, or the ray's own.
    #[must_use]
    pub fn limit(&self) -> f32 {
        self.committed.map_or(self.ray.most, |hit| hit.t)
    }

    /// Goes on to the next primitive that a shader is to be asked about; whether there is one. Opaque triangles are
    /// taken on the way.
    pub fn proceed(&mut self, scene: &Scene) -> bool {
        self.candidate = None;
        while let Some(hit) = self.next(scene) {
            if hit.opaque && !hit.procedural {
                self.take(hit);
            } else {
                self.candidate = Some(hit);
                return true;
            }
        }
        false
    }

    /// Takes a hit. One ends the search if the ray says so.
    pub fn take(&mut self, hit: Hit) {
        self.committed = Some(hit);
        if self.ray.has(flags::TERMINATE_ON_FIRST_HIT) {
            self.ended = true;
        }
    }

    /// Takes the triangle that is the candidate; nothing without one.
    pub fn confirm(&mut self) {
        if let Some(hit) = self.candidate.filter(|hit| !hit.procedural && hit.t < self.limit()) {
            self.take(hit);
        }
    }

    /// A hit within the box that is the candidate, at a distance; `None` if that is out of range.
    #[must_use]
    pub fn within(&self, t: f32, kind: u32) -> Option<Hit> {
        let candidate = self.candidate.filter(|hit| hit.procedural)?;
        (t >= self.ray.least && t <= self.limit()).then_some(Hit { t, kind, ..candidate })
    }

    /// Ends the search.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Whether the search is over before all has been tried.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    fn next(&mut self, scene: &Scene) -> Option<Hit> {
        let placed = scene.placed(self.structure);
        while !self.ended && self.at[0] < placed.len() {
            let instance = &placed[self.at[0]];
            let geometries = &scene.meshes()[instance.instance.mesh].geometries;
            if u32::from(instance.instance.mask) & self.ray.mask & 255 == 0 || self.at[1] >= geometries.len()
            {
                self.at = [self.at[0] + 1, 0, 0];
                self.local = None;
                continue;
            }
            if let Some(hit) = self.in_geometry(scene, instance, &geometries[self.at[1]]) {
                return Some(hit);
            }
            self.at = [self.at[0], self.at[1] + 1, 0];
        }
        None
    }

    /// The next hit in a geometry.
    fn in_geometry(&mut self, scene: &Scene, placed: &Placed, geometry: &Geometry) -> Option<Hit> {
        let opaque = self.is_opaque(placed.instance.flags, geometry.opaque);
        let (whole, runs) = scene.bounds(placed.instance.mesh, self.at[1]);
        let local = self.local(placed);
        if self.is_culled(&geometry.shape, opaque) {
            return None;
        }
        if self.at[2] == 0 && !whole.may_meet(local.origin, local.direction, f64::from(self.limit())) {
            return None;
        }
        while self.at[2] < geometry.shape.len() {
            let n = self.at[2];
            let reached = |run: &crate::bounds::Bounds| {
                run.may_meet(local.origin, local.direction, f64::from(self.limit()))
            };
            if n.is_multiple_of(RUN) && !reached(&runs[n / RUN]) {
                self.at[2] += RUN;
                continue;
            }
            self.at[2] += 1;
            if geometry.shape.is_absent(n) {
                continue;
            }
            if let Some(hit) = self.meet(placed, &geometry.shape, local, n) {
                return Some(Hit { opaque, ..hit });
            }
        }
        None
    }

    fn local(&mut self, placed: &Placed) -> Local {
        let Ray { origin, direction, .. } = self.ray;
        *self.local.get_or_insert_with(|| Local {
            origin: placed.to_object.point(origin.map(f64::from)),
            direction: placed.to_object.direction(direction.map(f64::from)),
        })
    }

    /// The geometry's opacity, unless the instance, or the ray, says otherwise.
    fn is_opaque(&self, instance: u8, own: bool) -> bool {
        let forced = match () {
            () if instance & instance_flags::FORCE_OPAQUE != 0 => true,
            () if instance & instance_flags::FORCE_NO_OPAQUE != 0 => false,
            () => own,
        };
        (forced || self.ray.has(flags::OPAQUE)) && !self.ray.has(flags::NO_OPAQUE)
    }

    fn is_culled(&self, shape: &Shape, opaque: bool) -> bool {
        let kind = match shape {
            Shape::Triangles(_) => flags::SKIP_TRIANGLES,
            Shape::Boxes(_) => flags::SKIP_BOXES,
        };
        let opacity = if opaque { flags::CULL_OPAQUE } else { flags::CULL_NO_OPAQUE };
        self.ray.has(kind | opacity)
    }

    /// One primitive.
    fn meet(&self, placed: &Placed, shape: &Shape, local: Local, n: usize) -> Option<Hit> {
        let [instance, geometry, _] = self.at.map(|n| n as u32);
        let hit = Hit {
            instance,
            geometry,
            primitive: n as u32,
            t: 0.0,
            shares: [0.0; 2],
            kind: 0,
            opaque: false,
            procedural: matches!(shape, Shape::Boxes(_)),
        };
        match shape {
            Shape::Triangles(all) => self.meet_triangle(placed.instance.flags, &all[n], local, hit),
            Shape::Boxes(all) => {
                let range = (f64::from(self.ray.least), f64::from(self.limit()));
                let t = aabb(&all[n], (local.origin, local.direction), range)?;
                Some(Hit { t: t as f32, ..hit })
            }
        }
    }

    fn meet_triangle(&self, flags_: u8, corners: &[[f32; 3]; 3], local: Local, hit: Hit) -> Option<Hit> {
        let met = triangle(corners, local.origin, local.direction)?;
        let t = met.t as f32;
        let front = met.front != (flags_ & instance_flags::FLIP_FACING != 0);
        let seen = if front { flags::CULL_FRONT } else { flags::CULL_BACK };
        let culled = self.ray.has(seen) && flags_ & instance_flags::FACING_CULL_DISABLE == 0;
        (t > self.ray.least && t < self.limit() && !culled).then_some(Hit {
            t,
            shares: met.shares.map(|share| share as f32),
            kind: if front { Hit::FRONT } else { Hit::BACK },
            ..hit
        })
    }
}
