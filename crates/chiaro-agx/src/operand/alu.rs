//! Operands of arithmetic: results, sources, the sources of a select (spec 3.2, 3.3).

use super::minifloat;
use super::name::{self, number, registers};
use crate::operand::{APPLEGPU, COMPAT};
use crate::regs::{file, mods, size};
use chiaro_isa::{Covered, Cursor, Cx, Kind, Out, Partial, Reg, Value};

/// A result: number in halves (8 bits), then size and cache hint (2 bits).
pub struct Dest {
    /// Whether an odd number of a 32-bit result means a 64-bit one.
    pub long: bool,
    /// Whether it is two registers of its size.
    pub pair: bool,
}

/// The usual result.
pub static DEST: Dest = Dest { long: false, pair: false };
/// A result of up to 64 bits.
pub static DEST_LONG: Dest = Dest { long: true, pair: false };
/// A result of two registers.
pub static DEST_PAIR: Dest = Dest { long: false, pair: true };

/// What may stand behind a source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Signs {
    /// Nothing.
    None,
    /// Sign extension: one bit.
    Extend,
    /// Absolute value and sign: two bits.
    Float,
}

/// A source: what stands behind it, number (8 bits), type (3 or 4 bits).
pub struct Source {
    /// Whether immediates are floats.
    pub float: bool,
    /// What may stand behind it.
    pub signs: Signs,
    /// Whether the type has four bits, so that there are 32-bit sources.
    pub wide: bool,
    /// Whether there are 64-bit sources.
    pub long: bool,
    /// Whether it is two registers of its size.
    pub pair: bool,
}

const PLAIN: Source = Source { float: false, signs: Signs::None, wide: true, long: false, pair: false };
/// An integer source.
pub static INTEGER: Source = PLAIN;
/// An integer source of up to 64 bits.
pub static LONG: Source = Source { long: true, ..PLAIN };
/// An integer source that may be sign-extended.
pub static EXTENDED: Source = Source { signs: Signs::Extend, ..PLAIN };
/// As that, of up to 64 bits.
pub static EXTENDED_LONG: Source = Source { signs: Signs::Extend, long: true, ..PLAIN };
/// A float source.
pub static FLOAT: Source = Source { float: true, signs: Signs::Float, ..PLAIN };
/// A source of 16 bits.
pub static HALF: Source = Source { float: true, signs: Signs::Float, wide: false, ..PLAIN };
/// Two floats.
pub static FLOAT_PAIR: Source = Source { float: true, signs: Signs::Float, pair: true, ..PLAIN };

/// A register at a half number, which a size above a half wants even.
pub(super) fn at(file: u8, size: u8, half: u16) -> Reg {
    let odd = if size > size::HALF && half & 1 == 1 { mods::ODD } else { 0 };
    let index = if size > size::HALF { half & !1 } else { half };
    Reg { file, size, index, mods: odd, ..Reg::default() }
}

/// The half number of a register.
pub(super) fn half_number(r: Reg) -> u64 {
    u64::from(r.index) | u64::from(r.mods & mods::ODD != 0)
}

/// The registers of an operand in halves; none if it has none.
pub(crate) fn halves(value: Value) -> Option<Covered> {
    let r = value.reg().filter(|r| matches!(r.file, file::GPR | file::UNIFORM))?;
    if r.mods & mods::UNUSED != 0 {
        return None;
    }
    let count = u16::from(r.size) * (u16::from(r.more) + 1) + r.swizzle;
    Some(Covered { file: r.file, first: r.index, count, parts: u16::MAX })
}

/// 64-bit registers are read as a run of two.
pub(super) fn joined(r: Reg) -> Reg {
    match (r.size, r.more) {
        (size::WORD, 1) => Reg { size: size::LONG, more: 0, ..r },
        _ => r,
    }
}

impl Kind for Dest {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (half, wide, cache) = ((raw >> 2) as u16 & 0xff, raw >> 1 & 1 == 1, raw as u16 & 1);
        let size = match wide {
            false => size::HALF,
            true if self.long && half & 1 == 1 => size::LONG,
            true => size::WORD,
        };
        let r = at(file::GPR, size, half);
        let odd = if size == size::LONG { 0 } else { r.mods };
        Some(Value::Reg(Reg { mods: odd | cache * mods::CACHE, more: self.pair.into(), ..r }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR && r.swizzle == 0)?;
        let r = if self.long { joined(r) } else { r };
        let fits = r.index < 256 && r.mods & !(mods::CACHE | mods::ODD) == 0 && r.more == u8::from(self.pair);
        let half = match r.size {
            _ if !fits => return None,
            size::LONG => u64::from(r.index) | 1,
            size::HALF if r.mods & mods::ODD != 0 => return None,
            _ => half_number(r),
        };
        Partial::full(half << 2 | u64::from(r.size > size::HALF) << 1 | u64::from(r.mods & mods::CACHE))
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
    fn says(&self, raw: u64, bits: u64) -> Option<&'static str> {
        (bits >> 1 & 1 == 1).then_some(if raw >> 1 & 1 == 1 { "has 32 bits" } else { "has 16 bits" })
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("", 8), ("t", 2)]
    }
}

