//! The two kinds of shader units, and what differs between their programs.

use crate::compile::geometry::Request;
use crate::container::outmap::SLOTS;
use crate::regs::{GEOMETRY_OUTPUTS, GEOMETRY_WORDS, VERTEX_WORDS};
use chiaro_ir::Stage;

/// What a program is for.
#[derive(Clone, Copy)]
pub(super) enum Unit<'a> {
    Vertex,
    /// A vertex program whose outputs a geometry program takes.
    Feeder,
    Geometry(&'a Request),
}

impl Unit<'_> {
    pub(super) fn stage(self) -> Stage {
        match self {
            Unit::Vertex | Unit::Feeder => Stage::Vertex,
            Unit::Geometry(_) => Stage::Geometry,
        }
    }

    /// Words of its program memory.
    pub(super) fn words(self) -> usize {
        match self {
            Unit::Vertex | Unit::Feeder => VERTEX_WORDS,
            Unit::Geometry(_) => GEOMETRY_WORDS,
        }
    }

    /// Outputs that the loader's map holds, and the last boolean that the hardware leaves alone. The map
    /// has seven slots, its mask of enabled outputs eight bits [libctru].
    pub(super) fn limits(self) -> (usize, u8) {
        match self {
            Unit::Vertex => (SLOTS, 15),
            Unit::Feeder => (SLOTS + 1, 15),
            Unit::Geometry(_) => (GEOMETRY_OUTPUTS, 14),
        }
    }
}
