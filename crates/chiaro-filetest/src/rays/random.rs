//! The case of a seed.
//!
//! Coordinates of meshes are multiples of 1/64, so that a driver may be given them through transforms of geometries
//! without rounding. Rays aim at primitives: within them, at edges and at corners, with a length that puts the aim at
//! distance 1, so that ranges begin and end there.

use std::f32::consts::TAU;

use chiaro_isa::Rng;
use chiaro_trace::{Affine, Geometry, Instance, Mesh, Ray, Shape, flags, instance_flags};

use super::{Asked, Case, Rule};

/// Rays of a case.
const RAYS: usize = 128;
/// Coordinates are multiples of one part of so many.
const STEPS: f32 = 64.0;

type Point = [f32; 3];

/// A number between two.
pub(crate) fn between(rng: &mut Rng, least: f32, most: f32) -> f32 {
    least + (most - least) * (rng.next() >> 40) as f32 / (1 << 24) as f32
}

/// Whether it is one of so many.
fn one_of(rng: &mut Rng, n: usize) -> bool {
    rng.below(n) == 0
}

fn pick<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.below(of.len())]
}

fn on_grid(x: f32) -> f32 {
    (x * STEPS).round() / STEPS
}

/// A point of the grid at most so far from the origin along each axis.
fn point(rng: &mut Rng, far: f32) -> Point {
    [(); 3].map(|()| on_grid(between(rng, -far, far)))
}

fn plus(a: Point, b: Point) -> Point {
    std::array::from_fn(|n| a[n] + b[n])
}

impl Case {
    /// The case of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Case {
        let mut rng = Rng(seed);
        let mut meshes: Vec<Mesh> = (0..1 + rng.below(3)).map(|_| mesh(&mut rng)).collect();
        let records: Vec<usize> = meshes
            .iter()
            .scan(0, |sum, mesh| Some(std::mem::replace(sum, *sum + mesh.geometries.len())))
            .collect();
        let mut instances = Vec::new();
        for _ in 0..2 + rng.below(6) {
            let mesh = rng.below(meshes.len());
            instances.push(Instance { mesh, offset: records[mesh] as u32, ..instance(&mut rng) });
        }
        meshes.push(Mesh::default());
        if one_of(&mut rng, 4) {
            let n = rng.below(instances.len());
            instances[n].mesh = meshes.len() - 1;
        }
        let mut case = Case { meshes, instances, rays: Vec::new() };
        case.rays = (0..RAYS).map(|_| case.ray(&mut rng)).collect();
        case
    }

    fn ray(&self, rng: &mut Rng) -> Asked {
        let origin = [(); 3].map(|()| between(rng, -6.0, 6.0));
        let aim = self.aim(rng).filter(|aim| aim.iter().all(|x| x.is_finite()));
        let aim = aim.unwrap_or_else(|| [(); 3].map(|()| between(rng, -4.0, 4.0)));
        let length = pick(rng, &[1.0, 1.0, 0.25, 4.0, 1.0 / 3.0]);
        let direction = std::array::from_fn(|n| (aim[n] - origin[n]) * length);
        let (near, far) = (between(rng, 0.0, 1.0), between(rng, 1.0, 3.0));
        let least = pick(rng, &[0.0, 0.0, 0.0, near, 1.0 / length]);
        let most = pick(rng, &[1e4, 1e4, f32::INFINITY, far, 1.0 / length]);
        let most = if most > least { most } else { 1e4 };
        let rule = pick(rng, &Rule::EACH);
        let mask = pick(rng, &[0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 2, 0xffff_ff00 | 4]);
        let ray = Ray { origin, direction, least, most, flags: ray_flags(rng, rule), mask };
        Asked { ray, rule, salt: rng.below(2) as u32 }
    }

    /// A point of some primitive in the world: of a triangle within, on an edge, or a corner; of a box within, or a corner.
    fn aim(&self, rng: &mut Rng) -> Option<Point> {
        let instance = &self.instances[rng.below(self.instances.len())];
        let geometries = &self.meshes[instance.mesh].geometries;
        let shape = &geometries.get(rng.below(geometries.len()))?.shape;
        let n = rng.below(shape.len());
        let corners: Vec<Point> = match shape {
            Shape::Triangles(all) => all[n].to_vec(),
            Shape::Boxes(all) => all[n].to_vec(),
        };
        let [a, b] = [between(rng, 0.0, 0.5), between(rng, 0.0, 0.5)];
        let shares = match rng.below(8) {
            0 => [1.0, 0.0, 0.0],
            1 => [0.5, 0.5, 0.0],
            2 => [0.0, a, 1.0 - a],
            _ => [1.0 - a - b, a, b],
        };
        let sum = |axis: usize| {
            corners.iter().zip(shares).map(|(corner, share)| f64::from(corner[axis] * share)).sum()
        };
        Some(instance.transform.point([0, 1, 2].map(sum)).map(|x| x as f32))
    }
}