/// Bits of hints in a type.
fn hint(r: Reg) -> Option<u64> {
    match r.mods & (mods::CACHE | mods::DISCARD) {
        0 => Some(1),
        mods::CACHE => Some(2),
        mods::DISCARD => Some(3),
        _ => None,
    }
}

/// The hint of the two low bits of a type.
fn hinted(kind: u64) -> u16 {
    [0, 0, mods::CACHE, mods::DISCARD][kind as usize & 3]
}

impl Source {
    fn type_bits(&self) -> u32 {
        if self.wide { 4 } else { 3 }
    }

    /// What the bits above the number put behind the operand.
    fn signs_of(&self, bits: u64) -> u16 {
        match self.signs {
            Signs::None => 0,
            Signs::Extend => (bits as u16 & 1) * mods::EXTEND,
            Signs::Float => (bits as u16 & 3) * mods::ABS,
        }
    }

    fn sign_bits(&self, set: u16) -> Option<u64> {
        let (bits, all) = match self.signs {
            Signs::None => (0, 0),
            Signs::Extend => (set / mods::EXTEND & 1, mods::EXTEND),
            Signs::Float => (set / mods::ABS & 3, mods::ABS | mods::NEG),
        };
        let others = set & (mods::EXTEND | mods::ABS | mods::NEG | mods::UNUSED) & !all;
        (others == 0).then_some(bits.into())
    }

    /// Type and number of a register.
    fn place(&self, r: Reg) -> Option<(u64, u64)> {
        let half = half_number(r);
        let uniform = r.file == file::UNIFORM && r.mods & (mods::CACHE | mods::DISCARD) == 0 && half < 512;
        let general = r.file == file::GPR && half < 256;
        Some(match r.size {
            size::HALF if uniform => (4 | half >> 8, half & 0xff),
            size::WORD if uniform && self.wide => (6 | half >> 8, half & 0xff),
            size::HALF if general => (hint(r)?, half),
            size::WORD if general && self.wide => (8 | hint(r)?, half),
            size::LONG if general && self.long => (12 | hint(r)?, half),
            _ => return None,
        })
    }
}

impl Kind for Source {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let bits = self.type_bits();
        let (kind, n) = (raw & ((1 << bits) - 1), (raw >> bits) as u16 & 0xff);
        let high = n | (kind as u16 & 1) << 8;
        let r = match kind {
            0 => Reg { file: file::IMMEDIATE, index: n, ..Reg::default() },
            1..=3 => at(file::GPR, size::HALF, n),
            4 | 5 => at(file::UNIFORM, size::HALF, high),
            6 | 7 if self.wide => at(file::UNIFORM, size::WORD, high),
            9..=11 => at(file::GPR, size::WORD, n),
            13..=15 if self.long => at(file::GPR, size::LONG, n),
            _ => return None,
        };
        let hint = if matches!(r.file, file::GPR) { hinted(kind) } else { 0 };
        let signs = self.signs_of(raw >> (bits + 8));
        let more = u8::from(self.pair && r.file != file::IMMEDIATE);
        Some(Value::Reg(Reg { mods: r.mods | hint | signs, more, ..r }))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.swizzle == 0)?;
        let mut r = if self.long { joined(r) } else { r };
        if self.pair && cx.options & COMPAT != 0 {
            // applegpu's assembler drops the signs of matrices (spec 12).
            r.mods &= !(mods::ABS | mods::NEG);
        }
        let signs = self.sign_bits(r.mods)? << (self.type_bits() + 8);
        let other = mods::CACHE | mods::DISCARD | mods::ODD;
        if r.file == file::IMMEDIATE {
            let fits = r.index < 256 && r.mods & other == 0;
            return fits.then(|| Partial::full(signs | u64::from(r.index) << self.type_bits()))?;
        }
        let odd_half = r.size == size::HALF && r.mods & mods::ODD != 0;
        if r.more != u8::from(self.pair) || odd_half {
            return None;
        }
        let (kind, n) = self.place(r)?;
        Partial::full(signs | n << self.type_bits() | kind)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        match value.reg() {
            Some(r) if r.file == file::IMMEDIATE && self.float => {
                out.push_short(&minifloat::TEXTS[usize::from(r.index & 0xff)]);
                name::print_suffixes(r.mods, out, cx);
            }
            Some(r) => name::print(r, out, cx),
            None => {}
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        immediate(s, self.float)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((0, 255))
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        match (self.signs, self.wide) {
            (Signs::None, true) => &[("", 8), ("t", 4)],
            (Signs::None, false) => &[("", 8), ("t", 3)],
            (Signs::Extend, _) => &[("s", 1), ("", 8), ("t", 4)],
            (Signs::Float, true) => &[("m", 2), ("", 8), ("t", 4)],
            (Signs::Float, false) => &[("m", 2), ("", 8), ("t", 3)],
        }
    }
}

