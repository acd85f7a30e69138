//! Triangles of a program that does not branch.

use chiaro_ir::Value;

use super::super::live::Variable;
use super::super::outputs::store;
use super::super::values::Values;
use super::{CORNERS, Setting, end, hand_on};
use crate::machine::registers::Register;

/// What is known where the program has come to.
pub(in crate::lift) struct Known {
    pub(super) setting: Setting,
    /// Corners so far.
    pub(super) corners: u32,
    kept: Vec<Kept>,
}

/// One output register.
struct Kept {
    register: u8,
    /// The other bank: the two change places at each EMIT.
    other: Value,
    /// As the three vertices have it.
    vertices: [Value; 3],
}

impl Known {
    pub(super) fn new(values: &mut Values<'_, '_>) -> Known {
        let start = values.start(Variable::Register(0));
        let written = (0..16).filter(|&n| values.interface.uses(Register::Output(n)));
        let kept = written.map(|register| Kept { register, other: start, vertices: [start; 3] }).collect();
        Known { setting: Setting::default(), corners: 0, kept }
    }

    pub(super) fn emit(&mut self, values: &mut Values<'_, '_>) {
        let Setting { vertex, sends, turns } = self.setting;
        for kept in &mut self.kept {
            let now = values.output(kept.register);
            values.set_output(kept.register, std::mem::replace(&mut kept.other, now));
            if let Some(place) = kept.vertices.get_mut(usize::from(vertex)) {
                *place = now;
            }
        }
        if sends {
            CORNERS.iter().for_each(|corner| self.corner(values, corner[usize::from(turns)]));
            end(values);
        }
    }

    /// A buffer has room for so many as every driver lets a shader send; more are lost.
    fn corner(&mut self, values: &mut Values<'_, '_>, vertex: usize) {
        let kept = &self.kept;
        let value = |_: &mut Values<'_, '_>, register| {
            kept.iter().find(|kept| kept.register == register).map(|kept| kept.vertices[vertex])
        };
        if values.interface.sends() {
            hand_on(values, value);
        } else if self.corners < values.interface.most {
            let at = values.b.u32(self.corners);
            store(values, Some(at), value);
            self.corners += 1;
        }
    }
}
