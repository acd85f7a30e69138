//! A triangle on the grid of the screen.
//!
//! Corners are put on a grid of 1/256 pixel, so that edges are exact: two triangles that share an
//! edge cover each sample on it once. A sample on an edge belongs to the triangle whose left or
//! upper edge it is. [OpenGL ES 3.2, 13.7; the rule itself is left to the machine]

use crate::clip::Corner;

/// Steps of the grid in a pixel.
const GRID: f64 = 256.0;

/// A triangle that can be asked about samples.
#[derive(Clone, Debug)]
pub(crate) struct Triangle {
    /// Edges opposite to each corner: a x + b y + c, positive inside.
    edges: [[i64; 3]; 3],
    /// Twice the area.
    area: i64,
    corners: [Corner; 3],
    /// Whether the front is seen, counter-clockwise.
    pub(crate) anticlockwise: bool,
    /// Pixels that it may touch: least and greatest x and y.
    pub(crate) bounds: [[i64; 2]; 2],
}

/// How a triangle is seen at a place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// Weights of the vertices, corrected for perspective; their sum is 1.
    pub perspective: [f64; 3],
    /// The same without perspective.
    pub linear: [f64; 3],
    /// Depth, 0 to 1.
    pub depth: f64,
    /// One over w.
    pub inverse_w: f64,
}

impl Triangle {
    /// Sets up three corners for a picture; `None` for one that has no area.
    pub(crate) fn new(corners: [Corner; 3], size: [u32; 2]) -> Option<Triangle> {
        let place = |c: &Corner| -> [i64; 2] {
            let [x, y, _, w] = c.position;
            [x, y]
                .map(|v| v / w)
                .iter()
                .zip(size)
                .map(|(v, size)| ((v + 1.0) / 2.0 * f64::from(size) * GRID).round() as i64)
                .collect::<Vec<_>>()
                .try_into()
                .unwrap_or_default()
        };
        let mut corners = corners;
        let mut places = corners.each_ref().map(place);
        let area = cross(places[0], places[1], places[2]);
        if area == 0 {
            return None;
        }
        if area < 0 {
            corners.swap(1, 2);
            places.swap(1, 2);
        }
        let edges = [[1, 2], [2, 0], [0, 1]].map(|[from, to]| edge(places[from], places[to]));
        let bound = |axis: usize| {
            let all = places.map(|p| p[axis]);
            let (least, most) =
                (all.iter().min().copied().unwrap_or(0), all.iter().max().copied().unwrap_or(0));
            let last = i64::from(size[axis]) - 1;
            [(least.div_euclid(GRID as i64)).max(0), most.div_euclid(GRID as i64).min(last)]
        };
        Some(Triangle {
            edges,
            area: area.abs(),
            corners,
            anticlockwise: area > 0,
            bounds: [bound(0), bound(1)],
        })
    }

    /// Whether a place is within, in pixels from the lower left.
    pub(crate) fn covers(&self, at: [f64; 2]) -> bool {
        let [x, y] = at.map(|v| (v * GRID) as i64);
        self.edges.iter().all(|&[a, b, c]| {
            let distance = a * x + b * y + c;
            // On an edge: those whose inside lies to the right, or below a level one.
            distance > 0 || distance == 0 && (a > 0 || a == 0 && b < 0)
        })
    }

    /// Weights at a place, inside or not.
    pub(crate) fn weights(&self, at: [f64; 2]) -> Weights {
        let [x, y] = at.map(|v| v * GRID);
        let own = self.edges.map(|[a, b, c]| (a as f64 * x + b as f64 * y + c as f64) / self.area as f64);
        let inverse = self.corners.map(|c| 1.0 / c.position[3]);
        let inverse_w: f64 = (0..3).map(|k| own[k] * inverse[k]).sum();
        let depth: f64 = (0..3).map(|k| own[k] * self.corners[k].position[2] * inverse[k]).sum();
        let sum = |parts: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|i| (0..3).map(|k| parts[k] * self.corners[k].weights[i]).sum())
        };
        Weights {
            perspective: sum(std::array::from_fn(|k| own[k] * inverse[k] / inverse_w)),
            // Weights without perspective are those of the whole triangle only where nothing was
            // clipped; a clipped corner counts by its own place.
            linear: sum(own),
            depth: ((depth + 1.0) / 2.0).clamp(0.0, 1.0),
            inverse_w,
        }
    }
}

fn cross(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// The line from one place to another, positive on its left.
fn edge([x0, y0]: [i64; 2], [x1, y1]: [i64; 2]) -> [i64; 3] {
    let (a, b) = (y0 - y1, x1 - x0);
    [a, b, -(a * x0 + b * y0)]
}
