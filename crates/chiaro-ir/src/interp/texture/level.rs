//! Which level is sampled.
//!
//! [Vulkan, "Level-of-Detail Operation", "Image Level(s) Selection"]

use super::{Request, Texture, directions};
use crate::{Dim, ImageType};

/// The level nearest to what is given, or to the logarithm of the texels that one pixel covers.
pub(super) fn nearest(request: &Request, ty: &ImageType, texture: &Texture) -> usize {
    let last = texture.smaller.len();
    if last == 0 || request.how.gather || ty.dim == Dim::Rect {
        return 0;
    }
    let level = if request.how.level {
        request.level
    } else {
        footprint(request, ty, texture).log2() + request.level
    };
    // Half way the larger one counts; NaN and less than nothing are the first.
    (level + 0.5).ceil().max(1.0).min(last as f64 + 1.0) as usize - 1
}

/// How many texels one pixel covers in the direction that covers most.
fn footprint(request: &Request, ty: &ImageType, texture: &Texture) -> f64 {
    let count = directions(ty);
    let length = |change: &[f64; 3]| {
        let texels = change.iter().zip(texture.size).take(count);
        texels.map(|(d, size)| (d * f64::from(size)).powi(2)).sum::<f64>().sqrt()
    };
    request.gradients.iter().map(length).fold(0.0, f64::max)
}
