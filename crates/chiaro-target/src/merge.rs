//! Fragment programs between vertices and the picture: what they read, and what becomes of their colours.

use chiaro_ir::Interpolation;

/// Most samples of a pixel.
pub const SAMPLES: usize = 4;

/// Something that a fragment program reads of the vertices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Varying {
    /// What both programs call it.
    pub name: String,
    /// What the outputs of its components are called where vertices only have numbers for them.
    pub parts: Vec<String>,
    /// How it is interpolated.
    pub interpolation: Interpolation,
}

/// What a fragment program leaves of the samples of a pixel, and what is there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Samples {
    /// The colour that the program gives for each sample.
    pub colours: [[f32; 4]; SAMPLES],
    /// The second one, of two that are blended with what is there; zeros without one.
    pub second: [[f32; 4]; SAMPLES],
    /// What the picture has.
    pub there: [[f32; 4]; SAMPLES],
    /// Samples that are not discarded, a bit each.
    pub live: u32,
}

/// What becomes of colours: formats, blending, logical operations, masks.
pub trait Merge {
    /// Samples of a pixel that it is made for.
    fn samples(&self) -> u32;

    /// The location of the colour that it is given; `None` for the first one that there is.
    fn location(&self) -> Option<u32> {
        None
    }

    /// What the picture has behind the fragment, and the samples that live.
    fn merged(&self, samples: &Samples) -> Samples;
}
