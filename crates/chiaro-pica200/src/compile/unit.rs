//! The two kinds of shader units, and what differs between their programs.

use crate::compile::geometry::Request;
use crate::regs::{GEOMETRY_OUTPUTS, GEOMETRY_WORDS, VERTEX_WORDS};
use chiaro_ir::Stage;

/// What a program is for.
#[derive(Clone, Copy)]
pub(super) enum Unit<'a> {
    Vertex,
    Geometry(&'a Request),
}

impl Unit<'_> {
    pub(super) fn stage(self) -> Stage {
        match self {
            Unit::Vertex => Stage::Vertex,
            Unit::Geometry(_) => Stage::Geometry,
        }
    }

    /// Words of its program memory.
    pub(super) fn words(self) -> usize {
        match self {
            Unit::Vertex => VERTEX_WORDS,
            Unit::Geometry(_) => GEOMETRY_WORDS,
        }
    }

    /// Outputs, and the last boolean that the hardware leaves alone.
    pub(super) fn limits(self) -> (usize, u8) {
        match self {
            Unit::Vertex => (16, 15),
            Unit::Geometry(_) => (GEOMETRY_OUTPUTS, 14),
        }
    }
}
