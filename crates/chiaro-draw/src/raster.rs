//! Primitives to quads of fragments, and their colours into the picture.

use std::collections::HashSet;

use crate::clip::{Corner, clip};
use crate::pixels::Pixels;
use crate::primitive::{Primitive, primitives};
use crate::setup::{Triangle, Weights};
use crate::{Call, Cull};

/// Fragments that are shaded at once.
const BATCH: usize = 1 << 12;
/// Most samples of a pixel.
pub const MOST_SAMPLES: usize = 4;
/// Places of the samples of a pixel: one in its middle, two, or four. [Vulkan, standard locations]
const ONE: [[f64; 2]; 1] = [[0.5, 0.5]];
const TWO: [[f64; 2]; 2] = [[0.75, 0.75], [0.25, 0.25]];
const FOUR: [[f64; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

/// A fragment; four in a row are a quad: below left, below right, above left, above right.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// The pixel, from the lower left.
    pub pixel: [u32; 2],
    /// The vertices of its primitive.
    pub corners: [usize; 3],
    /// The vertex whose flat values count.
    pub provoking: usize,
    /// At the middle of the pixel.
    pub middle: Weights,
    /// At a place of the pixel that is covered.
    pub centroid: Weights,
    /// A pixel further along x, and along y.
    pub beside: [Weights; 2],
    /// Whether the front is seen.
    pub front: bool,
    /// Where it is in its point, from the upper left; 0 in other primitives.
    pub point: [f32; 2],
    /// At each sample.
    pub samples: [Weights; MOST_SAMPLES],
    /// Runs for its neighbours alone: it covers nothing.
    pub helper: bool,
    /// Samples that it covers, a bit each.
    pub covered: u32,
}

impl Fragment {
    /// The places of so many samples in a pixel: 1, 2 or 4.
    #[must_use]
    pub fn places(samples: u32) -> &'static [[f64; 2]] {
        match samples {
            0 | 1 => &ONE,
            2 => &TWO,
            _ => &FOUR,
        }
    }
}

/// What shading gives.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shaded {
    /// The colour of each sample.
    pub colours: [[f32; 4]; MOST_SAMPLES],
    /// The depth of each sample, if the shader gives one.
    pub depths: Option<[f32; MOST_SAMPLES]>,
    /// Samples that are not discarded, a bit each.
    pub live: u32,
}

impl Shaded {
    /// One colour for all samples.
    #[must_use]
    pub fn of(colour: [f32; 4]) -> Shaded {
        Shaded { colours: [colour; MOST_SAMPLES], depths: None, live: u32::MAX }
    }
}

/// Draws; `shade` gives the colours of whole quads, as many as it gets fragments. It may look at what has
/// been drawn; where [`Call::ordered`] says so, that is everything below its fragments.
///
/// # Errors
/// What `shade` reports.
pub fn draw<E>(
    call: &Call<'_>,
    mut shade: impl FnMut(&[Fragment], &Pixels) -> Result<Vec<Shaded>, E>,
) -> Result<Pixels, E> {
    let size = call.size.map(|n| n.min(1 << 14));
    let mut pixels = Pixels::new(size, call.samples, call.depth, call.clear);
    let all: Vec<usize> = match call.indices {
        [] => (0..call.positions.len()).collect(),
        indices => indices.iter().map(|n| *n as usize).filter(|n| *n < call.positions.len()).collect(),
    };
    let mut waiting = Waiting { ordered: call.ordered, ..Waiting::default() };
    for primitive in primitives(call.topology, &all) {
        for (triangle, part) in parts(call, &primitive, size) {
            let facing = Facing { front: triangle.anticlockwise != call.clockwise, flat: part.is_some() };
            if facing.culled(call.cull) {
                continue;
            }
            let scan = Scan { call, size, primitive: &primitive, triangle: &triangle, facing, part };
            scan.quads(|quad| {
                if waiting.holds(&quad) {
                    waiting.flush(&mut pixels, &mut shade)?;
                }
                waiting.add(quad);
                match waiting.fragments.len() >= BATCH {
                    true => waiting.flush(&mut pixels, &mut shade),
                    false => Ok(()),
                }
            })?;
        }
    }
    waiting.flush(&mut pixels, &mut shade)?;
    Ok(pixels)
}

