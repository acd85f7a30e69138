//! Operands of the toy: registers, runs of registers, constants with a literal, addresses.

use super::LITERAL;
use chiaro_isa::{Covered, Cursor, Cx, Kind, Out, Partial, Reg, Value};

pub(super) const VGPR: u8 = 0;
const SGPR: u8 = 1;
const NEG: u16 = 1;
const ABS: u16 = 2;
const VCC_LO: u16 = 106;
const OFF: u16 = 125;

/// Code (9 bits), literal (32), and in the long form absolute value and sign.
pub(super) struct Source {
    pub(super) modifiers: bool,
}
/// Code (8 bits), literal (32).
pub(super) struct Scalar;
pub(super) struct Vgpr;
pub(super) struct Sgpr;
/// `vcc`, or its half in waves of 32 lanes: takes no bits.
pub(super) struct Vcc;
/// A scalar base in pairs, or off.
pub(super) struct Base;
/// The base (7 bits), then a register or a pair.
pub(super) struct GlobalAddress;
/// A run of so many scalar registers, aligned to four.
pub(super) struct Descriptor(pub(super) u16);
/// Components and status bit (5 bits), then the first register.
pub(super) struct Data;
pub(super) struct Data4;
/// The shape (3 bits), then the first register.
pub(super) struct Addresses;
pub(super) struct Address {
    pub(super) n: u8,
    pub(super) shape: Shape,
}
pub(super) enum Shape {
    Coordinates,
    Ray,
}

/// Code of a small number.
pub(super) fn inline(n: i64) -> Option<u64> {
    match n {
        0..=64 => Some(128 + n as u64),
        -16..=-1 => Some((192 - n) as u64),
        _ => None,
    }
}

/// A literal as a number.
fn signed(literal: u64) -> i64 {
    i64::from(literal as u32 as i32)
}

/// The operand of a code; `literal` is what follows the instruction.
fn operand(code: u64, literal: u64) -> Option<Value> {
    let reg = |file, index: u64| Some(Value::Reg(Reg { file, index: index as u16, ..Reg::default() }));
    match code {
        0..=107 | 124..=127 => reg(SGPR, code),
        128..=192 => Some(Value::Int(code as i64 - 128)),
        193..=208 => Some(Value::Int(192 - code as i64)),
        // A literal that has a code of its own is not what an assembler writes.
        LITERAL if inline(signed(literal)).is_none() => Some(Value::Int(signed(literal))),
        256..=511 => reg(VGPR, code - 256),
        _ => None,
    }
}

/// Code and literal; the literal's bits are decided only by an operand that is one.
fn code(value: Value, width: u32) -> Option<Partial> {
    let whole = (1 << width) - 1;
    match value {
        Value::Int(n) => match inline(n) {
            Some(code) => Some(Partial { raw: code, known: whole }),
            None if i32::try_from(n).is_ok() || u32::try_from(n).is_ok() => Some(Partial {
                raw: u64::from(n as u32) << width | LITERAL,
                known: u64::from(u32::MAX) << width | whole,
            }),
            None => None,
        },
        Value::Reg(r) if r.file == SGPR => Some(Partial { raw: r.index.into(), known: whole }),
        Value::Reg(r) if width == 9 => Some(Partial { raw: u64::from(r.index) + 256, known: whole }),
        _ => None,
    }
}

impl Kind for Source {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let value = operand(raw & 0x1ff, raw >> 9)?;
        let mods = (raw >> 42 & 1) as u16 * NEG | (raw >> 41 & 1) as u16 * ABS;
        match value {
            Value::Reg(r) => Some(Value::Reg(Reg { mods, ..r })),
            _ => (mods == 0).then_some(value),
        }
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let mods = value.reg().map_or(0, |r| u64::from(r.mods));
        let code = code(value, 9)?;
        match self.modifiers {
            true => Some(Partial {
                raw: code.raw | (mods & 1) << 42 | (mods >> 1) << 41,
                known: code.known | 3 << 41,
            }),
            false => (mods == 0).then_some(code),
        }
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        print(value, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        parse(s)
    }
}

