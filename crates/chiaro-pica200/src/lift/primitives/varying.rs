//! Triangles of a program whose way is not known: all that the unit keeps are variables.

use chiaro_ir::{Op, Type, Value};

use super::super::outputs::store;
use super::super::values::Values;
use super::{CORNERS, Setting, end, hand_on};
use crate::machine::registers::Register;

/// Variables.
pub(in crate::lift) struct Varying {
    /// What SETEMIT says.
    vertex: Value,
    sends: Value,
    turns: Value,
    /// Of the compute form: corners so far.
    corners: Value,
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

impl Varying {
    /// Variables for the outputs that are sent.
    pub(super) fn new(values: &mut Values<'_, '_>) -> Varying {
        let (bool, int) = (values.b.types().intern(Type::Bool), values.b.int_ty(32));
        let (falsehood, zero) = (values.b.bool(false), values.b.u32(0));
        let [vertex, corners] = [0; 2].map(|_| values.b.var(int, Some(zero)));
        let [sends, turns] = [0; 2].map(|_| values.b.var(bool, Some(falsehood)));
        let written = (0..16).filter(|&n| values.interface.uses(Register::Output(n)));
        let kept = written.map(|register| {
            let [other, a, b, c] = [0; 4].map(|_| values.new_register());
            Kept { register, other, vertices: [a, b, c] }
        });
        Varying { vertex, sends, turns, corners, kept: kept.collect() }
    }

    pub(super) fn set(&self, values: &mut Values<'_, '_>, setting: Setting) {
        let number = values.b.u32(u32::from(setting.vertex));
        values.b.store(self.vertex, number);
        for (variable, truth) in [(self.sends, setting.sends), (self.turns, setting.turns)] {
            let truth = values.b.bool(truth);
            values.b.store(variable, truth);
        }
    }

    pub(super) fn corners(&self, values: &mut Values<'_, '_>) -> Value {
        values.b.load(self.corners)
    }

    pub(super) fn emit(&self, values: &mut Values<'_, '_>) {
        let vertex = values.b.load(self.vertex);
        for kept in &self.kept {
            let now = values.output(kept.register);
            for (n, &variable) in (0..).zip(&kept.vertices) {
                let number = values.b.u32(n);
                let (is_this, before) = (values.b.ieq(vertex, number), values.b.load(variable));
                let after = values.b.select(is_this, now, before);
                values.b.store(variable, after);
            }
        }
        let sends = values.b.load(self.sends);
        let at = values.b.begin(Op::If, &[sends], &[], 2);
        values.b.enter(0);
        self.send(values);
        values.b.exit(at, &[]);
        values.b.enter(1);
        values.b.exit(at, &[]);
        values.b.leave();
        for kept in &self.kept {
            let (now, other) = (values.output(kept.register), values.b.load(kept.other));
            values.b.store(kept.other, now);
            values.set_output(kept.register, other);
        }
    }

    /// A triangle.
    fn send(&self, values: &mut Values<'_, '_>) {
        let turns = values.b.load(self.turns);
        for corner in CORNERS {
            self.corner(values, |values, register| {
                let kept = self.kept.iter().find(|kept| kept.register == register)?;
                let [plain, turned] = corner.map(|n| kept.vertices[n]).map(|v| values.b.load(v));
                Some(values.b.select(turns, turned, plain))
            });
        }
        end(values);
    }

    /// Hands a corner on; in a buffer those that have no room are lost.
    fn corner<'p, 'm>(
        &self,
        values: &mut Values<'p, 'm>,
        value: impl FnMut(&mut Values<'p, 'm>, u8) -> Option<Value>,
    ) {
        if values.interface.sends() {
            return hand_on(values, value);
        }
        let (at, most) = (values.b.load(self.corners), values.b.u32(values.interface.most));
        let is_room = values.b.ult(at, most);
        let inside = values.b.begin(Op::If, &[is_room], &[], 2);
        values.b.enter(0);
        store(values, Some(at), value);
        let one = values.b.u32(1);
        let next = values.b.iadd(at, one);
        values.b.store(self.corners, next);
        values.b.exit(inside, &[]);
        values.b.enter(1);
        values.b.exit(inside, &[]);
        values.b.leave();
    }
}