/// Flags of a ray, of those that exclude one another one. What is counted must not depend on the order.
fn ray_flags(rng: &mut Rng, rule: Rule) -> u32 {
    let opacity =
        [0, 0, 0, 0, 0, 0, flags::OPAQUE, flags::NO_OPAQUE, flags::CULL_OPAQUE, flags::CULL_NO_OPAQUE];
    let kinds =
        [0, 0, 0, 0, 0, 0, flags::CULL_BACK, flags::CULL_FRONT, flags::SKIP_TRIANGLES, flags::SKIP_BOXES];
    let opacity = pick(rng, &opacity);
    let kind = pick(rng, &kinds);
    let first = if one_of(rng, 5) { flags::TERMINATE_ON_FIRST_HIT } else { 0 };
    let skip = if one_of(rng, 5) { flags::SKIP_CLOSEST_HIT } else { 0 };
    let facing =
        if kind == flags::SKIP_BOXES { pick(rng, &[0, flags::CULL_BACK, flags::CULL_FRONT]) } else { 0 };
    let opacity = if rule == Rule::None { flags::NO_OPAQUE } else { opacity };
    opacity | kind | first | skip | facing
}

fn instance(rng: &mut Rng) -> Instance {
    use instance_flags::{FACING_CULL_DISABLE, FLIP_FACING, FORCE_NO_OPAQUE, FORCE_OPAQUE};
    let flags = pick(rng, &[0, 0, FORCE_OPAQUE, FORCE_NO_OPAQUE])
        | pick(rng, &[0, 0, 0, FACING_CULL_DISABLE, FLIP_FACING, FACING_CULL_DISABLE | FLIP_FACING]);
    Instance {
        transform: transform(rng),
        custom_index: rng.below(1 << 24) as u32,
        mask: pick(rng, &[0xff, 0xff, 0xff, 0xff, 1, 2, 0x82, 4, 0]),
        flags,
        ..Instance::default()
    }
}

/// A turn, a scale that may mirror, sometimes a shear, a move; sometimes a move alone.
fn transform(rng: &mut Rng) -> Affine {
    let at = point(rng, 3.0);
    let mut rows = [[1.0, 0.0, 0.0, at[0]], [0.0, 1.0, 0.0, at[1]], [0.0, 0.0, 1.0, at[2]]];
    if one_of(rng, 5) {
        return Affine(rows);
    }
    for (row, n) in rows.iter_mut().zip(0..) {
        row[n] = between(rng, 0.3, 1.8) * pick(rng, &[1.0, 1.0, -1.0]);
    }
    if one_of(rng, 3) {
        rows[0][1] = between(rng, -1.0, 1.0);
        rows[1][2] = between(rng, -1.0, 1.0);
    }
    let (sin, cos) = between(rng, 0.0, TAU).sin_cos();
    let (a, b) = pick(rng, &[(0, 1), (1, 2), (2, 0)]);
    let (x, y) = (rows[a], rows[b]);
    let turned = |cos: f32, x: [f32; 4], sin: f32, y: [f32; 4]| {
        std::array::from_fn(|n| if n < 3 { cos * x[n] + sin * y[n] } else { x[n] })
    };
    (rows[a], rows[b]) = (turned(cos, x, -sin, y), turned(cos, y, sin, x));
    Affine(rows)
}