/// Reads a register, or an immediate with what may stand behind it. An integer where a float is
/// wanted is its code (spec 12).
fn immediate(s: &mut Cursor<'_>, float: bool) -> Option<Value> {
    s.skip_blanks();
    if !s.peek().is_some_and(|c| c.is_ascii_digit() || c == '-') {
        return registers(s).map(Value::Reg);
    }
    let start = s.at();
    let index = match float.then(|| fraction(s)).flatten() {
        Some(value) => match minifloat::code(value) {
            Some(code) => u16::from(code),
            None => {
                let why =
                    "no immediate has this value: 0 to 15/64 in steps of 1/64, above that 5 digits up to 31";
                return s.fail_at(start..s.at(), why);
            }
        },
        None => {
            let Some(n) = number(s) else { return s.fail("expected a register or a number") };
            match u16::try_from(n).ok().filter(|n| *n < 256) {
                Some(n) => n,
                None => {
                    return s.fail_at(start..s.at(), "an immediate is 0 to 255; load others with mov_imm");
                }
            }
        }
    };
    let mods = name::suffixes(s);
    Some(Value::Reg(Reg { file: file::IMMEDIATE, index, mods, ..Reg::default() }))
}

/// A number with a point or an exponent.
fn fraction(s: &mut Cursor<'_>) -> Option<f64> {
    let start = s.at();
    let text = s.take_here(|c| c.is_ascii_digit() || matches!(c, b'-' | b'.'))?;
    let text = text.strip_suffix('.').unwrap_or(text);
    match text.contains('.').then(|| text.parse()) {
        Some(Ok(value)) => {
            s.rewind(start + text.len());
            Some(value)
        }
        _ => {
            s.rewind(start);
            None
        }
    }
}

/// A source of a select: whether the result has 32 bits (1 bit), number (8 bits), type (3 bits).
pub struct Selected;

impl Kind for Selected {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (kind, n, wide) = (raw & 7, (raw >> 3) as u16 & 0xff, raw >> 11 == 1);
        let size = if wide { size::WORD } else { size::HALF };
        let r = match kind {
            4 => Reg { file: file::IMMEDIATE, index: n, ..Reg::default() },
            1..=3 => at(file::GPR, size, n),
            6 | 7 => at(file::UNIFORM, size, n | (kind as u16 & 1) << 8),
            _ => return None,
        };
        let hint = if r.file == file::GPR { hinted(kind) } else { 0 };
        Some(Value::Reg(Reg { mods: r.mods | hint, ..r }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.more == 0 && r.swizzle == 0)?;
        let half = half_number(r);
        let hints = r.mods & (mods::CACHE | mods::DISCARD);
        let allowed = hints | if r.size == size::WORD { mods::ODD } else { 0 };
        let kind = match r.file {
            _ if r.mods & !allowed != 0 => return None,
            file::IMMEDIATE if half < 256 && hints == 0 => {
                return Some(Partial { raw: half << 3 | 4, known: 0x7ff });
            }
            file::GPR if half < 256 => hint(r)?,
            file::UNIFORM if half < 512 && hints == 0 => 6 | half >> 8,
            _ => return None,
        };
        let wide = match r.size {
            size::HALF => 0,
            size::WORD => 1 << 11,
            _ => return None,
        };
        Partial::full(wide | (half & 0xff) << 3 | kind)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Some(mut r) = value.reg() else { return };
        if cx.dialect == APPLEGPU && r.file == file::UNIFORM {
            // applegpu does not look at the ninth bit (spec 13).
            r.index &= 0xff;
        }
        name::print(r, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        immediate(s, false)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn says(&self, raw: u64, bits: u64) -> Option<&'static str> {
        (bits >> 11 & 1 == 1).then_some(if raw >> 11 & 1 == 1 { "has 32 bits" } else { "has 16 bits" })
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("", 8), ("t", 3)]
    }
}

/// A general register without a hint.
pub struct General {
    size: u8,
    /// Halves for each step of the number.
    step: u16,
}

/// A 32-bit register by its number.
pub static WORD: General = General { size: size::WORD, step: 2 };
/// A 32-bit register by the number of its half.
pub static WORD_BY_HALF: General = General { size: size::WORD, step: 1 };
/// A half register.
pub static HALF_REGISTER: General = General { size: size::HALF, step: 1 };

impl Kind for General {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Reg(at(file::GPR, self.size, raw as u16 * self.step)))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR && r.size == self.size && r.index < 256)?;
        let odd = if self.step == 1 && self.size == size::WORD { mods::ODD } else { 0 };
        let fits = r.more == 0 && r.mods & !odd == 0 && r.swizzle == 0;
        fits.then(|| Partial::full(half_number(r) / u64::from(self.step)))?
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
}
