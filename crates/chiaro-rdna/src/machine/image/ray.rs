//! Rays against the nodes of a tree (spec section 8.6).
//!
//! The arithmetic of boxes and triangles is unknown, and so is what a miss gives beside an invalid
//! child. Assumed, where nothing else is asked for: binary32 with each operation rounded, boxes not grown,
//! a hit at t >= 0, and for a triangle that is missed t = infinity.

use chiaro_num::F16;

use super::Texel;
use super::address::{Fields, Reader};
use crate::machine::config::Rays;
use crate::machine::fault::FaultKind;
use crate::machine::group::Shared;
use crate::machine::wave::Wave;

type Vector = [f32; 3];

/// A node that is none, and a child that is not hit.
const INVALID: u32 = u32::MAX;
/// What a descriptor of a tree has for its type.
const TREE: u32 = 8;
/// Bytes that node pointers count.
const UNIT: u64 = 64;
/// A miss: t is infinite, so that no test against the ray's extent lets it pass.
const MISS: Texel = [f32::INFINITY.to_bits(), 1.0_f32.to_bits(), 0, 0];

/// The descriptor of a tree.
#[derive(Clone, Copy)]
struct Tree {
    base: u64,
    /// The last node, in units.
    last: u64,
    sorted: bool,
    /// Whether triangles give coordinates within them, and not their number and whether they are hit.
    coordinates: bool,
}

impl Tree {
    fn read(words: [u32; 4]) -> Result<Tree, String> {
        if words[3] >> 28 != TREE {
            return Err(format!("image_bvh_intersect_ray with a descriptor of type {}", words[3] >> 28));
        }
        Ok(Tree {
            base: (u64::from(words[0]) | u64::from(words[1] & 0xff) << 32) << 8,
            last: u64::from(words[2]) | u64::from(words[3] & 0x3ff) << 32,
            sorted: words[1] >> 31 == 1,
            coordinates: words[3] >> 24 & 1 == 1,
        })
    }
}

/// A ray of a lane, with the node that it is tried against.
struct Ray {
    node: u64,
    extent: f32,
    origin: Vector,
    direction: Vector,
    inverse: Vector,
    how: Rays,
}

impl Ray {
    fn read(wave: &Wave, fields: Fields, lane: usize) -> Ray {
        let mut reader = Reader::new(wave, fields, lane);
        let low = u64::from(reader.word());
        // An invalid pointer of 32 bits has no node either when it is one of 64.
        let node = if fields.op == 0xe7 { low | u64::from(reader.word()) << 32 } else { low };
        let extent = f32::from_bits(reader.word());
        let origin = [0; 3].map(|_: u32| f32::from_bits(reader.word()));
        let rest = reader.many(6, fields.short_address);
        let float = |n: usize| match fields.short_address {
            true => F16.decode(rest[n]) as f32,
            false => f32::from_bits(rest[n]),
        };
        let (direction, inverse) = ([0, 1, 2].map(float), [3, 4, 5].map(float));
        Ray { node, extent, origin, direction, inverse, how: wave.config.rays }
    }

