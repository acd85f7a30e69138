//! Category 1: moves and conversions. Types decide how wide source and destination are.
//! spec section 6.

use crate::operand::flags::{is_half, types};
use crate::operand::register::{modifiers, offset_bits, offset_style, print_relative};
use crate::operand::{COMPAT, MESA, number, print_name, register};
use crate::regs::{A0, P0, file, mods, size};
use chiaro_isa::{Cursor, Cx, Kind, Leading, Out, Partial, Reg, Value};
use chiaro_num::{Encoding, F16, Overflow, Rounding as Direction, Tiny};
use std::fmt::Write as _;

/// Both types, the source's in the upper three bits: equal ones in a copy, else not.
pub(crate) struct Types {
    /// Whether both are the same.
    pub(crate) same: bool,
}

/// Destination: register byte, relative, type.
pub(crate) struct CopyDest;

/// Source: 32 bits, type, step. `constant` tells constants from registers.
pub(crate) struct CopySource {
    /// Whether the form is that of constants.
    pub(crate) constant: bool,
}

/// Immediate: 32 bits, type.
pub(crate) struct CopyImmediate;

/// How a conversion rounds.
pub(crate) struct Rounding;

impl Types {
    fn fits(&self, raw: u64) -> bool {
        (raw >> 3 == raw & 7) == self.same
    }
}

impl Kind for Types {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        self.fits(raw).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let raw = u64::try_from(value.int()?).ok().filter(|n| *n < 64)?;
        Partial::full(self.fits(raw).then_some(raw)?)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let raw = number(value) as usize;
        out.push_str(types(cx.dialect)[raw >> 3 & 7]);
        out.push_str(types(cx.dialect)[raw & 7]);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let start = s.at();
        let [from, to] = [(); 2].map(|()| s.name_in(types(cx.dialect)));
        let Some((from, to)) = from.zip(to) else {
            return s.fail("expected the types of source and destination, as in f32f16");
        };
        let raw = (from << 3 | to) as u64;
        match (self.fits(raw), self.same) {
            (true, _) => Some(Value::Int(raw as i64)),
            (false, true) => s.fail_at(start..s.at(), "mov copies between equal types; cov converts"),
            (false, false) => s.fail_at(start..s.at(), "cov converts between two types; mov copies"),
        }
    }
    fn about(&self) -> Option<String> {
        Some("source type, then destination type".to_owned())
    }
}

fn size_of(code: u64) -> u8 {
    if is_half(code) { size::HALF } else { size::FULL }
}

/// What a type says where an operand disagrees with it.
fn says(code: u64) -> &'static str {
    if is_half(code) { "is a half register" } else { "is a full register" }
}

impl Kind for CopyDest {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (index, relative, code) = ((raw & 0xff) as u16, raw >> 8 & 1, raw >> 9);
        let half = is_half(code) && (relative == 1 || index < P0);
        let size = if half { size::HALF } else { size::FULL };
        let file = if relative == 1 { file::RELATIVE } else { file::GPR };
        Some(Value::Reg(Reg { file, size, index, indexed: relative as u8, ..Reg::default() }))
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg()?;
        let relative = u64::from(r.file == file::RELATIVE);
        let free = relative == 0 && (A0..).contains(&r.index);
        let fits = free || size_of(given.raw >> 9) == r.size;
        let known = matches!(r.file, file::GPR | file::RELATIVE) && r.index < 256;
        // A register of the other size contradicts the type.
        let code = u64::from(r.size == size::FULL) << 9;
        let bits = if fits { 0x1ff } else { 0xfff };
        known.then_some(Partial { raw: code | relative << 8 | u64::from(r.index), known: bits })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Some(r) = value.reg() else { return };
        match r.file {
            file::RELATIVE => {
                out.push_str(if r.size == size::HALF { "hr<a0.x" } else { "r<a0.x" });
                if r.index != 0 || cx.dialect != MESA {
                    out.push_str(" + ");
                    out.push_int(i64::from(r.index));
                }
                out.push('>');
            }
            _ => print_name(r, out),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.skip_blanks();
        let start = s.at();
        let r = register(s)?;
        match r.file {
            file::GPR => Some(Value::Reg(r)),
            file::RELATIVE if r.index < 256 => Some(Value::Reg(r)),
            file::RELATIVE => s.fail_at(start..s.at(), "a destination's offset from a0.x is 0 to 255"),
            _ => s.fail_at(start..s.at(), "a constant cannot be written"),
        }
    }
    fn says(&self, raw: u64, _: u64) -> Option<&'static str> {
        Some(says(raw >> 9))
    }
}

impl CopySource {
    /// Bits of the operand itself; type and step lie above.
    fn width(&self) -> u32 {
        if self.constant { 11 } else { 12 }
    }
}