/// Quads that wait to be shaded together.
#[derive(Default)]
struct Waiting {
    fragments: Vec<Fragment>,
    /// The first pixels of those quads, where they must not lie over one another.
    places: HashSet<[u32; 2]>,
    ordered: bool,
}

impl Waiting {
    /// Whether a quad has to be shaded behind one that waits.
    fn holds(&self, quad: &[Fragment; 4]) -> bool {
        self.ordered && self.places.contains(&quad[0].pixel)
    }

    fn add(&mut self, quad: [Fragment; 4]) {
        if self.ordered {
            self.places.insert(quad[0].pixel);
        }
        self.fragments.extend(quad);
    }

    /// Shades what waits, in the order of the primitives.
    fn flush<E>(
        &mut self,
        pixels: &mut Pixels,
        shade: &mut impl FnMut(&[Fragment], &Pixels) -> Result<Vec<Shaded>, E>,
    ) -> Result<(), E> {
        if self.fragments.is_empty() {
            return Ok(());
        }
        let made = shade(&self.fragments, pixels)?;
        for (fragment, shaded) in self.fragments.iter().zip(made).filter(|(fragment, _)| !fragment.helper) {
            let own = fragment.samples.map(|weights| weights.depth as f32);
            let depths = shaded.depths.unwrap_or(own);
            pixels.put(fragment.pixel, fragment.covered & shaded.live, &depths, &shaded.colours);
        }
        self.fragments.clear();
        self.places.clear();
        Ok(())
    }
}

/// A square of a point: its corner above on the left, and its side, in pixels.
#[derive(Clone, Copy, Debug)]
struct Square {
    corner: [f64; 2],
    side: f64,
}

/// Triangles of a primitive. Points are squares, lines rectangles one pixel wide.
fn parts(call: &Call<'_>, primitive: &Primitive, size: [u32; 2]) -> Vec<(Triangle, Option<Square>)> {
    match *primitive {
        Primitive::Triangle { corners, .. } => {
            let polygon = clip(corners.map(|n| call.positions[n]));
            let fan = (1..polygon.len().saturating_sub(1)).map(|i| [polygon[0], polygon[i], polygon[i + 1]]);
            fan.filter_map(|corners| Some((Triangle::new(corners, size)?, None))).collect()
        }
        Primitive::Point(n) => {
            let wide = call.point_sizes.get(n).copied().unwrap_or(1.0).clamp(1.0, 1024.0);
            let Some(square) = square(call.positions[n], wide.into(), size) else { return Vec::new() };
            let outline = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
            let place =
                |[x, y]: [f64; 2]| [square.corner[0] + x * square.side, square.corner[1] - y * square.side];
            rectangle(outline.map(place), [call.positions[n]; 2], size, Some(square))
        }
        Primitive::Line([a, b]) => {
            let ends = [a, b].map(|n| call.positions[n]);
            let Some([from, to]) = screen_ends(ends, size) else { return Vec::new() };
            let along = [to[0] - from[0], to[1] - from[1]];
            // A line is as wide as a pixel across its minor direction.
            let across = if along[0].abs() >= along[1].abs() { [0.0, 0.5] } else { [0.5, 0.0] };
            let shift = |p: [f64; 2], sign: f64| [p[0] + sign * across[0], p[1] + sign * across[1]];
            let outline = [shift(from, -1.0), shift(to, -1.0), shift(to, 1.0), shift(from, 1.0)];
            rectangle(outline, ends, size, Some(Square { corner: [0.0; 2], side: 0.0 }))
        }
    }
}

/// The ends of a line on the screen; `None` if one is behind the viewer.
fn screen_ends(ends: [[f32; 4]; 2], size: [u32; 2]) -> Option<[[f64; 2]; 2]> {
    let seen = |p: [f32; 4]| p[3] > 0.0 && p.iter().all(|x| x.is_finite());
    ends.iter().all(|p| seen(*p)).then(|| ends.map(|p| on_screen(p, size)))
}

fn on_screen(p: [f32; 4], size: [u32; 2]) -> [f64; 2] {
    let place = |i: usize| (f64::from(p[i]) / f64::from(p[3]) + 1.0) / 2.0 * f64::from(size[i]);
    [place(0), place(1)]
}

fn square(position: [f32; 4], side: f64, size: [u32; 2]) -> Option<Square> {
    let [middle, _] = screen_ends([position; 2], size)?;
    let inside = position[2].abs() <= position[3];
    inside.then(|| Square { corner: [middle[0] - side / 2.0, middle[1] + side / 2.0], side })
}

