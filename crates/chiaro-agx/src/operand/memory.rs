//! Operands of memory operations: data, addresses, indices (spec 3.5, 8).

use super::alu::{at, half_number, halves, joined};
use super::name::{self, number, registers};
use crate::regs::{GPR_HALVES, file, mods, size};
use chiaro_isa::{Covered, Cursor, Cx, Kind, Out, Partial, Reg, Value};

/// How many registers a run has, by the bits of other fields above its own.
type Count = fn(u64) -> u8;

/// A run of registers: bits of other fields, number in halves (8 bits), whether they have 32 bits.
pub struct Run(pub Count);

/// One register for each element of a mask.
pub static BY_MASK: Run = Run(|mask| (mask & 15).count_ones() as u8);
/// One register for each component, 0 meaning four.
pub static BY_COUNT: Run = Run(components);
/// Three coefficients for each component.
pub static TRIPLES: Run = Run(|count| 3 * components(count));
/// Four registers.
pub static FOUR: Run = Run(|_| 4);

fn components(count: u64) -> u8 {
    if count & 3 == 0 { 4 } else { count as u8 & 3 }
}

impl Kind for Run {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let size = if raw & 1 == 1 { size::WORD } else { size::HALF };
        let r = at(file::GPR, size, (raw >> 1) as u16 & 0xff);
        Some(Value::Reg(match (self.0)(raw >> 9) {
            0 => Reg { mods: r.mods | mods::UNUSED, ..r },
            n => Reg { more: n - 1, ..r },
        }))
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR && r.index < 256 && r.swizzle == 0)?;
        let wide = match r.size {
            size::HALF if r.mods & mods::ODD == 0 => 0,
            size::WORD => 1,
            _ => return None,
        };
        let named = if r.mods & mods::UNUSED != 0 { 0 } else { r.more + 1 };
        let own = half_number(r) << 1 | wide;
        if r.mods & !(mods::ODD | mods::UNUSED) != 0 {
            return None;
        }
        if given.known >> 9 & 3 == 0 {
            // Where the fields that decide the number are still open, the registers decide them.
            let others = (0..4).find(|others| (self.0)(*others) == named)?;
            return Some(Partial { raw: others << 9 | own, known: 0x7ff });
        }
        let asked = (self.0)(given.raw >> 9);
        if asked != named {
            // The fields that decide the number are at odds with this one.
            return (given.known > 0x1ff)
                .then_some(Partial { raw: own | !given.raw & !0x1ff, known: given.known });
        }
        Some(Partial { raw: own, known: 0x1ff })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        value.reg().into_iter().for_each(|r| name::print(r, out, cx));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        registers(s).map(Value::Reg)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn says(&self, _: u64, _: u64) -> Option<&'static str> {
        Some("has its number of registers")
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("", 8), ("t", 1)]
    }
}

/// An address: whether it is in uniforms (1 bit), half number (8 bits).
pub struct Base;

impl Kind for Base {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let file = if raw >> 8 == 1 { file::UNIFORM } else { file::GPR };
        Some(Value::Reg(at(file, size::LONG, raw as u16 & 0xff)))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = joined(value.reg()?);
        let fits = r.size == size::LONG && r.more == 0 && r.index < 256 && r.mods & !mods::ODD == 0;
        let uniform = match r.file {
            _ if !fits || r.swizzle != 0 => return None,
            file::GPR => 0,
            file::UNIFORM => 1 << 8,
            _ => return None,
        };
        Partial::full(uniform | half_number(r))
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        value.reg().into_iter().for_each(|r| name::print(r, out, cx));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let r = registers(s)?;
        if joined(r).size == size::LONG {
            return Some(Value::Reg(joined(r)));
        }
        s.fail_last("an address is in two registers, such as r2_r3 or u4_u5")
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("t", 1), ("", 8)]
    }
}

/// An index: whether it is a signed number (1 bit), the number or the half number (`bits` bits).
pub struct Index {
    /// Width of the number.
    pub bits: u8,
    /// Size of the register.
    pub size: u8,
}

/// An index of device memory.
pub static DEVICE: Index = Index { bits: 16, size: size::WORD };
/// An index of threadgroup memory.
pub static THREADGROUP: Index = Index { bits: 16, size: size::HALF };

