//! Operands of memory instructions: addresses, data whose size depends on flags, offsets.

use super::register::register;
use super::source::covered;
use crate::regs::{self, code, file};
use chiaro_isa::{Covered, Cursor, Cx, Kind, Out, Partial, Reg, Value};

/// Offset of a scalar load: scalar register (7 bits), bytes (21 bits, signed). Its value is
/// the register with the bytes in `swizzle` and `mods`, or the bytes alone.
pub struct ScalarOffset;

/// Address of a buffer instruction: index, offset (a bit each), register. Nothing, one
/// register or a pair.
pub struct BufferAddress;

/// Data of a load: status flag, register; one register more with status.
pub struct Loaded(pub u8);

/// Scalar base of a global instruction: a pair, or off.
pub struct GlobalBase;

/// Address of a global instruction: scalar base (7 bits), register. An offset beside a
/// base, else a pair.
pub struct GlobalAddress;

/// Scalar address of a scratch instruction: one register, or off.
pub struct ScratchBase;

/// Vector address of a scratch instruction: scalar address (7 bits), register; off beside a
/// scalar address.
pub struct ScratchAddress;

/// An exported register: enabled (a bit), register; off if it is not enabled.
pub struct Exported {
    /// Whether another operand has the same register bits (compressed exports: two halves).
    pub shared: bool,
}

/// No address at all: scalar field of scratch instructions.
const NEITHER: u64 = 127;
const NULL: u64 = code::NULL as u64;
/// Spelled where an address is left out.
const OFF: Value = Value::Int(0);

fn print_or_off(value: Value, out: &mut Out) {
    match value {
        Value::Reg(r) => regs::print(r, out),
        _ => out.push_str("off"),
    }
}

fn parse_or_off(s: &mut Cursor<'_>) -> Option<Value> {
    let before = s.at();
    if s.ident() == Some("off") {
        return Some(OFF);
    }
    s.rewind(before);
    register(s)
}

/// Kinds that are a register or `off`: how bits are read, and which bits a value decides.
macro_rules! or_off {
    ($($kind:ty: |$self:ident, $raw:ident| $decode:expr, |$value:ident| $encode:expr;)*) => { $(
        impl Kind for $kind {
            fn decode(&$self, $raw: u64, _: &Cx) -> Option<Value> {
                $decode
            }
            fn encode(&$self, $value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
                let (raw, known): (u64, u64) = $encode?;
                let whole = given.raw & !known | raw;
                ($self.decode(whole, cx)? == $value).then_some(())?;
                Some(Partial { raw, known })
            }
            fn print(&self, value: Value, out: &mut Out, _: &Cx) {
                print_or_off(value, out);
            }
            fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
                parse_or_off(s)
            }
            fn covers(&self, value: Value) -> Option<Covered> {
                covered(value)
            }
        }
    )* };
}

fn reg(r: Option<Reg>) -> Option<Value> {
    r.map(Value::Reg)
}

fn number_of(value: Value) -> u64 {
    value.reg().map_or(0, |r| r.index.into())
}

or_off! {
    BufferAddress: |self, raw| match (raw >> 8 & 3).count_ones() as u8 {
        0 => (raw & 0xff == 0).then_some(OFF),
        count => reg(regs::vector_run((raw & 0xff) as u16, count)),
    }, |value| Some((number_of(value), 0xff));
    Loaded: |self, raw| reg(regs::vector_run((raw & 0xff) as u16, self.0 + (raw >> 8 & 1) as u8)),
        |value| Some((number_of(value), 0xff));
    GlobalBase: |self, raw| if raw == NULL { Some(OFF) } else { reg(regs::scalar_run(raw as u16, 2)) },
        |value| Some((value.reg().map_or(NULL, |r| r.index.into()), 0x7f));
    GlobalAddress: |self, raw| {
        reg(regs::vector_run((raw & 0xff) as u16, if raw >> 8 == NULL { 2 } else { 1 }))
    }, |value| Some((number_of(value), 0xff));
    ScratchBase: |self, raw| match raw {
        NULL | NEITHER => Some(OFF),
        _ => reg(regs::scalar_run(raw as u16, 1)),
    }, |value| match value {
        // Whether there is a vector address says which of the two.
        OFF => Some((0x7d, 0x7d)),
        _ => Some((number_of(value), 0x7f)),
    };
}

