//! A ray, and its flags.

/// Flags of a ray, with SPIR-V's numbers.
pub mod flags {
    /// All geometry is opaque.
    pub const OPAQUE: u32 = 1;
    /// No geometry is opaque.
    pub const NO_OPAQUE: u32 = 2;
    /// The first hit that is taken ends the search.
    pub const TERMINATE_ON_FIRST_HIT: u32 = 4;
    /// No closest-hit stage is called.
    pub const SKIP_CLOSEST_HIT: u32 = 8;
    /// Triangles that show their back are not there.
    pub const CULL_BACK: u32 = 16;
    /// Triangles that show their front are not there.
    pub const CULL_FRONT: u32 = 32;
    /// What is opaque is not there.
    pub const CULL_OPAQUE: u32 = 64;
    /// What is not opaque is not there.
    pub const CULL_NO_OPAQUE: u32 = 128;
    /// Triangles are not there.
    pub const SKIP_TRIANGLES: u32 = 256;
    /// Boxes are not there.
    pub const SKIP_BOXES: u32 = 512;
}

/// A ray as it is traced.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ray {
    /// Where it starts.
    pub origin: [f32; 3],
    /// Where it goes; distances count in its length.
    pub direction: [f32; 3],
    /// The least distance; triangles that are as near as this are not met.
    pub least: f32,
    /// The most distance.
    pub most: f32,
    /// [`flags`].
    pub flags: u32,
    /// Eight bits: instances with none of them are not there.
    pub mask: u32,
}

impl Ray {
    /// Whether a flag is set.
    #[must_use]
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Whether all its numbers are numbers, so that it can meet something.
    pub(crate) fn is_sound(&self) -> bool {
        let points = self.origin.iter().chain(&self.direction);
        points.chain([&self.least]).all(|x| x.is_finite()) && !self.most.is_nan()
    }
}