impl Kind for Index {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let n = raw as u16;
        match raw >> self.bits & 1 {
            1 => Some(Value::Int((n as i16).into())),
            _ => (n < 256).then(|| Value::Reg(at(file::GPR, self.size, n))),
        }
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = match value {
            Value::Int(n) => {
                return Partial::full(1 << self.bits | u64::from(i16::try_from(n).ok()? as u16));
            }
            Value::Reg(r) => r,
            Value::Symbol(_) => return None,
        };
        let odd = if self.size == size::WORD { mods::ODD } else { 0 };
        let fits = r.file == file::GPR && r.size == self.size && r.more == 0 && r.swizzle == 0;
        (fits && r.index < 256 && r.mods & !odd == 0).then(|| Partial::full(half_number(r)))?
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        match value {
            Value::Int(n) => out.push_int(n),
            Value::Reg(r) => name::print(r, out, cx),
            Value::Symbol(_) => {}
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.skip_blanks();
        let start = s.at();
        let Some(n) = number(s) else { return registers(s).map(Value::Reg) };
        match n {
            -0x8000..=0x7fff => Some(Value::Int(n)),
            // What applegpu writes for a number of 16 bits.
            0x8000..=0xffff => Some(Value::Int(n - 0x1_0000)),
            _ => s.fail_at(start..s.at(), "an index is -32768 to 32767; larger ones go through a register"),
        }
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("t", 1), ("", 16)]
    }
}

/// A base in threadgroup memory: type (2 bits), half number (8 bits).
pub struct ThreadgroupBase;

impl Kind for ThreadgroupBase {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let n = raw as u16 & 0xff;
        Some(match raw >> 8 & 3 {
            0 => Value::Reg(at(file::GPR, size::HALF, n)),
            1 => Value::Reg(at(file::UNIFORM, size::HALF, n)),
            3 => Value::Reg(at(file::UNIFORM, size::HALF, n + 256)),
            _ if n == 0 => Value::Int(0),
            // The number means nothing where there is no base.
            _ => Value::Reg(Reg { mods: mods::UNUSED, ..at(file::GPR, size::HALF, n) }),
        })
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = match value {
            Value::Int(0) => return Partial::full(2 << 8),
            Value::Reg(r) if r.size == size::HALF && r.more == 0 && r.swizzle == 0 => r,
            _ => return None,
        };
        let n = u64::from(r.index);
        match (r.file, r.mods) {
            (file::GPR, 0) if n < 256 => Partial::full(n),
            (file::GPR, mods::UNUSED) if n < 256 => Partial::full(2 << 8 | n),
            (file::UNIFORM, 0) if n < 512 => Partial::full((n >> 8 << 1 | 1) << 8 | n & 0xff),
            _ => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        match value.reg() {
            Some(r) if r.mods & mods::UNUSED == 0 || cx.dialect == super::OURS => name::print(r, out, cx),
            _ => out.push('0'),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if s.eat("0") {
            return Some(Value::Int(0));
        }
        registers(s).map(Value::Reg)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("t", 2), ("", 8)]
    }
}

/// What an atomic returns: whether there is a result, half number (8 bits) and, in threadgroup
/// memory, whether it has 32 bits.
pub struct Result {
    /// Whether the size is a bit.
    pub sized: bool,
}

impl Kind for Result {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (there, n, wide) = match self.sized {
            true => (raw >> 9 == 1, (raw >> 1) as u16 & 0xff, raw & 1 == 1),
            false => (raw >> 8 == 1, raw as u16 & 0xff, true),
        };
        let r = at(file::GPR, if wide { size::WORD } else { size::HALF }, n);
        Some(match there {
            true => Value::Reg(r),
            false if raw == 0 => Value::Reg(NOTHING),
            false => Value::Reg(Reg { mods: r.mods | mods::UNUSED, ..r }),
        })
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.more == 0 && r.swizzle == 0)?;
        if r.file == file::NONE {
            return Partial::full(0);
        }
        let there = u64::from(r.mods & mods::UNUSED == 0);
        let fits = r.file == file::GPR && r.index < 256 && r.mods & !(mods::UNUSED | mods::ODD) == 0;
        match (r.size, self.sized) {
            _ if !fits => None,
            (size::HALF, true) if r.mods & mods::ODD == 0 => Partial::full(there << 9 | half_number(r) << 1),
            (size::WORD, true) => Partial::full(there << 9 | half_number(r) << 1 | 1),
            (size::WORD, false) => Partial::full(there << 8 | half_number(r)),
            _ => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        print_or_none(value, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        parse_or_none(s)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        if self.sized { &[("a", 1), ("", 8), ("t", 1)] } else { &[("t", 1), ("", 8)] }
    }
}

/// No operand.
pub(super) const NOTHING: Reg =
    Reg { file: file::NONE, size: 0, more: 0, indexed: 0, index: 0, mods: 0, swizzle: 0 };