    /// Where the ray enters a box, if it does within its extent.
    fn enters(&self, [least, most]: [Vector; 2]) -> Option<f32> {
        let (mut near, mut far) = (0.0_f32, self.extent);
        for axis in 0..3 {
            let [a, b] = [least, most].map(|bound| (bound[axis] - self.origin[axis]) * self.inverse[axis]);
            // A ray within a plane of the box gives NaN, which bounds nothing.
            (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
        }
        (near <= grown(far, self.how.grown)).then_some(near)
    }

    /// t and both coordinates, each to be divided by the second number.
    fn meets(&self, [a, b, c]: [Vector; 3]) -> Option<[f32; 4]> {
        let (first, second) = (minus(b, a), minus(c, a));
        let cross = if self.how.fused { fused_cross } else { cross };
        let dot = if self.how.fused { fused_dot } else { dot };
        let across = cross(self.direction, second);
        let divisor = dot(first, across);
        let from = minus(self.origin, a);
        let i = dot(from, across);
        let turned = cross(from, first);
        let j = dot(self.direction, turned);
        let t = dot(second, turned);
        let inside = |n: f32| n / divisor >= 0.0;
        (divisor != 0.0 && inside(i) && inside(j) && (i + j) / divisor <= 1.0 && inside(t))
            .then_some([t, divisor, i, j])
    }
}

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn fused_cross(a: Vector, b: Vector) -> Vector {
    let difference = |i: usize, j: usize| a[i].mul_add(b[j], -(a[j] * b[i]));
    [difference(1, 2), difference(2, 0), difference(0, 1)]
}

fn fused_dot(a: Vector, b: Vector) -> f32 {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// A bound so many steps of binary32 further on, at most infinity.
fn grown(bound: f32, steps: u32) -> f32 {
    if steps == 0 || bound.is_nan() || bound < 0.0 {
        return bound;
    }
    f32::from_bits(bound.abs().to_bits().saturating_add(steps).min(f32::INFINITY.to_bits()))
}

impl Wave {
    /// image_bvh_intersect_ray and its form with 64-bit pointers.
    pub(super) fn intersect(&mut self, fields: Fields, shared: &mut Shared<'_>) {
        let words = std::array::from_fn(|n| self.scalar(fields.resource + n as u16));
        let tree = match Tree::read(words) {
            Ok(tree) => tree,
            Err(why) => return self.stop(FaultKind::Unknown(why)),
        };
        let mut results = vec![[0; 4]; 64];
        for lane in self.running() {
            let ray = Ray::read(self, fields, lane);
            results[lane] = self.try_node(tree, &ray, lane, shared);
        }
        self.bring_texels(fields, &results, 15, true);
    }

    fn try_node(&mut self, tree: Tree, ray: &Ray, lane: usize, shared: &mut Shared<'_>) -> Texel {
        let invalid = ray.node as u32 == INVALID || ray.node >> 3 > tree.last;
        match ray.node & 7 {
            _ if invalid => [INVALID; 4],
            0..=3 => self.try_triangle(tree, ray, lane, shared),
            4 | 5 => self.try_boxes(tree, ray, lane, shared),
            // Nodes of the program's own: there is nothing to hit. [assumed]
            _ => [INVALID; 4],
        }
    }

    /// The dwords of a node; zeros and a fault where they are not mapped.
    fn node<const N: usize>(
        &mut self,
        tree: Tree,
        ray: &Ray,
        lane: usize,
        shared: &mut Shared<'_>,
    ) -> [u32; N] {
        let at = tree.base.wrapping_add((ray.node >> 3).wrapping_mul(UNIT));
        match shared.memory.get_near(&mut shared.near, at, 4 * N) {
            Some(bytes) => {
                let mut dwords = chiaro_isa::dwords(bytes);
                [0; N].map(|_| dwords.next().unwrap_or(0))
            }
            None => {
                self.fault(lane, FaultKind::Address(at));
                [0; N]
            }
        }
    }

    fn try_boxes(&mut self, tree: Tree, ray: &Ray, lane: usize, shared: &mut Shared<'_>) -> Texel {
        let half = ray.node & 7 == 4;
        let (children, bounds): ([u32; 4], Vec<f32>) = if half {
            let node: [u32; 16] = self.node(tree, ray, lane, shared);
            let halves = node[4..].iter().flat_map(|dword| [dword & 0xffff, dword >> 16]);
            (std::array::from_fn(|n| node[n]), halves.map(|bits| F16.decode(bits) as f32).collect())
        } else {
            let node: [u32; 28] = self.node(tree, ray, lane, shared);
            (std::array::from_fn(|n| node[n]), node[4..].iter().map(|bits| f32::from_bits(*bits)).collect())
        };
        let corner = |at: usize| [bounds[at], bounds[at + 1], bounds[at + 2]];
        let mut hits: Vec<(f32, u32)> = Vec::new();
        for (n, child) in children.into_iter().enumerate() {
            let entered = ray.enters([corner(6 * n), corner(6 * n + 3)]).filter(|_| child != INVALID);
            match entered {
                Some(near) => hits.push((near, child)),
                None if !tree.sorted => hits.push((f32::INFINITY, INVALID)),
                None => {}
            }
        }
        if tree.sorted {
            hits.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        std::array::from_fn(|n| hits.get(n).map_or(INVALID, |hit| hit.1))
    }

    fn try_triangle(&mut self, tree: Tree, ray: &Ray, lane: usize, shared: &mut Shared<'_>) -> Texel {
        let node: [u32; 16] = self.node(tree, ray, lane, shared);
        let corner = |n: usize| [0, 1, 2].map(|axis| f32::from_bits(node[3 * n + axis]));
        let met = ray.meets([0, 1, 2].map(corner));
        let [t, divisor, i, j] = met.map_or(MISS, |all| all.map(f32::to_bits));
        if tree.coordinates {
            return [t, divisor, i, j];
        }
        // The number stands behind the corners and three dwords that are reserved.
        let hit = met.is_some_and(|[t, divisor, ..]| t / divisor < ray.extent);
        [t, divisor, node[12], hit.into()]
    }
}
