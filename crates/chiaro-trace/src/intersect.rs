//! A ray and one primitive, in binary64.
//!
//! Coordinates are binary32, so that products of two of them are exact. The three volumes that a triangle's edges span
//! with the ray are made of the same products on both sides of an edge that two triangles share: a ray through it meets
//! at least one of them.

type Vector = [f64; 3];

/// A triangle that is met.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Met {
    /// The distance.
    pub t: f64,
    /// Shares of the second and the third corner.
    pub shares: [f64; 2],
    /// Whether its front is seen: corners go against the clock.
    pub front: bool,
}

fn minus(a: [f32; 3], b: Vector) -> Vector {
    std::array::from_fn(|n| f64::from(a[n]) - b[n])
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Where a ray meets the plane of a triangle, if within its edges; before and behind the origin alike.
pub(crate) fn triangle(corners: &[[f32; 3]; 3], origin: Vector, direction: Vector) -> Option<Met> {
    let [a, b, c] = corners.map(|corner| minus(corner, origin));
    let volume = |p: Vector, q: Vector| dot(direction, cross(q, p));
    let (first, second, third) = (volume(b, c), volume(c, a), volume(a, b));
    let least = first.min(second).min(third);
    let most = first.max(second).max(third);
    if least < 0.0 && most > 0.0 {
        return None;
    }
    let all = first + second + third;
    if all == 0.0 || !all.is_finite() {
        return None;
    }
    let shares = [second / all, third / all];
    let near = first / all;
    let along = |n: usize| near * a[n] + shares[0] * b[n] + shares[1] * c[n];
    // The plane's equation keeps more of the distance than the point does where the direction has a large part.
    let normal = cross(edge(b, a), edge(c, a));
    let slope = dot(normal, direction);
    let t = if slope == 0.0 { dot([0, 1, 2].map(along), direction) } else { dot(normal, a) / slope };
    t.is_finite().then_some(Met { t, shares, front: all > 0.0 })
}

fn edge(to: Vector, from: Vector) -> Vector {
    std::array::from_fn(|n| to[n] - from[n])
}

/// Where a ray is within a box, if it is somewhere between two distances: from where to where. A box is two sides on
/// each axis, as they lie from the ray's origin.
pub(crate) fn slabs(
    sides: impl Fn(usize) -> [f64; 2],
    direction: Vector,
    (mut near, mut far): (f64, f64),
) -> Option<(f64, f64)> {
    for (axis, along) in direction.into_iter().enumerate() {
        let [a, b] = sides(axis);
        if along != 0.0 {
            let (a, b) = (a / along, b / along);
            (near, far) = (near.max(a.min(b)), far.min(a.max(b)));
        } else if a > 0.0 || b < 0.0 {
            return None;
        }
    }
    Some((near, far))
}

/// Whether a ray is within a box somewhere between two distances; the distance at which it is first.
pub(crate) fn aabb(
    [least, most]: &[[f32; 3]; 2],
    (origin, direction): (Vector, Vector),
    range: (f64, f64),
) -> Option<f64> {
    let sides = |axis: usize| [least, most].map(|bound| f64::from(bound[axis]) - origin[axis]);
    let (near, far) = slabs(sides, direction, range)?;
    (near <= far).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::{aabb, triangle};

    const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]];

    #[test]
    fn a_triangle_is_met_within_its_edges() {
        let met = triangle(&CORNERS, [0.25, 0.5, -1.0], [0.0, 0.0, 1.0]).expect("it is within");
        assert_eq!((met.t, met.shares), (2.0, [0.25, 0.5]));
        assert_eq!(triangle(&CORNERS, [0.75, 0.5, -1.0], [0.0, 0.0, 1.0]), None);
    }

    #[test]
    fn the_front_is_where_corners_go_against_the_clock() {
        // From above, with y up and x to the right: a, b, c go against the clock.
        let from_above = triangle(&CORNERS, [0.25, 0.25, 2.0], [0.0, 0.0, -1.0]).expect("it is within");
        let from_below = triangle(&CORNERS, [0.25, 0.25, 0.0], [0.0, 0.0, 1.0]).expect("it is within");
        assert!(from_above.front && !from_below.front);
    }

    #[test]
    fn an_edge_belongs_to_both_sides_and_a_flat_triangle_to_none() {
        let other = [[1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]];
        let ray = ([0.5, 0.5, 0.0], [0.0, 0.0, 1.0]);
        assert!(triangle(&CORNERS, ray.0, ray.1).is_some() && triangle(&other, ray.0, ray.1).is_some());
        let flat = [[0.0, 0.0, 1.0], [0.5, 0.5, 1.0], [1.0, 1.0, 1.0]];
        assert_eq!(triangle(&flat, ray.0, ray.1), None);
    }

    #[test]
    fn a_box_is_met_from_outside_and_within() {
        let unit = [[0.0; 3], [1.0; 3]];
        assert_eq!(aabb(&unit, ([0.5, 0.5, -1.0], [0.0, 0.0, 1.0]), (0.0, 9.0)), Some(1.0));
        assert_eq!(aabb(&unit, ([0.5, 0.5, 0.5], [0.0, 0.0, 1.0]), (0.1, 9.0)), Some(0.1));
        assert_eq!(aabb(&unit, ([0.5, 0.5, -1.0], [0.0, 0.0, 1.0]), (0.0, 0.5)), None);
        assert_eq!(aabb(&unit, ([2.0, 0.5, -1.0], [0.0, 0.0, 1.0]), (0.0, 9.0)), None);
    }
}