/// applegpu writes `None` whatever the number says.
pub(super) fn print_or_none(value: Value, out: &mut Out, cx: &Cx) {
    match value.reg() {
        Some(r) if r.file == file::NONE => out.push_str("None"),
        Some(r) if r.mods & mods::UNUSED != 0 && cx.dialect != super::OURS => out.push_str("None"),
        Some(r) => name::print(r, out, cx),
        None => {}
    }
}

pub(super) fn parse_or_none(s: &mut Cursor<'_>) -> Option<Value> {
    match s.eat("None") {
        true => Some(Value::Reg(NOTHING)),
        false => registers(s).map(Value::Reg),
    }
}

/// What an atomic works with: the operation (4 bits), half number (8 bits). An exchange that
/// compares takes two registers.
pub struct Operand;

const CMPXCHG: u64 = 3;

impl Kind for Operand {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let r = at(file::GPR, size::WORD, raw as u16 & 0xff);
        Some(Value::Reg(Reg { more: u8::from(raw >> 8 == CMPXCHG), ..r }))
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR && r.size == size::WORD && r.index < 256)?;
        let asked = u8::from(given.raw >> 8 & 15 == CMPXCHG);
        let fits = r.mods & !mods::ODD == 0 && r.swizzle == 0 && r.more == asked;
        fits.then(|| Partial { raw: half_number(r), known: 0xff })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        value.reg().into_iter().for_each(|r| name::print(r, out, cx));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        registers(s).map(Value::Reg)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("", 8)]
    }
}

/// A uniform pair by the number of its first 32-bit register, in steps of so many registers.
pub struct UniformPair(pub u16);

impl Kind for UniformPair {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let index = raw as u16 * self.0 * 2;
        Some(Value::Reg(Reg { file: file::UNIFORM, size: size::LONG, index, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().map(joined).filter(|r| r.file == file::UNIFORM && r.size == size::LONG)?;
        let fits = r.more == 0 && r.mods == 0 && r.swizzle == 0 && r.index.is_multiple_of(2 * self.0);
        fits.then(|| Partial::full(u64::from(r.index / (2 * self.0))))?
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        value.reg().into_iter().for_each(|r| name::print(r, out, cx));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        registers(s).map(|r| Value::Reg(joined(r)))
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
}

/// A number of a file: coefficients, texture and sampler states.
pub struct Numbered(pub u8);

impl Kind for Numbered {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Reg(Reg { file: self.0, size: size::WORD, index: raw as u16, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == self.0 && r.more == 0 && r.mods == 0)?;
        Partial::full(r.index.into())
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        value.reg().into_iter().for_each(|r| name::print(r, out, cx));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        registers(s).map(Value::Reg)
    }
    fn covers(&self, _: Value) -> Option<Covered> {
        None
    }
}

/// The addresses of a block copy: whether there are five of them (1 bit) or three, whether they are
/// in uniforms (1 bit), number of the first 32-bit register (8 bits).
pub struct BlockLayout;

/// Where a block copy goes: whether it is in uniforms (1 bit), half number (6 bits).
pub struct BlockBase;

impl Kind for BlockLayout {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let file = if raw >> 8 & 1 == 1 { file::UNIFORM } else { file::GPR };
        let (more, index) = (if raw >> 9 == 1 { 4 } else { 2 }, (raw as u16 & 0xff) * 2);
        let there = file == file::UNIFORM || index < GPR_HALVES;
        there.then_some(Value::Reg(Reg { file, size: size::WORD, index, more, ..Reg::default() }))
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.size == size::WORD && r.mods == 0 && r.swizzle == 0)?;
        let more = if given.raw >> 9 & 1 == 1 { 4 } else { 2 };
        let uniform = match r.file {
            file::GPR => 0,
            file::UNIFORM => 1 << 8,
            _ => return None,
        };
        (r.more == more && r.index < 512)
            .then(|| Partial { raw: uniform | u64::from(r.index / 2), known: 0x1ff })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        value.reg().into_iter().for_each(|r| name::print(r, out, cx));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        registers(s).map(Value::Reg)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("t", 1), ("", 8)]
    }
}

impl Kind for BlockBase {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let file = if raw >> 6 == 1 { file::UNIFORM } else { file::GPR };
        Some(Value::Reg(at(file, size::LONG, raw as u16 & 63)))
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        let bits = Base.encode(value, given, cx)?.raw;
        (bits & 0xff < 64).then(|| Partial::full(bits >> 8 << 6 | bits & 63))?
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        Base.print(value, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        Base.parse(s, cx)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("t", 1), ("", 6)]
    }
}
