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

/// One of the addresses that stand alone: packed coordinates (1 bit), dimension (3), count
/// of further dwords (2), register.
pub struct Address {
    /// Which.
    pub n: u8,
    /// How many there are.
    pub shape: Shape,
}

/// Addresses of a ray: packed directions (1 bit), first register.
pub struct Ray {
    /// Registers of the node's address: 1 or 2.
    pub node: u8,
}

/// One address of a ray: packed directions (1 bit), count of further dwords (2), register.
pub struct RayAddress {
    /// Which.
    pub n: u8,
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

/// One register of a list: `count` of them are there, in as many further dwords as they need.
fn listed(n: u8, count: u8, own: u64, dwords: u64) -> Option<Value> {
    if count < 2 || dwords != u64::from(count - 1).div_ceil(4) {
        return None;
    }
    match n < count {
        true => Some(Value::Reg(regs::vgpr(own as u16))),
        false => (own == 0).then_some(Value::Int(0)),
    }
}

fn encode_listed(value: Value, count: u8, bits: u32) -> Partial {
    let own = value.reg().map_or(0, |r| u64::from(r.index) & 0xff);
    let dwords = u64::from(count.saturating_sub(1)).div_ceil(4);
    Partial { raw: own | dwords << bits, known: 0xff | 3 << bits }
}

fn print_listed(n: u8, value: Value, out: &mut Out) {
    if let Some(r) = value.reg() {
        out.push_str(if n > 0 { ", " } else { "" });
        regs::print(r, out);
    }
}

fn parse_listed(n: u8, s: &mut Cursor<'_>) -> Option<Value> {
    if n > 0 && !s.eat(",") { Some(Value::Int(0)) } else { register(s) }
}

impl Kind for Address {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let count = self.shape.count((raw >> 10 & 7) as u8, raw >> 13 & 1 == 1);
        listed(self.n, count, raw & 0xff, raw >> 8 & 3)
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        let count = self.shape.count((given.raw >> 10 & 7) as u8, given.raw >> 13 & 1 == 1);
        let part = encode_listed(value, count, 8);
        let whole = given.raw & 0xf << 10 | part.raw;
        (self.decode(whole, cx)? == value).then_some(part)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        print_listed(self.n, value, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        parse_listed(self.n, s)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        covered(value)
    }
}

impl Kind for RayAddress {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        listed(self.n, ray(self.node, raw >> 10 & 1 == 1), raw & 0xff, raw >> 8 & 3)
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        let part = encode_listed(value, ray(self.node, given.raw >> 10 & 1 == 1), 8);
        let whole = given.raw & 1 << 10 | part.raw;
        (self.decode(whole, cx)? == value).then_some(part)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        print_listed(self.n, value, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        parse_listed(self.n, s)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        covered(value)
    }
}