impl Kind for Scalar {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        operand(raw & 0xff, raw >> 8)
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        code(value, 8)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        print(value, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        parse(s)
    }
}

/// Kinds whose operands are runs of registers: their width in bits, and how raw bits
/// become a run.
macro_rules! runs {
    ($($kind:ident $width:literal: |$self:ident, $raw:ident| $decode:expr;)*) => { $(
        impl Kind for $kind {
            fn decode(&$self, $raw: u64, _: &Cx) -> Option<Value> {
                let (file, index, count): (u8, u16, u16) = $decode?;
                let more = u8::try_from(count.checked_sub(1)?).ok().filter(|more| index + u16::from(*more) < 256)?;
                Some(Value::Reg(Reg { file, index, more, ..Reg::default() }))
            }
            fn encode(&$self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
                let r = value.reg()?;
                // The run is found again among the few that the field can hold.
                let own = 8.min($width);
                let mut raws = (0..1u64 << own).map(|own| given.raw & !0xff | own);
                let raw = raws.find(|&raw| $self.decode(raw, cx) == Some(Value::Reg(r)))?;
                Some(Partial { raw, known: (1 << own) - 1 })
            }
            fn print(&$self, value: Value, out: &mut Out, _: &Cx) {
                print(value, out);
            }
            fn parse(&$self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
                parse(s)
            }
        }
    )* };
}

runs! {
    Vgpr 8: |self, raw| Some((VGPR, raw as u16, 1));
    Sgpr 7: |self, raw| (!(108..=123).contains(&raw)).then_some((SGPR, raw as u16, 1));
    Base 7: |self, raw| match raw as u16 {
        OFF => Some((SGPR, OFF, 1)),
        n @ 0..=104 if n & 1 == 0 => Some((SGPR, n, 2)),
        _ => None,
    };
    GlobalAddress 8: |self, raw| Some((VGPR, (raw & 0xff) as u16, if raw >> 8 == OFF.into() { 2 } else { 1 }));
    Descriptor 5: |self, raw| (raw < 26).then_some((SGPR, raw as u16 * 4, self.0));
    Data 8: |self, raw| Some((VGPR, (raw & 0xff) as u16, (raw >> 8).count_ones() as u16));
    Data4 8: |self, raw| Some((VGPR, raw as u16, 4));
    Addresses 8: |self, raw| Some((VGPR, (raw & 0xff) as u16, Shape::Coordinates.count(raw >> 8)));
}

impl Kind for Vcc {
    fn decode(&self, _: u64, _: &Cx) -> Option<Value> {
        Some(Value::Reg(Reg { file: SGPR, index: VCC_LO, ..Reg::default() }))
    }
    fn encode(&self, _: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(0)
    }
    fn print(&self, _: Value, out: &mut Out, cx: &Cx) {
        out.push_str(if cx.wave == 64 { "vcc" } else { "vcc_lo" });
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let name = if cx.wave == 64 { "vcc" } else { "vcc_lo" };
        if s.eat(name) { self.decode(0, cx) } else { s.fail("the short form reads vcc") }
    }
    fn covers(&self, _: Value) -> Option<Covered> {
        Some(Covered { file: SGPR, first: VCC_LO, count: 2, parts: u16::MAX })
    }
    fn contextual(&self) -> bool {
        true
    }
}

impl Shape {
    /// How many addresses.
    fn count(&self, dim: u64) -> u16 {
        match self {
            Shape::Coordinates => [1, 2, 3, 3, 2, 3, 3, 4][dim as usize & 7],
            Shape::Ray => 12,
        }
    }
}

