//! Cube images: a direction becomes a face and a place on it.
//!
//! [OpenGL 4.6, 8.13; Vulkan, "Cube Map Face Selection and Transformations"]

use super::Lookup;

/// The face that a direction points at, by number, and its axes: what counts rightwards, what
/// downwards, what outwards. Of equals the last direction counts.
fn axes([x, y, z]: [f64; 3]) -> (f64, impl Fn([f64; 3]) -> [f64; 3]) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let face = if az >= ax && az >= ay {
        if z < 0.0 { 5 } else { 4 }
    } else if ay >= ax {
        if y < 0.0 { 3 } else { 2 }
    } else if x < 0.0 {
        1
    } else {
        0
    };
    let on = move |[x, y, z]: [f64; 3]| match face {
        0 => [-z, -y, x],
        1 => [z, -y, -x],
        2 => [x, z, y],
        3 => [x, -z, -y],
        4 => [x, -y, z],
        _ => [-x, -y, -z],
    };
    (f64::from(face), on)
}

/// The lookup as one for the layers of an image: coordinates 0 to 1 on the face, the face (and
/// six times the layer) behind them, gradients across the face.
pub(super) fn on_face(lookup: &Lookup, arrayed: bool) -> Lookup {
    let [x, y, z, layer] = lookup.at;
    let (face, on) = axes([x, y, z]);
    let [s, t, outwards] = on([x, y, z]);
    let place = |a: f64| (a / outwards + 1.0) / 2.0;
    let layer = if arrayed { layer.round_ties_even().max(0.0) } else { 0.0 };
    let gradients = lookup.gradients.map(|change| {
        let [ds, dt, d] = on(change);
        // The derivative of s / outwards, and half of it, as the place is.
        let across = |a: f64, da: f64| (da * outwards - a * d) / (2.0 * outwards * outwards);
        [across(s, ds), across(t, dt), 0.0]
    });
    Lookup { at: [place(s), place(t), 6.0 * layer + face, 0.0], gradients, ..*lookup }
}

#[cfg(test)]
mod tests {
    use super::axes;

    #[test]
    fn faces_in_their_order() {
        let unit = |i: usize, sign: f64| {
            let mut v = [0.1, 0.1, 0.1];
            v[i] = sign;
            v
        };
        let found: Vec<f64> = (0..3).flat_map(|i| [1.0, -1.0].map(|sign| axes(unit(i, sign)).0)).collect();
        assert_eq!(found, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        // Looking along +x, +z is on the left and +y above.
        let (_, on) = axes([1.0, 0.5, 0.25]);
        assert_eq!(on([1.0, 0.5, 0.25]), [-0.25, -0.5, 1.0]);
    }
}
