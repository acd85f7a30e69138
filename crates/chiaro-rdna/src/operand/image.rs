//! Operands of image instructions: how many registers data and addresses take depends on
//! the shape of the image, on the operation and on packing (spec 4, 8.5).

use super::register::register;
use super::source::covered;
use crate::regs;
use chiaro_isa::{Covered, Cursor, Cx, Kind, Out, Partial, Value};

/// What an operation wants to know of a place in an image.
#[derive(Clone, Copy)]
pub struct Shape {
    /// Dwords before the coordinates: offset, bias, comparison.
    pub extra: u8,
    /// Whether there are coordinates.
    pub coordinates: bool,
    /// Whether a level of detail or a clamp follows them.
    pub level: bool,
    /// Derivatives before the coordinates.
    pub gradients: Gradients,
}

/// Derivatives of the coordinates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gradients {
    /// None.
    None,
    /// A dword each.
    Full,
    /// Two to a dword.
    Half,
}

/// Coordinates by dimension, the layer and the sample among them.
const COORDINATES: [u8; 8] = [1, 2, 3, 3, 2, 3, 3, 4];
/// Derivatives by dimension, in both directions.
const DERIVATIVES: [u8; 8] = [2, 4, 6, 4, 2, 4, 4, 4];

impl Shape {
    /// A shape of coordinates alone.
    pub const PLAIN: Shape = Shape { extra: 0, coordinates: true, level: false, gradients: Gradients::None };

    /// Registers of the whole address.
    pub fn count(&self, dim: u8, a16: bool) -> u8 {
        let dim = usize::from(dim & 7);
        let coordinates = if self.coordinates { COORDINATES[dim] } else { 0 } + u8::from(self.level);
        let coordinates = if a16 { coordinates.div_ceil(2) } else { coordinates };
        let derivatives = match self.gradients {
            Gradients::None => 0,
            Gradients::Full => DERIVATIVES[dim],
            Gradients::Half => (DERIVATIVES[dim] / 2).next_multiple_of(2),
        };
        self.extra + derivatives + coordinates
    }
}

/// Consecutive addresses: packed coordinates (1 bit), dimension (3), first register.
pub struct Addresses(pub Shape);

/// One of the addresses that stand alone: packed coordinates (1 bit), dimension (3),
/// register.
pub struct Address {
    /// Which.
    pub n: u8,
    /// Dwords of further addresses that follow the instruction.
    pub dwords: u8,
    /// How many there are.
    pub shape: Shape,
}

/// Addresses of a ray: packed directions (1 bit), first register.
pub struct Ray {
    /// Registers of the node's address: 1 or 2.
    pub node: u8,
}

/// Texels: halves (1 bit), status (1), components (4), first register.
pub struct Texels {
    /// Whether four texels are gathered whatever the components say.
    pub gather: bool,
}

fn ray(node: u8, a16: bool) -> u8 {
    node + if a16 { 7 } else { 10 }
}

/// A run of registers whose length other bits decide; `known` are the bits of its own.
macro_rules! counted {
    ($($kind:ty: |$self:ident, $raw:ident| $count:expr;)*) => { $(
        impl Kind for $kind {
            fn decode(&$self, $raw: u64, _: &Cx) -> Option<Value> {
                regs::vector_run(($raw & 0xff) as u16, $count).map(Value::Reg)
            }
            fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
                let raw = u64::from(value.reg()?.index) & 0xff;
                (self.decode(given.raw & !0xff | raw, cx)? == value).then_some(())?;
                Some(Partial { raw, known: 0xff })
            }
            fn print(&self, value: Value, out: &mut Out, _: &Cx) {
                if let Some(r) = value.reg() {
                    regs::print(r, out);
                }
            }
            fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
                register(s)
            }
            fn covers(&self, value: Value) -> Option<Covered> {
                covered(value)
            }
        }
    )* };
}

counted! {
    Addresses: |self, raw| self.0.count((raw >> 8 & 7) as u8, raw >> 11 & 1 == 1);
    Ray: |self, raw| ray(self.node, raw >> 8 & 1 == 1);
    Texels: |self, raw| {
        let components = if self.gather { 4 } else { (raw >> 8 & 15).count_ones().max(1) as u8 };
        let (status, halves) = ((raw >> 12 & 1) as u8, raw >> 13 & 1 == 1);
        status + if halves { components.div_ceil(2) } else { components }
    };
}

impl Address {
    /// How many addresses other fields ask for, if they take as many dwords as follow.
    fn count(&self, raw: u64) -> Option<u8> {
        let count = self.shape.count((raw >> 8 & 7) as u8, raw >> 11 & 1 == 1);
        (count > 1 && (count - 1).div_ceil(4) == self.dwords).then_some(count)
    }
}

impl Kind for Address {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        match self.n < self.count(raw)? {
            true => Some(Value::Reg(regs::vgpr((raw & 0xff) as u16))),
            false => (raw & 0xff == 0).then_some(Value::Int(0)),
        }
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        let raw = value.reg().map_or(0, |r| u64::from(r.index) & 0xff);
        (self.decode(given.raw & !0xff | raw, cx)? == value).then_some(())?;
        Some(Partial { raw, known: 0xff })
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        if let Some(r) = value.reg() {
            out.push_str(if self.n > 0 { ", " } else { "" });
            regs::print(r, out);
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if self.n > 0 && !s.eat(",") { Some(Value::Int(0)) } else { register(s) }
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        covered(value)
    }
}