/// Geometries of one kind, as the API wants it.
fn mesh(rng: &mut Rng) -> Mesh {
    let has_boxes = one_of(rng, 4);
    let geometry = |rng: &mut Rng| {
        let shape = match rng.below(3) {
            _ if has_boxes => Shape::Boxes(boxes(rng)),
            0 => Shape::Triangles(soup(rng)),
            1 => Shape::Triangles(patch(rng)),
            _ => Shape::Triangles(solid(rng)),
        };
        Geometry { shape, opaque: one_of(rng, 2) }
    };
    Mesh { geometries: (0..1 + rng.below(3)).map(|_| geometry(rng)).collect(), ..Mesh::default() }
}

/// Triangles anywhere, some of them without area. All are there, and so are boxes: lavapipe of Mesa 25.0 loses others
/// beside one that is not, since its NaN becomes that of the bounds around them.
fn soup(rng: &mut Rng) -> Vec<[Point; 3]> {
    let triangle = |rng: &mut Rng| {
        let middle = point(rng, 1.5);
        let [a, b, c] = [(); 3].map(|()| plus(middle, point(rng, 1.0)));
        if one_of(rng, 12) { [a, b, a] } else { [a, b, c] }
    };
    (0..1 + rng.below(9)).map(|_| triangle(rng)).collect()
}

/// Hills of triangles that share edges.
fn patch(rng: &mut Rng) -> Vec<[Point; 3]> {
    const SIDE: usize = 3;
    let at = point(rng, 1.0);
    let heights: Vec<f32> = (0..(SIDE + 1) * (SIDE + 1)).map(|_| on_grid(between(rng, -0.5, 0.5))).collect();
    let corner = |x: usize, y: usize| plus(at, [x as f32 - 1.5, y as f32 - 1.5, heights[y * (SIDE + 1) + x]]);
    let cell = |n: usize| {
        let (x, y) = (n % SIDE, n / SIDE);
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
        [[a, b, c], [a, c, d]]
    };
    (0..SIDE * SIDE).flat_map(cell).collect()
}

/// A body of eight faces around a middle.
fn solid(rng: &mut Rng) -> Vec<[Point; 3]> {
    let at = point(rng, 1.0);
    let far = [(); 3].map(|()| on_grid(between(rng, 0.25, 1.5)));
    let tip = |axis: usize, is_low: usize| {
        let sign = if is_low == 1 { -1.0 } else { 1.0 };
        plus(at, std::array::from_fn(|n| if n == axis { sign * far[n] } else { 0.0 }))
    };
    let face = |n: usize| {
        let [a, b, c] = [tip(0, n & 1), tip(1, n >> 1 & 1), tip(2, n >> 2)];
        // Seen from outside, corners go against the clock.
        if n.count_ones().is_multiple_of(2) { [a, b, c] } else { [a, c, b] }
    };
    (0..8).map(face).collect()
}

/// Boxes anywhere.
fn boxes(rng: &mut Rng) -> Vec<[Point; 2]> {
    let one = |rng: &mut Rng| {
        let (middle, half) = (point(rng, 1.5), [(); 3].map(|()| on_grid(between(rng, 0.1, 1.0))));
        [plus(middle, half.map(|x| -x)), plus(middle, half)]
    };
    (0..1 + rng.below(6)).map(|_| one(rng)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns and shears keep the volume, so that it is the product of three scales, which may mirror.
    #[test]
    fn transforms_turn_and_scale() {
        let [least, most] = [0.3f32, 1.8].map(|scale| scale.powi(3));
        let mut turned = 0;
        for seed in 0..1000 {
            let Affine([x, y, z]) = transform(&mut Rng(seed));
            // Shears have nothing there.
            turned += usize::from([y[0], z[0], z[1]] != [0.0; 3]);
            let cross = [1, 2, 0].map(|n: usize| {
                let (a, b) = ((n + 1) % 3, (n + 2) % 3);
                (n, y[a] * z[b] - y[b] * z[a])
            });
            let volume: f32 = cross.iter().map(|&(n, area)| x[n] * area).sum();
            assert!((least * 0.999..most * 1.001).contains(&volume.abs()), "seed {seed}: {volume}");
        }
        assert!((700..900).contains(&turned), "{turned} of 1000 are turned, four of five by chance");
    }
}
