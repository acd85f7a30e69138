//! Cube images: a direction becomes a face and a place on it.
//!
//! [OpenGL 4.6, 8.13; Vulkan, "Cube Map Face Selection and Transformations"]

use super::Lookup;

/// The axes of a face: what counts rightwards, what downwards, what outwards; each a component
/// of the direction and its sign.
type Axes = [(usize, i8); 3];

/// The axes of each face, in the order +x -x +y -y +z -z.
const FACES: [Axes; 6] = [
    [(2, -1), (1, -1), (0, 1)],
    [(2, 1), (1, -1), (0, -1)],
    [(0, 1), (2, 1), (1, 1)],
    [(0, 1), (2, -1), (1, -1)],
    [(0, 1), (1, -1), (2, 1)],
    [(0, -1), (1, -1), (2, -1)],
];

/// The face that a direction points at. Of equals the last direction counts.
fn face_of([x, y, z]: [f64; 3]) -> usize {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (axis, along) = if az >= ax && az >= ay {
        (2, z)
    } else if ay >= ax {
        (1, y)
    } else {
        (0, x)
    };
    2 * axis + usize::from(along < 0.0)
}

/// A direction in the axes of a face.
fn on(face: usize, v: [f64; 3]) -> [f64; 3] {
    FACES[face].map(|(component, sign)| f64::from(sign) * v[component])
}

/// The texel beside one edge of a face, on the face that meets it there.
///
/// Texels are at odd numbers between `-size` and `size`. What lies one step beyond an edge is
/// folded over it: the coordinate becomes that of the other face, the old face's own the last
/// inside.
pub(super) fn neighbour([x, y]: [i64; 2], face: i64, size: i64) -> [i64; 3] {
    let axes = FACES[face.rem_euclid(6) as usize];
    let mut place = [0i64; 3];
    let centred = |n: i64| 2 * n + 1 - size;
    let is_outside = |n: i64| centred(n).abs() > size;
    for (n, (component, sign)) in [x, y].into_iter().zip(axes) {
        place[component] = i64::from(sign) * centred(n).clamp(-size, size);
    }
    let (outwards, sign) = axes[2];
    let folded = is_outside(x) || is_outside(y);
    place[outwards] = i64::from(sign) * if folded { size - 1 } else { size };
    let to = face_of(place.map(|n| n as f64));
    let [s, t, _] = FACES[to].map(|(component, sign)| i64::from(sign) * place[component]);
    [(s + size - 1) / 2, (t + size - 1) / 2, to as i64]
}

/// The lookup as one for the layers of an image: coordinates 0 to 1 on the face, the face (and
/// six times the layer) behind them, gradients across the face.
pub(super) fn on_face(lookup: &Lookup, arrayed: bool) -> Lookup {
    let [x, y, z, layer] = lookup.at;
    let face = face_of([x, y, z]);
    let [s, t, outwards] = on(face, [x, y, z]);
    let place = |a: f64| (a / outwards + 1.0) / 2.0;
    let layer = if arrayed { layer.round_ties_even().max(0.0) } else { 0.0 };
    let gradients = lookup.gradients.map(|change| {
        let [ds, dt, d] = on(face, change);
        // The derivative of s / outwards, and half of it, as the place is.
        let across = |a: f64, da: f64| (da * outwards - a * d) / (2.0 * outwards * outwards);
        [across(s, ds), across(t, dt), 0.0]
    });
    Lookup { at: [place(s), place(t), 6.0 * layer + face as f64, 0.0], gradients, ..*lookup }
}

#[cfg(test)]
mod tests {
    use super::{face_of, neighbour, on};

    #[test]
    fn faces_in_their_order() {
        let unit = |i: usize, sign: f64| {
            let mut v = [0.1, 0.1, 0.1];
            v[i] = sign;
            v
        };
        let found: Vec<usize> = (0..3).flat_map(|i| [1.0, -1.0].map(|sign| face_of(unit(i, sign)))).collect();
        assert_eq!(found, [0, 1, 2, 3, 4, 5]);
        // Looking along +x, +z is on the left and +y above.
        assert_eq!(on(0, [1.0, 0.5, 0.25]), [-0.25, -0.5, 1.0]);
    }

    /// Beyond every edge is a texel that lies beside it: going back over the same edge of the
    /// other face leads home.
    #[test]
    fn neighbours_are_mutual() {
        const SIZE: i64 = 4;
        let inside = |n: i64| (0..SIZE).contains(&n);
        for face in 0..6 {
            for i in 0..SIZE {
                for (x, y) in [(-1, i), (SIZE, i), (i, -1), (i, SIZE)] {
                    let [nx, ny, other] = neighbour([x, y], face, SIZE);
                    assert!(inside(nx) && inside(ny) && other != face, "{face} {x} {y}: {nx} {ny} {other}");
                    let home = [x.clamp(0, SIZE - 1), y.clamp(0, SIZE - 1), face];
                    let around = [(nx - 1, ny), (nx + 1, ny), (nx, ny - 1), (nx, ny + 1)];
                    let back = around.into_iter().filter(|(x, y)| !inside(*x) || !inside(*y));
                    assert!(back.into_iter().any(|(x, y)| neighbour([x, y], other, SIZE) == home));
                }
            }
        }
    }
}
