//! What is known of a texture or an image where it is read or written (spec 9.1).

use chiaro_ir::{Dim, ImageType};

use super::part::Part;

/// A texture or image with its state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    /// Its state, or that of the first of an array.
    pub(super) state: u16,
    /// Which of an array.
    pub(super) index: Option<Part>,
    pub(super) ty: ImageType,
    /// Bytes of a texel, of one of its samples; 0 if nobody says it.
    pub(super) bytes: u8,
    /// It is in the heap of textures, and its pixels in their order.
    pub(super) in_heap: bool,
}

impl Image {
    /// Coordinates without the layer.
    pub(super) fn extent(&self) -> usize {
        match self.ty.dim {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D3 | Dim::Cube => 3,
            _ => 2,
        }
    }

    /// Whether it is known when code is compiled which one it is.
    pub(super) fn is_certain(&self) -> bool {
        self.index.is_none()
    }

    /// Whether both are one image.
    pub(super) fn is_same(&self, other: &Image) -> bool {
        self.is_certain() && other.is_certain() && self.state == other.state
    }

    /// The machine's shape; lines are read as rows of one.
    pub(super) fn shape(&self) -> u8 {
        let cube = self.ty.dim == Dim::Cube && !self.ty.storage;
        match (self.ty.dim, self.ty.arrayed, self.ty.multisampled) {
            (Dim::D3, ..) => 5,
            (_, false, _) if cube => 6,
            (_, true, _) if cube => 7,
            (Dim::Cube, ..) => 3,
            (_, false, true) => 4,
            (_, true, true) => 8,
            (_, true, _) => 3,
            _ => 2,
        }
    }
}
