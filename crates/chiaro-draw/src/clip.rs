//! What of a triangle lies before the viewer, between the near and the far plane.
//!
//! Each vertex of the outcome knows its weights in the whole triangle, so that nothing that is
//! interpolated has to be clipped. Sideways nothing is clipped but what would leave the grid.

/// A vertex of what is left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Corner {
    pub(crate) position: [f64; 4],
    /// Weights of the triangle's vertices.
    pub(crate) weights: [f64; 3],
}

/// How far beyond the picture the grid goes, in picture widths.
const GUARD: f64 = 16.0;
/// Nothing is seen at or behind the viewer.
const LEAST_W: f64 = 1e-9;

/// The part of a triangle that is within all planes, as a convex polygon.
pub(crate) fn clip(corners: [[f32; 4]; 3]) -> Vec<Corner> {
    let unit = |k: usize| std::array::from_fn(|i| f64::from(u8::from(i == k)));
    let mut polygon: Vec<Corner> =
        (0..3).map(|k| Corner { position: corners[k].map(f64::from), weights: unit(k) }).collect();
    if polygon.iter().any(|c| c.position.iter().any(|x| !x.is_finite())) {
        return Vec::new();
    }
    let planes: [fn([f64; 4]) -> f64; 7] = [
        |[.., w]| w - LEAST_W,
        |[_, _, z, w]| w + z,
        |[_, _, z, w]| w - z,
        |[x, _, _, w]| GUARD * w + x,
        |[x, _, _, w]| GUARD * w - x,
        |[_, y, _, w]| GUARD * w + y,
        |[_, y, _, w]| GUARD * w - y,
    ];
    for plane in planes {
        if polygon.iter().any(|c| plane(c.position) < 0.0) {
            polygon = cut(&polygon, plane);
        }
    }
    polygon
}

/// The part of a polygon on the positive side of a plane.
fn cut(polygon: &[Corner], plane: fn([f64; 4]) -> f64) -> Vec<Corner> {
    let mut left = Vec::with_capacity(polygon.len() + 1);
    for (i, a) in polygon.iter().enumerate() {
        let b = &polygon[(i + 1) % polygon.len()];
        let (da, db) = (plane(a.position), plane(b.position));
        if da >= 0.0 {
            left.push(*a);
        }
        if (da < 0.0) != (db < 0.0) {
            left.push(between(a, b, da / (da - db)));
        }
    }
    left
}

fn between(a: &Corner, b: &Corner, t: f64) -> Corner {
    Corner {
        position: std::array::from_fn(|i| a.position[i] + t * (b.position[i] - a.position[i])),
        weights: std::array::from_fn(|i| a.weights[i] + t * (b.weights[i] - a.weights[i])),
    }
}

#[cfg(test)]
mod tests {
    use super::clip;

    #[test]
    fn what_is_behind_is_cut_off() {
        let inside = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];
        assert_eq!(clip(inside).len(), 3);
        let [a, b, _] = inside;
        // One corner behind the viewer leaves four, and five where the guard band cuts too; two leave
        // three, three nothing.
        let behind = [0.0, 1.0, 0.0, -1.0];
        let left = clip([a, b, behind]);
        assert_eq!(left.len(), 5);
        assert!(left.iter().all(|c| (c.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12));
        assert!(left.iter().all(|c| c.position[3] > 0.0));
        assert_eq!(clip([a, behind, behind]).len(), 3);
        assert!(clip([behind; 3]).is_empty());
        assert!(clip([[f32::NAN; 4], b, a]).is_empty());
    }
}