impl Kind for CopySource {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let width = self.width();
        let (bits, code, step) = (raw & ((1 << width) - 1), raw >> width & 7, raw >> (width + 3));
        let mods = if step == 1 { mods::STEP } else { 0 };
        let offset = ((bits << 54) as i64 >> 54) as u16;
        let (file, index) = match (self.constant, bits >> 10) {
            (true, _) => (file::CONST, bits as u16),
            (false, 0) if bits < 256 => (file::GPR, bits as u16),
            (false, 0b10) => (file::RELATIVE, offset),
            (false, 0b11) => (file::RELATIVE_CONST, offset),
            _ => return None,
        };
        let indexed = u8::from(file == file::RELATIVE || file == file::RELATIVE_CONST);
        Some(Value::Reg(Reg { file, size: size_of(code), index, mods, indexed, ..Reg::default() }))
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        let (width, r) = (self.width(), value.reg().filter(|r| r.mods & !mods::STEP == 0)?);
        let index = u64::from(r.index);
        let bits = match (self.constant, r.file) {
            (true, file::CONST) if index < 0x800 => index,
            (false, file::GPR) if index < 256 => index,
            (false, file::RELATIVE) => 0b10 << 10 | offset_bits(r, cx.dialect)?,
            (false, file::RELATIVE_CONST) => 0b11 << 10 | offset_bits(r, cx.dialect)?,
            _ => return None,
        };
        // The older dialect writes no `h` behind a0.x.
        let sized = size_of(given.raw >> width & 7) == r.size || r.indexed == 1 && cx.dialect != MESA;
        let step = u64::from(r.mods & mods::STEP != 0) << (width + 3);
        let code = u64::from(r.size == size::FULL) << width;
        let known = (1 << width) - 1 | 1 << (width + 3) | if sized { 0 } else { 7 << width };
        Some(Partial { raw: bits | step | code, known })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Some(r) = value.reg() else { return };
        if r.mods & mods::STEP != 0 {
            out.push_str("(r)");
        }
        match r.indexed {
            0 => print_name(r, out),
            _ => print_relative(r, offset_style(cx.dialect, true), out),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.skip_blanks();
        let start = s.at();
        let mods = modifiers(s);
        if mods & !mods::STEP != 0 {
            return s.fail_at(start..s.at(), "mov and cov change no signs; absneg.f and absneg.s do");
        }
        Some(Value::Reg(Reg { mods, ..register(s)? }))
    }
    /// Low registers and constants of every type.
    fn leading(&self) -> Option<Leading> {
        let (types, above) = (7 << self.width(), (1 << self.width()) - 0x100);
        Some(Leading { which: types | 0xff, changes: above | 8 << self.width(), except: u64::MAX })
    }
    fn says(&self, raw: u64, _: u64) -> Option<&'static str> {
        Some(says(raw >> self.width() & 7))
    }
}

/// What an immediate of a type looks like: bits in, text out.
impl CopyImmediate {
    fn print_code(code: u64, bits: u32, out: &mut Out, cx: &Cx) {
        let _ = match code {
            0 if cx.dialect == MESA => {
                out.push('h');
                return print_float(f64::from(F16.decode_f32(bits)), |x| half_bits(x) == bits, bits, out, cx);
            }
            0 | 1 => {
                let exact = |x: f64| (x as f32).to_bits() == bits;
                return print_float(f64::from(f32::from_bits(bits)), exact, bits, out, cx);
            }
            3 if cx.dialect == MESA && bits > 0x1000 => write!(out, "0x{bits:x}"),
            4 if cx.dialect == MESA => write!(out, "{}", bits as u16 as i16),
            5 => write!(out, "{}", bits as i32),
            _ if cx.dialect != MESA => write!(out, "{}", bits as i32),
            _ => write!(out, "{bits}"),
        };
    }

    /// The bits of a number in a type, if it holds it.
    fn bits(code: u64, n: i64) -> Option<u64> {
        let fits = match code {
            0 | 2 => (0..=0xffff).contains(&n),
            4 => (-0x8000..=0xffff).contains(&n),
            6 | 7 => (0..=0xffff).contains(&n),
            _ => (-0x8000_0000..=0xffff_ffff).contains(&n),
        };
        let mask = if is_half(code) { 0xffff } else { 0xffff_ffff };
        fits.then_some(n as u64 & mask)
    }
}

/// The nearest binary16, as everybody rounds.
pub(crate) fn half_bits(x: f64) -> u32 {
    const NEAREST: Encoding =
        Encoding { rounding: Direction::NearestEven, tiny: Tiny::Keep, overflow: Overflow::Directed };
    F16.encode(x, NEAREST)
}

