//! EMIT and SETEMIT: vertices that a geometry program keeps, and the triangles that it sends.
//!
//! The unit keeps three vertices; EMIT writes one of them and, where SETEMIT said so, sends all three as
//! a triangle. A geometry shader forgets its outputs at each vertex, so that what the unit keeps are
//! variables here, or values where nothing branches, and a triangle is a strip of its own (spec section 16).

mod known;
mod varying;

use chiaro_ir::{Op, Value};

use super::outputs::store;
use super::values::Values;
use known::Known;
use varying::Varying;

/// What EMIT reads and writes besides outputs.
pub(super) enum Primitives {
    /// Of a program that does not branch: what SETEMIT said is known at each EMIT.
    Known(Known),
    Varying(Varying),
}

/// What SETEMIT says.
#[derive(Clone, Copy, Default)]
pub(super) struct Setting {
    /// The vertex that EMIT writes; a fourth can be written, but is never sent.
    pub(super) vertex: u8,
    /// Whether a triangle is complete with it.
    pub(super) sends: bool,
    /// Whether that has its first two vertices exchanged.
    pub(super) turns: bool,
}

/// The vertices of a triangle in order, as they stand and with the first two exchanged.
const CORNERS: [[usize; 2]; 3] = [[0, 1], [1, 0], [2, 2]];

impl Primitives {
    pub(super) fn new(values: &mut Values<'_, '_>, is_straight: bool) -> Primitives {
        match is_straight {
            true => Primitives::Known(Known::new(values)),
            false => Primitives::Varying(Varying::new(values)),
        }
    }

    pub(super) fn set(&mut self, values: &mut Values<'_, '_>, setting: Setting) {
        match self {
            Primitives::Known(known) => known.setting = setting,
            Primitives::Varying(varying) => varying.set(values, setting),
        }
    }

    pub(super) fn emit(&mut self, values: &mut Values<'_, '_>) {
        match self {
            Primitives::Known(known) => known.emit(values),
            Primitives::Varying(varying) => varying.emit(values),
        }
    }

    /// Says how many corners were sent.
    pub(super) fn count(&self, values: &mut Values<'_, '_>) {
        let Some(buffers) = &values.interface.buffers else { return };
        let count = match self {
            Primitives::Known(known) => values.b.u32(known.corners),
            Primitives::Varying(varying) => varying.corners(values),
        };
        buffers.count(&mut values.b, count);
    }
}

/// Hands a corner to the stage behind.
fn hand_on<'p, 'm>(values: &mut Values<'p, 'm>, value: impl FnMut(&mut Values<'p, 'm>, u8) -> Option<Value>) {
    store(values, None, value);
    values.b.op_void(Op::EmitVertex(0), &[]);
}

/// The end of a triangle, where something follows that asks.
fn end(values: &mut Values<'_, '_>) {
    if values.interface.sends() {
        values.b.op_void(Op::EndPrimitive(0), &[]);
    }
}