impl Kind for Address {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (own, dwords, needed) = (raw & 0xff, raw >> 8 & 3, u64::from(self.shape.count(raw >> 10)));
        if needed < 2 || dwords != (needed - 1).div_ceil(4) {
            return None;
        }
        match u64::from(self.n) < needed {
            true => Some(Value::Reg(Reg { file: VGPR, index: own as u16, ..Reg::default() })),
            false => (own == 0).then_some(Value::Int(0)),
        }
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        let own = value.reg().map_or(0, |r| u64::from(r.index));
        let needed = u64::from(self.shape.count(given.raw >> 10));
        let raw = own & 0xff | (needed - 1).div_ceil(4) << 8;
        let fits = self.decode(given.raw & 7 << 10 | raw, cx) == Some(value);
        fits.then_some(Partial { raw, known: 0x3ff })
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        if value.reg().is_some() {
            out.push_str(if self.n > 0 { ", " } else { "" });
            print(value, out);
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if self.n > 0 && !s.eat(",") { Some(Value::Int(0)) } else { parse(s) }
    }
}

fn print(value: Value, out: &mut Out) {
    let r = match value {
        Value::Reg(r) => r,
        Value::Int(n) if inline(n).is_some() => return out.push_int(n),
        other => {
            out.push_str("0x");
            return out.push_hex(u64::from(other.int().unwrap_or(0) as u32), 1);
        }
    };
    out.push_str(if r.mods & NEG != 0 { "-" } else { "" });
    out.push_str(if r.mods & ABS != 0 { "|" } else { "" });
    match NAMED.iter().find(|(index, _)| r.file == SGPR && *index == r.index) {
        Some((_, name)) => out.push_str(name),
        None => print_run(r, out),
    }
    out.push_str(if r.mods & ABS != 0 { "|" } else { "" });
}

fn print_run(r: Reg, out: &mut Out) {
    out.push(if r.file == VGPR { 'v' } else { 's' });
    if r.more == 0 {
        return out.push_int(r.index.into());
    }
    out.push('[');
    out.push_int(r.index.into());
    out.push(':');
    out.push_int((r.index + u16::from(r.more)).into());
    out.push(']');
}

const NAMED: [(u16, &str); 6] =
    [(106, "vcc_lo"), (107, "vcc_hi"), (124, "m0"), (OFF, "off"), (126, "exec_lo"), (127, "exec_hi")];

fn parse(s: &mut Cursor<'_>) -> Option<Value> {
    if let Some(n) = s.int() {
        return Some(Value::Int(
            i32::try_from(n).or_else(|_| u32::try_from(n).map(|n| n as i32)).map_or(n, i64::from),
        ));
    }
    let neg = if s.eat("-") { NEG } else { 0 };
    let abs = if s.eat("|") { ABS } else { 0 };
    let r = match s.name_in(&NAMED.map(|(_, name)| name)) {
        Some(at) => Reg { file: SGPR, index: NAMED[at].0, ..Reg::default() },
        None => parse_run(s)?,
    };
    if abs != 0 && !s.eat("|") {
        return s.fail("the second `|` is missing");
    }
    Some(Value::Reg(Reg { mods: neg | abs, ..r }))
}

fn parse_run(s: &mut Cursor<'_>) -> Option<Reg> {
    let Some(file) = s.name_in(&["v", "s"]) else { return s.fail("expected a register or a number") };
    let number = |s: &mut Cursor<'_>| s.int().and_then(|n| u16::try_from(n).ok()).filter(|n| *n < 256);
    let run = match s.eat_here("[") {
        true => number(s).and_then(|first| {
            let last = s.eat(":").then(|| number(s)).flatten().filter(|_| s.eat("]"))?;
            Some((first, u8::try_from(last.checked_sub(first)?).ok()?))
        }),
        false => number(s).map(|n| (n, 0)),
    };
    let Some((index, more)) = run else { return s.fail_last("no register has this number") };
    Some(Reg { file: file as u8, index, more, ..Reg::default() })
}