/// Six digits as Mesa prints them, which lose most small numbers; unless its exact text is
/// asked for, those get as many digits as they need, and what is no number its bits.
fn print_float(x: f64, exact: impl Fn(f64) -> bool, bits: u32, out: &mut Out, cx: &Cx) {
    let start = out.len();
    let _ = write!(out, "({x:.6})");
    if cx.options & COMPAT != 0 || cx.dialect != MESA {
        return;
    }
    let text = &out.as_str()[start + 1..out.len() - 1];
    if text.parse::<f64>().is_ok_and(&exact) && x.is_finite() {
        return;
    }
    out.truncate(start);
    let _ = match x.is_finite() {
        true => write!(out, "({x:e})"),
        false => write!(out, "(0x{bits:x})"),
    };
}

/// What kind of number the value holds: a float in brackets,
const FLOAT: i64 = 1 << 40;
/// a half float,
pub(crate) const HALF_FLOAT: i64 = 1 << 41;
/// Unsigned numbers of 32 bits, which are written in hexadecimal from 0x1001 on.
const UNSIGNED: i64 = 1 << 42;

impl Kind for CopyImmediate {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let (bits, code) = (raw & 0xffff_ffff, raw >> 32);
        Some(Value::Int(match code {
            0 => HALF_FLOAT | bits as i64 & 0xffff,
            1 => FLOAT | bits as i64,
            // The older dialect shows the 16 bits of s16 as they stand.
            4 if cx.dialect == MESA => i64::from(bits as u16 as i16),
            5 => i64::from(bits as u32 as i32),
            3 => UNSIGNED | bits as i64,
            _ => bits as i64 & 0xffff,
        }))
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        let (n, code) = (value.int()?, given.raw >> 32 & 7);
        let raw = match (code, n) {
            (1, n) if n >= 0 && n & FLOAT != 0 => n as u64 & 0xffff_ffff,
            (0, n) if n >= 0 && n & HALF_FLOAT != 0 => n as u64 & 0xffff,
            // The older dialect shows the bits of a half float as a float.
            (0, n) if n >= 0 && n & FLOAT != 0 && cx.dialect != MESA => n as u64 & 0xffff,
            (0 | 1, _) => return None,
            (3, n) if n >= 0 && n & UNSIGNED != 0 => n as u64 & 0xffff_ffff,
            (code, n) => CopyImmediate::bits(code, n)?,
        };
        Some(Partial { raw, known: 0xffff_ffff })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let n = number(value);
        let code = match n {
            n if n < 0 => 5,
            n if n & FLOAT != 0 => 1,
            n if n & HALF_FLOAT != 0 => 0,
            n if n & UNSIGNED != 0 => 3,
            n if n > 0xffff => 5,
            _ => 2,
        };
        CopyImmediate::print_code(code, n as u32, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.skip_blanks();
        let start = s.at();
        if s.eat("h(") {
            return float(s, half_bits).map(|bits| Value::Int(HALF_FLOAT | i64::from(bits)));
        }
        if s.eat("(") {
            return float(s, |x| (x as f32).to_bits()).map(|bits| Value::Int(FLOAT | i64::from(bits)));
        }
        let Some(n) = s.int() else { return s.fail("expected a number, or a float in brackets") };
        match s.eat_here(".") {
            true => s.fail_at(start..s.at(), "a float immediate stands in brackets, as in (1.5)"),
            false => Some(Value::Int(n)),
        }
    }
    fn says(&self, raw: u64, _: u64) -> Option<&'static str> {
        Some(says(raw >> 32))
    }
}

/// A float and its closing bracket: as a number, or as its bits in hexadecimal.
fn float(s: &mut Cursor<'_>, bits_of: impl Fn(f64) -> u32) -> Option<u32> {
    let text = s.take(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b'+')).unwrap_or("");
    let bits = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse::<f64>().ok().map(bits_of),
    };
    let Some(bits) = bits else { return s.fail_last("expected a float, as in (1.5)") };
    if s.eat(")") { Some(bits) } else { s.fail("expected `)`") }
}

impl Kind for Rounding {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64 & 3))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 4)?)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        // pgmdump reads the field as two flags.
        let last = if cx.dialect == MESA { "(neg_infinity)" } else { "(even)(pos_infinity)" };
        out.push_str(["", "(even)", "(pos_infinity)", last][number(value) as usize & 3]);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        if cx.dialect != MESA {
            let flags = i64::from(s.eat("(even)")) | i64::from(s.eat("(pos_infinity)")) << 1;
            return Some(Value::Int(flags));
        }
        let named = s.name_in(&["(even)", "(pos_infinity)", "(neg_infinity)"]);
        Some(Value::Int(named.map_or(0, |n| n as i64 + 1)))
    }
    fn about(&self) -> Option<String> {
        Some("0 toward zero, 1 to nearest even, 2 up, 3 down".to_owned())
    }
}
