//! Level-of-detail selection: which levels are sampled, and how far along a stretched pixel.
//!
//! [Vulkan, "Level-of-Detail Operation", "Image Level(s) Selection", "Texel Anisotropic Filtering"] Levels of stretched
//! pixels are those of the number of samples, which is the ratio of the axes rounded up: OpenGL's extension asks for
//! that, Vulkan lets it stand for the ratio.

use super::{Dim, Filter, Level, Lookup, Mip, Sampler, Shape, Texture};

/// The level that a lookup comes to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SampledLevel {
    /// What is read: between two levels, or one of them.
    pub clamped: f64,
    /// What was asked for, before the limits of sampler and image.
    pub computed: f64,
}

/// What a lookup reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) filter: Filter,
    /// Two levels with their weights.
    pub(super) levels: [(usize, f64); 2],
    /// Samples along the longer axis of the pixel.
    pub(super) taps: u32,
    pub(super) sampled: SampledLevel,
    /// That axis, in coordinates.
    axis: [f64; 3],
}

/// The most samples of a pixel that is stretched without bound.
const MOST_TAPS: f64 = 16.0;

/// Chooses levels, filter and samples.
pub(super) fn plan(lookup: &Lookup, shape: Shape, texture: &Texture, sampler: &Sampler) -> Plan {
    let stretch = Stretch::of(lookup, shape, texture, sampler);
    let computed = match lookup.level {
        Level::Given(level) => level,
        Level::Biased(bias) => stretch.size.log2() + bias,
    };
    let computed = computed + f64::from(sampler.bias);
    let limits = sampler.levels.map(f64::from);
    let level = if computed.is_nan() { 0.0 } else { computed };
    let level = level.min(limits[1]).max(limits[0]);
    let last = if shape.dim == Dim::Rect { 0 } else { texture.smaller.len() };
    let filter = if level <= 0.0 { sampler.magnify } else { sampler.minify };
    let near = level.max(0.0).min(last as f64);
    let levels = match sampler.mip {
        Mip::None => [(0, 1.0), (0, 0.0)],
        // Half way the larger one counts.
        Mip::Nearest => [(((near + 0.5).ceil() as usize).saturating_sub(1), 1.0), (0, 0.0)],
        Mip::Linear => {
            let (low, weight) = (near.floor() as usize, near.fract());
            [(low, 1.0 - weight), (low + 1, weight)]
        }
    };
    let clamped = levels.iter().map(|(level, weight)| *level as f64 * weight).sum();
    let taps = if filter == Filter::Linear { stretch.taps } else { 1 };
    Plan { filter, levels, taps, sampled: SampledLevel { clamped, computed }, axis: stretch.axis }
}

impl Plan {
    /// The place of one of the samples.
    pub(super) fn tap(&self, lookup: &Lookup, tap: u32) -> Lookup {
        if self.taps == 1 {
            return *lookup;
        }
        let along = (f64::from(tap) + 1.0) / (f64::from(self.taps) + 1.0) - 0.5;
        let mut at = lookup.at;
        at.iter_mut().zip(self.axis).for_each(|(x, step)| *x += along * step);
        Lookup { at, ..*lookup }
    }
}

/// How a pixel lies in the texels.
struct Stretch {
    /// Texels that one sample covers in the direction that covers most.
    size: f64,
    taps: u32,
    axis: [f64; 3],
}

impl Stretch {
    fn of(lookup: &Lookup, shape: Shape, texture: &Texture, sampler: &Sampler) -> Stretch {
        let count = shape.directions();
        let length = |change: &[f64; 3]| {
            let texels = change.iter().zip(texture.size).take(count);
            texels.map(|(d, size)| (d * f64::from(size)).powi(2)).sum::<f64>().sqrt()
        };
        let [x, y] = lookup.gradients.each_ref().map(length);
        let (longer, shorter) = (x.max(y), x.min(y));
        let most = f64::from(sampler.anisotropy).min(MOST_TAPS);
        let wanted = (longer / shorter).ceil().min(most);
        let taps = if wanted > 1.0 && longer > 0.0 { wanted } else { 1.0 };
        let axis = if x >= y { lookup.gradients[0] } else { lookup.gradients[1] };
        let axis = std::array::from_fn(|i| if i < count { axis[i] } else { 0.0 });
        Stretch { size: longer / taps, taps: taps as u32, axis }
    }
}