/// Two triangles over an outline on the screen, whose first and last corner are those of one end.
fn rectangle(
    outline: [[f64; 2]; 4],
    ends: [[f32; 4]; 2],
    size: [u32; 2],
    part: Option<Square>,
) -> Vec<(Triangle, Option<Square>)> {
    let corner = |k: usize| {
        let end = usize::from(k == 1 || k == 2);
        let [.., z, w] = ends[end].map(f64::from);
        let clip = |i: usize| (outline[k][i] / f64::from(size[i]) * 2.0 - 1.0) * w;
        let mut weights = [0.0; 3];
        weights[end] = 1.0;
        Corner { position: [clip(0), clip(1), z, w], weights }
    };
    let halves = [[0, 1, 2], [0, 2, 3]].map(|corners| corners.map(corner));
    halves.into_iter().filter_map(|corners| Some((Triangle::new(corners, size)?, part))).collect()
}

/// Which side of a primitive is seen.
#[derive(Clone, Copy)]
struct Facing {
    front: bool,
    /// Points and lines have no back.
    flat: bool,
}

impl Facing {
    fn culled(self, cull: Cull) -> bool {
        !self.flat
            && match cull {
                Cull::None => false,
                Cull::Back => !self.front,
                Cull::Front => self.front,
            }
    }
}

/// The quads of a triangle.
struct Scan<'a> {
    call: &'a Call<'a>,
    size: [u32; 2],
    primitive: &'a Primitive,
    triangle: &'a Triangle,
    facing: Facing,
    part: Option<Square>,
}

impl Scan<'_> {
    /// All quads with a fragment that covers something.
    fn quads<E>(&self, mut take: impl FnMut([Fragment; 4]) -> Result<(), E>) -> Result<(), E> {
        let [[left, right], [bottom, top]] = self.triangle.bounds;
        for y in (bottom & !1..=top).step_by(2) {
            for x in (left & !1..=right).step_by(2) {
                let quad = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[dx, dy]| [x + dx, y + dy]);
                let covered = quad.map(|pixel| self.covered(pixel));
                if covered != [0; 4] {
                    take(std::array::from_fn(|k| self.fragment(quad[k], covered[k])))?;
                }
            }
        }
        Ok(())
    }

    fn samples(&self) -> &'static [[f64; 2]] {
        Fragment::places(self.call.samples)
    }

    /// Samples of a pixel that are within; none outside of the picture.
    fn covered(&self, [x, y]: [i64; 2]) -> u32 {
        if x >= i64::from(self.size[0]) || y >= i64::from(self.size[1]) {
            return 0;
        }
        let within = |(n, [dx, dy]): (usize, &[f64; 2])| {
            u32::from(self.triangle.covers([x as f64 + dx, y as f64 + dy])) << n
        };
        self.samples().iter().enumerate().map(within).sum()
    }

    fn fragment(&self, [x, y]: [i64; 2], covered: u32) -> Fragment {
        let at = |[dx, dy]: [f64; 2]| [x as f64 + dx, y as f64 + dy];
        let (middle, samples) = (self.triangle.weights(at([0.5; 2])), self.samples());
        let all = (1 << samples.len()) - 1;
        // A pixel that is covered in part is looked at where it is covered.
        let centroid = match covered {
            0 => middle,
            _ if covered == all => middle,
            _ => self.triangle.weights(at(samples[covered.trailing_zeros() as usize])),
        };
        let of_sample = |n: usize| self.triangle.weights(at(*samples.get(n).unwrap_or(&samples[0])));
        let point = self.part.filter(|square| square.side > 0.0).map_or([0.0; 2], |square| {
            let [px, py] = at([0.5; 2]);
            [px - square.corner[0], square.corner[1] - py].map(|v| (v / square.side) as f32)
        });
        Fragment {
            pixel: [x as u32, y as u32],
            corners: self.primitive.corners(),
            provoking: self.primitive.provoking(),
            middle,
            centroid,
            beside: [[1.5, 0.5], [0.5, 1.5]].map(|place| self.triangle.weights(at(place))),
            front: self.facing.front || self.facing.flat,
            point,
            samples: std::array::from_fn(of_sample),
            helper: covered == 0,
            covered,
        }
    }
}
