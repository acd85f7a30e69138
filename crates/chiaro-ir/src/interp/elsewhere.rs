//! What inputs of fragments are at other places of their pixels than where they were given.

use super::Attributes;

/// What inputs are at such places, in the shape of [`Attributes`]. An input that is absent is what it is where it
/// was given, and changes as over its quad.
#[derive(Clone, Debug, Default)]
pub struct Elsewhere {
    /// At a place that is covered.
    pub centroid: Attributes,
    /// At each sample.
    pub samples: Vec<Attributes>,
    /// A pixel further along x, and along y.
    pub beside: [Attributes; 2],
    /// One over W of each invocation: in the middle of its pixel, a pixel further along x, and along y. Without it
    /// perspective is left out.
    pub inverse_w: Vec<[f64; 3]>,
}
