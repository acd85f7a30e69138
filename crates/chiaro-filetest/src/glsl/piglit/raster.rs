//! Which triangles cover a point, and with which weights of their vertices.
//!
//! In homogeneous coordinates, so that nothing has to be clipped first (M. Olano, T. Greer,
//! "Triangle Scan Conversion using 2D Homogeneous Coordinates", 1997).

/// A triangle: numbers of its vertices, and of the one whose flat values count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Triangle {
    pub(super) corners: [usize; 3],
    pub(super) provoking: usize,
}

/// How a triangle is seen at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Weight of each corner; the sum is 1.
    pub(super) weights: [f64; 3],
    /// The same without perspective.
    pub(super) linear: [f64; 3],
    /// Depth, -1 to 1.
    pub(super) depth: f64,
    /// One over w.
    pub(super) inverse_w: f64,
    /// Whether its front is seen.
    pub(super) front: bool,
    /// Whether the point is in it; values are good outside too, for the rest of a quad.
    pub(super) inside: bool,
}

/// Triangles of `count` vertices from `first` on. `None` for points and lines.
pub(super) fn triangles(primitive: &str, first: usize, count: usize) -> Option<Vec<Triangle>> {
    let flat = |a: usize, b: usize, c: usize| Triangle {
        corners: [a, b, c].map(|n| first + n),
        provoking: first + c,
    };
    let inner = count.saturating_sub(2);
    Some(match primitive {
        "GL_TRIANGLES" => (0..count / 3).map(|i| flat(3 * i, 3 * i + 1, 3 * i + 2)).collect(),
        "GL_TRIANGLE_FAN" | "GL_POLYGON" => (0..inner).map(|i| flat(0, i + 1, i + 2)).collect(),
        // Every other triangle is turned round; the last vertex counts for both.
        "GL_TRIANGLE_STRIP" | "GL_QUAD_STRIP" => (0..inner)
            .map(|i| Triangle {
                corners: [i + i % 2, i + 1 - i % 2, i + 2].map(|n| first + n),
                provoking: first + i + 2,
            })
            .collect(),
        "GL_QUADS" => (0..count / 4)
            .flat_map(|i| {
                let provoking = first + 4 * i + 3;
                [[0, 1, 2], [0, 2, 3]]
                    .map(|corners| Triangle { corners: corners.map(|n| first + 4 * i + n), provoking })
            })
            .collect(),
        _ => return None,
    })
}

/// A triangle of clip coordinates at a point of normalised device coordinates.
pub(super) fn hit(corners: [[f64; 4]; 3], x: f64, y: f64) -> Option<Hit> {
    let [a, b, c] = corners.map(|v| [v[0], v[1], v[3]]);
    let point = [x, y, 1.0];
    let determinant = dot(a, cross(b, c));
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    // Weights before division: a point is the sum of the corners with these.
    let raw = [cross(b, c), cross(c, a), cross(a, b)].map(|side| dot(point, side) / determinant);
    let sum: f64 = raw.iter().sum();
    let depth = raw.iter().zip(corners).map(|(weight, corner)| weight * corner[2]).sum();
    let inside = raw.iter().all(|&weight| weight >= 0.0) && sum > 0.0 && (-1.0..=1.0).contains(&depth);
    Some(Hit {
        weights: raw.map(|weight| weight / sum),
        linear: [raw[0] * a[2], raw[1] * b[2], raw[2] * c[2]],
        depth,
        inverse_w: sum,
        front: determinant > 0.0,
        inside,
    })
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_perspective() {
        let corners = [[-1.0, -1.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, 1.0]];
        let centre = hit(corners, 0.0, 0.0).unwrap();
        assert!(centre.inside && centre.front);
        assert_eq!(centre.weights, [0.5, 0.25, 0.25]);
        assert!(!hit(corners, 2.0, 2.0).unwrap().inside);
        // Twice as far away: the middle of the picture is nearer to the near corner.
        let far = [[-1.0, -1.0, 0.0, 1.0], [2.0, -2.0, 0.0, 2.0], [-1.0, 3.0, 0.0, 1.0]];
        let weights = hit(far, 0.0, -1.0).unwrap().weights;
        assert!((weights[0] - 2.0 / 3.0).abs() < 1e-9 && (weights[1] - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn quads_and_strips_have_their_last_vertex_for_flat_values() {
        let quads = triangles("GL_QUADS", 0, 4).unwrap();
        assert_eq!((quads.len(), quads[1].corners, quads[0].provoking), (2, [0, 2, 3], 3));
        let strip = triangles("GL_TRIANGLE_STRIP", 1, 4).unwrap();
        assert_eq!((strip[0].corners, strip[1].corners), ([1, 2, 3], [3, 2, 4]));
    }
}
