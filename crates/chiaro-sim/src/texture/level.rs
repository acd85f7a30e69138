//! Level-of-detail selection: which mip level is sampled.
//!
//! [Vulkan, "Level-of-Detail Operation", "Image Level(s) Selection"]

use super::{Dim, Level, Lookup, Shape, Texture};

/// The level nearest to what is given, or to the logarithm of the texels that one pixel covers.
pub(super) fn nearest(lookup: &Lookup, shape: Shape, texture: &Texture) -> usize {
    let last = texture.smaller.len();
    if last == 0 || lookup.gather.is_some() || shape.dim == Dim::Rect {
        return 0;
    }
    let level = match lookup.level {
        Level::Given(level) => level,
        Level::Biased(bias) => footprint(lookup, shape, texture).log2() + bias,
    };
    // Half way the larger one counts; NaN and less than nothing are the first.
    (level + 0.5).ceil().max(1.0).min(last as f64 + 1.0) as usize - 1
}

/// How many texels one pixel covers in the direction that covers most.
fn footprint(lookup: &Lookup, shape: Shape, texture: &Texture) -> f64 {
    let count = shape.directions();
    let length = |change: &[f64; 3]| {
        let texels = change.iter().zip(texture.size).take(count);
        texels.map(|(d, size)| (d * f64::from(size)).powi(2)).sum::<f64>().sqrt()
    };
    lookup.gradients.iter().map(length).fold(0.0, f64::max)
}