/// Nothing beside a scalar address; beside none it is one of two codes that says whether
/// there is a vector address.
impl Kind for ScratchAddress {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        match raw >> 8 {
            NULL => reg(regs::vector_run((raw & 0xff) as u16, 1)),
            _ => (raw & 0xff == 0).then_some(OFF),
        }
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let beside = given.known >> 8 == 0x7f;
        match value {
            OFF if beside => Some(Partial { raw: 0, known: 0xff }),
            OFF => Partial::full(NEITHER << 8),
            _ if value.reg()?.file != file::VGPR => None,
            _ => Partial::full(NULL << 8 | number_of(value) & 0xff),
        }
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        print_or_off(value, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        parse_or_off(s)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        covered(value)
    }
}

impl Kind for Exported {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        match raw >> 8 & 1 {
            1 => reg(regs::vector_run((raw & 0xff) as u16, 1)),
            _ => (self.shared || raw == 0).then_some(OFF),
        }
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        match value {
            OFF if self.shared => Some(Partial { raw: 0, known: 0x100 }),
            OFF => Partial::full(0),
            _ => Partial::full(u64::from(value.reg()?.index) & 0xff | 0x100),
        }
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        print_or_off(value, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        parse_or_off(s)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        covered(value)
    }
}

/// Bits of the byte offset.
const BYTES: u64 = 0x1f_ffff;

impl ScalarOffset {
    /// Bytes of the value, and the register if there is one.
    pub fn parts(value: Value) -> (i64, Option<Reg>) {
        match value {
            Value::Reg(r) => {
                let raw = i64::from(r.swizzle) | i64::from(r.mods) << 16;
                (raw << 43 >> 43, Some(Reg { swizzle: 0, mods: 0, ..r }))
            }
            Value::Int(n) => (n, None),
            Value::Symbol(_) => (0, None),
        }
    }

    fn with(r: Reg, bytes: u64) -> Value {
        Value::Reg(Reg { swizzle: bytes as u16, mods: (bytes >> 16 & 0x1f) as u16, ..r })
    }
}

impl Kind for ScalarOffset {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (index, bytes) = (raw >> 21, raw & BYTES);
        if index == NULL && bytes != 0 {
            return Some(Value::Int((bytes << 43) as i64 >> 43));
        }
        let r = regs::scalar_run(index as u16, 1)?;
        Some(ScalarOffset::with(r, bytes))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let raw = match value {
            Value::Int(n) if (-0x10_0000..0x10_0000).contains(&n) => NULL << 21 | n as u64 & BYTES,
            Value::Reg(r) => {
                let bytes = u64::from(r.swizzle) | u64::from(r.mods & 0x1f) << 16;
                u64::from(r.index) << 21 | bytes
            }
            _ => return None,
        };
        let zero = value == Value::Int(0);
        (zero || self.decode(raw, cx)? == value).then_some(())?;
        Partial::full(raw)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let (bytes, r) = ScalarOffset::parts(value);
        if let Some(r) = r {
            regs::print(r, out);
            if bytes == 0 {
                return;
            }
            out.push_str(" offset:");
        }
        out.push_str(if bytes < 0 { "-0x" } else { "0x" });
        out.push_hex(bytes.unsigned_abs(), 1);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if let Some(n) = s.int() {
            return Some(if n == 0 { Value::Reg(regs::sgpr(code::NULL)) } else { Value::Int(n) });
        }
        let r = register(s)?.reg()?;
        if !s.eat("offset:") {
            return Some(ScalarOffset::with(r, 0));
        }
        let bytes = s.int().filter(|n| (-0x10_0000..0x10_0000).contains(n));
        match bytes {
            Some(0) => Some(ScalarOffset::with(r, 0)),
            Some(n) if r.index == code::NULL => Some(Value::Int(n)),
            Some(n) => Some(ScalarOffset::with(r, n as u64 & BYTES)),
            None => s.fail_last("an offset has 21 bits and a sign"),
        }
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        let r = ScalarOffset::parts(value).1.filter(|r| r.index != code::NULL)?;
        Some(Covered { file: file::SGPR, first: r.index, count: 1, parts: u16::MAX })
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((-0x10_0000, 0xf_ffff))
    }
}
