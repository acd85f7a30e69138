//! What selection itself wants to have computed once: of descriptors, and of the draw.

/// What it asks of the draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OfDraw {
    /// Vertices of an instance.
    PerInstance,
}

/// What selection itself asks of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OfImage {
    /// Layers less one.
    LastLayer,
    /// A layer, or the last one where there are fewer.
    Layer(u32),
    /// Texels of a buffer.
    Length,
    /// The place of texels that atomic operations work on.
    Texels,
}
