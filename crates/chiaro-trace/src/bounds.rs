//! Boxes around runs of primitives, so that most are not tried one by one.
//!
//! They may be too large, never too small: what is met does not depend on them.

use crate::intersect::slabs;
use crate::shape::Shape;

/// Primitives that have a box together.
pub(crate) const RUN: usize = 8;

/// Least and greatest coordinates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bounds {
    least: [f64; 3],
    most: [f64; 3],
}

/// One that holds nothing.
const EMPTY: Bounds = Bounds { least: [f64::INFINITY; 3], most: [f64::NEG_INFINITY; 3] };

impl Bounds {
    fn grow(&mut self, point: [f32; 3]) {
        for (axis, x) in point.map(f64::from).into_iter().enumerate() {
            self.least[axis] = self.least[axis].min(x);
            self.most[axis] = self.most[axis].max(x);
        }
    }

    fn join(&mut self, other: &Bounds) {
        for axis in 0..3 {
            self.least[axis] = self.least[axis].min(other.least[axis]);
            self.most[axis] = self.most[axis].max(other.most[axis]);
        }
    }

    /// Whether a ray from a point may come through, up to a distance. Rounding is allowed for: a box is taken as
    /// larger by what binary64 may err.
    pub(crate) fn may_meet(&self, origin: [f64; 3], direction: [f64; 3], most: f64) -> bool {
        let sides = |axis: usize| {
            let slack = 1e-9 * (self.least[axis].abs() + self.most[axis].abs() + origin[axis].abs());
            [self.least[axis] - slack, self.most[axis] + slack].map(|x| x - origin[axis])
        };
        let within = slabs(sides, direction, (0.0, most));
        within.is_some_and(|(near, far)| near <= far * (1.0 + 1e-9) + 1e-30)
    }
}

/// Boxes of all runs of a shape, and the one around all.
pub(crate) fn of(shape: &Shape) -> (Bounds, Vec<Bounds>) {
    let run = |points: &mut dyn Iterator<Item = [f32; 3]>| {
        let mut bounds = EMPTY;
        points.for_each(|point| bounds.grow(point));
        bounds
    };
    let runs: Vec<Bounds> = match shape {
        Shape::Triangles(all) => all.chunks(RUN).map(|c| run(&mut c.iter().flatten().copied())).collect(),
        Shape::Boxes(all) => all.chunks(RUN).map(|c| run(&mut c.iter().flatten().copied())).collect(),
    };
    let mut whole = EMPTY;
    runs.iter().for_each(|bounds| whole.join(bounds));
    (whole, runs)
}
