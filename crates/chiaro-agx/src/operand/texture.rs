//! Operands of texture and image operations (spec 9.1 to 9.3).

use super::alu::{at, half_number, halves, joined};
use super::memory::{self, NOTHING, print_or_none};
use super::name::{self, number, registers};
use crate::operand::OURS;
use crate::regs::{file, mods, size};
use chiaro_isa::{Covered, Cursor, Cx, Kind, Out, Partial, Reg, Value};

/// Coordinates: the shape (4 bits), whether they have 16 bits, half number (8 bits), whether they are
/// read for the last time.
pub struct Coordinates;

/// By shape: halves of 16-bit coordinates, and of 32-bit ones. Those of even size are 32-bit
/// registers; in the others a half holds layer or sample behind them.
const COORDINATES: [(u8, u8); 9] = [(1, 2), (2, 3), (2, 4), (3, 5), (3, 5), (3, 6), (3, 6), (4, 7), (4, 5)];

impl Kind for Coordinates {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (narrow, wide) = *COORDINATES.get((raw >> 10) as usize)?;
        let (half, discard) = ((raw >> 1) as u16 & 0xff, raw as u16 & 1);
        let (size, count) = match raw >> 9 & 1 {
            1 => (size::HALF, narrow),
            _ if wide.is_multiple_of(2) => (size::WORD, wide / 2),
            _ => (size::HALF, wide),
        };
        let r = at(file::GPR, size, half);
        Some(Value::Reg(Reg { more: count - 1, mods: r.mods | discard * mods::DISCARD, ..r }))
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR && r.index < 256 && r.swizzle == 0)?;
        let count = (r.more + 1) * r.size;
        let (narrow, wide) = *COORDINATES.get((given.raw >> 10 & 15) as usize)?;
        let short = match r.size {
            size::HALF if count == narrow => 1,
            size::HALF if count == wide && wide % 2 == 1 => 0,
            size::WORD if count == wide => 0,
            _ => return None,
        };
        let odd = if r.size == size::WORD { mods::ODD } else { 0 };
        let discard = u64::from(r.mods & mods::DISCARD != 0);
        let raw = short << 9 | half_number(r) << 1 | discard;
        (r.mods & !(mods::DISCARD | odd) == 0).then_some(Partial { raw, known: 0x3ff })
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
        &[("s", 1), ("", 8), ("t", 1)]
    }
}

/// How the level of detail is found; whether its operand is in uniforms is left to the operand.
pub struct LevelMode;

/// By the low two bits and the highest one.
const LEVELS: [&str; 8] = ["auto_lod", "auto_lod_bias", "lod_min", "", "", "auto_lod_bias_min", "", ""];

impl Kind for LevelMode {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(match raw {
            5 | 6 | 13 => (raw & !4) as i64,
            _ => raw as i64,
        }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let n = u64::try_from(value.int()?).ok()?;
        let open = if matches!(n, 1 | 2 | 9) { 4 } else { 0 };
        (n < 16 && !matches!(n, 5 | 6 | 13)).then_some(Partial { raw: n, known: 15 & !open })
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let n = value.int().unwrap_or(0);
        match n {
            4 => out.push_str("lod_grad"),
            12 => out.push_str("lod_grad_min"),
            0..=2 => out.push_str(LEVELS[n as usize]),
            9 => out.push_str(LEVELS[5]),
            _ => out.push_int(n),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let names = ["auto_lod", "auto_lod_bias", "lod_min", "lod_grad", "lod_grad_min", "auto_lod_bias_min"];
        if let Some(n) = s.name_in(&names) {
            return Some(Value::Int([0, 1, 2, 4, 12, 9][n]));
        }
        number(s).map(Value::Int).or_else(|| s.fail("expected how the level of detail is found"))
    }
}

/// The operand of the level of detail: how it is found (4 bits), the shape (4 bits), a number (8 bits).
pub struct Level;

/// By shape: 32-bit registers of gradients.
const GRADIENTS: [u8; 9] = [2, 2, 4, 4, 4, 6, 6, 6, 4];

impl Kind for Level {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (mode, shape, n) = (raw >> 12, raw >> 8 & 15, raw as u16 & 0xff);
        let gradients = GRADIENTS.get(shape as usize);
        let run = |size, count: u8, file| Some(Value::Reg(Reg { more: count - 1, ..at(file, size, n) }));
        match mode {
            0 if n == 0 => Some(Value::Int(0)),
            0 => Some(Value::Reg(Reg {
                file: file::IMMEDIATE,
                index: n,
                mods: mods::UNUSED,
                ..Reg::default()
            })),
            1 | 2 => run(size::HALF, 1, file::UNIFORM),
            9 => run(size::HALF, 2, file::UNIFORM),
            5 | 6 => run(size::HALF, 1, file::GPR),
            13 => run(size::HALF, 2, file::GPR),
            4 => run(size::WORD, *gradients?, file::GPR),
            12 => run(size::WORD, *gradients? + 1, file::GPR),
            _ => Some(Value::Reg(Reg { file: file::IMMEDIATE, index: n, ..Reg::default() })),
        }
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        // Where the mode leaves it open, the operand says whether it is a uniform.
        let open = given.known >> 14 & 1 == 0;
        let mode = given.raw >> 12 & 11;
        let general = value.reg().is_some_and(|r| r.file == file::GPR);
        let high = match open {
            true => mode | u64::from(general) << 2,
            false => given.raw >> 12 & 15,
        };
        let shape = given.raw >> 8 & 15;
        let n = match value {
            Value::Int(n) => u64::try_from(n).ok().filter(|n| *n < 256)?,
            Value::Reg(r) => half_number(r),
            Value::Symbol(_) => return None,
        };
        let raw = high << 12 | shape << 8 | n;
        // A plain number is one of an unknown mode.
        let same = match (self.decode(raw, cx)?, value) {
            (Value::Reg(r), Value::Int(n)) => {
                r.file == file::IMMEDIATE && i64::from(r.index) == n && r.mods == 0
            }
            (mine, yours) => mine == yours,
        };
        (n < 256 && same).then_some(Partial { raw, known: 0xff | u64::from(open) << 14 })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        match value {
            Value::Int(n) => out.push_int(n),
            Value::Reg(r) if r.mods & mods::UNUSED != 0 && cx.dialect != OURS => out.push('0'),
            Value::Reg(r) => name::print(r, out, cx),
            Value::Symbol(_) => {}
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        number_or_registers(s)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("", 8)]
    }
}

/// A number, a number in parentheses, or registers.
fn number_or_registers(s: &mut Cursor<'_>) -> Option<Value> {
    if let Some(n) = number(s) {
        return Some(Value::Int(n));
    }
    let before = s.at();
    if s.eat("(")
        && let Some(n) = number(s).and_then(|n| u16::try_from(n).ok())
        && s.eat(")")
    {
        return Some(Value::Reg(Reg {
            file: file::IMMEDIATE,
            index: n,
            mods: mods::UNUSED,
            ..Reg::default()
        }));
    }
    s.rewind(before);
    registers(s).map(Value::Reg)
}

/// The uniforms of a bindless base: whether there is one (1 bit), number of the pair (5 bits).
pub struct Bindless;

impl Kind for Bindless {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let index = (raw as u16 & 31) * 4;
        let r = Reg { file: file::UNIFORM, size: size::LONG, index, ..Reg::default() };
        Some(Value::Reg(match raw {
            0 => NOTHING,
            1..=31 => Reg { mods: mods::UNUSED, ..r },
            _ => r,
        }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = joined(value.reg()?);
        if r.file == file::NONE {
            return Partial::full(0);
        }
        let fits = r.file == file::UNIFORM && r.size == size::LONG && r.more == 0 && r.swizzle == 0;
        let n = u64::from(r.index / 4);
        match r.mods {
            _ if !fits || !r.index.is_multiple_of(4) || n > 31 => None,
            0 => Partial::full(32 | n),
            mods::UNUSED if n > 0 => Partial::full(n),
            _ => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        print_or_none(value, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let value = memory::parse_or_none(s)?;
        Some(value.reg().map_or(value, |r| Value::Reg(joined(r))))
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("", 5)]
    }
}

/// A texture: type (2 bits), number (8 bits). The first bit of the type says whether it is bindless.
pub struct Texture;

impl Kind for Texture {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let n = raw as u16 & 0xff;
        Some(match raw >> 8 & 3 {
            0 => Value::Reg(Reg { file: file::TEXTURE, size: size::WORD, index: n, ..Reg::default() }),
            2 if n == 0 => Value::Int(0),
            1 | 2 => Value::Reg(at(file::GPR, size::HALF, n)),
            _ => Value::Reg(at(file::GPR, size::WORD, n)),
        })
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let r = match value {
            Value::Int(0) => return Partial::full(2 << 8),
            Value::Reg(r) if r.more == 0 && r.swizzle == 0 && r.mods & !mods::ODD == 0 => r,
            _ => return None,
        };
        let n = half_number(r);
        match (r.file, r.size) {
            _ if n > 255 => None,
            (file::TEXTURE, _) if r.mods == 0 => Partial::full(r.index.into()),
            (file::GPR, size::HALF) if r.mods == 0 => {
                Partial::full((if given.raw >> 9 & 1 == 1 { 2 } else { 1 }) << 8 | n)
            }
            (file::GPR, size::WORD) => Partial::full(3 << 8 | n),
            _ => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        match value {
            Value::Int(n) => out.push_int(n),
            Value::Reg(r) => name::print(r, out, cx),
            Value::Symbol(_) => {}
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        number_or_registers(s)
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("t", 2), ("", 8)]
    }
}

/// The image of a block write, which has no operand that says whether it is bindless: a 16-bit
/// offset says so itself.
pub struct BlockImage;

impl Kind for BlockImage {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let value = Texture.decode(raw, cx)?;
        let offset = |r: Reg| Reg { indexed: u8::from(raw >> 8 == 2), ..r };
        Some(value.reg().map_or(value, |r| Value::Reg(offset(r))))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let offset = value.reg().is_some_and(|r| r.indexed == 1);
        let plain = value.reg().map_or(value, |r| Value::Reg(Reg { indexed: 0, ..r }));
        let given = Partial { raw: u64::from(offset) << 9, known: 0x200 };
        Texture.encode(plain, given, cx).filter(|put| !offset || put.raw >> 8 == 2)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        Texture.print(value, out, cx);
        if cx.dialect == OURS && value.reg().is_some_and(|r| r.indexed == 1) {
            out.push_str(".bindless");
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let value = Texture.parse(s, cx)?;
        let offset = u8::from(s.eat_here(".bindless"));
        Some(value.reg().map_or(value, |r| Value::Reg(Reg { indexed: offset, ..r })))
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        Texture.parts()
    }
}

/// A number of a file or a half register: whether it is a register (1 bit), number (8 bits).
pub struct Either {
    /// The file of the number; [`IMMEDIATE`](file::IMMEDIATE) for plain numbers.
    pub file: u8,
    /// What the bit says for a register.
    pub register: u64,
}

/// A sampler.
pub static SAMPLER: Either = Either { file: file::SAMPLER, register: 1 };
/// A coefficient.
pub static COEFFICIENT: Either = Either { file: file::COEFFICIENT, register: 1 };
/// A number where the bit is clear.
pub static NUMBER_IF_CLEAR: Either = Either { file: file::IMMEDIATE, register: 1 };
/// A number where the bit is set.
pub static NUMBER_IF_SET: Either = Either { file: file::IMMEDIATE, register: 0 };

impl Kind for Either {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let n = raw as u16 & 0xff;
        if raw >> 8 == self.register {
            return Some(Value::Reg(at(file::GPR, size::HALF, n)));
        }
        if self.file == file::IMMEDIATE {
            return Some(Value::Int(n.into()));
        }
        Some(Value::Reg(Reg { file: self.file, size: size::WORD, index: n, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let other = (self.register ^ 1) << 8;
        match value {
            Value::Int(n) if self.file == file::IMMEDIATE => {
                Partial::full(other | u64::try_from(n).ok().filter(|n| *n < 256)?)
            }
            Value::Reg(r) if r.mods != 0 || r.more != 0 || r.swizzle != 0 || r.index > 255 => None,
            Value::Reg(r) if r.file == file::GPR && r.size == size::HALF => {
                Partial::full(self.register << 8 | u64::from(r.index))
            }
            Value::Reg(r) if r.file == self.file => Partial::full(other | u64::from(r.index)),
            _ => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        match value {
            Value::Int(n) => out.push_int(n),
            Value::Reg(r) => name::print(r, out, cx),
            Value::Symbol(_) => {}
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        match number(s) {
            Some(n) => Some(Value::Int(n)),
            None => registers(s).map(Value::Reg),
        }
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((0, 255))
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("t", 1), ("", 8)]
    }
}

/// What is compared with and how far the texels are offset, with the comma before it: whether there
/// is a comparison (1 bit) and an offset (1 bit), half number (8 bits).
pub struct Offset;

impl Kind for Offset {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let n = raw as u16 & 0xff;
        Some(Value::Reg(match raw >> 8 {
            0 if n == 0 => NOTHING,
            0 => Reg { mods: mods::UNUSED, ..at(file::GPR, size::HALF, n) },
            1 => at(file::GPR, size::HALF, n),
            2 => at(file::GPR, size::WORD, n),
            // The offset stands two halves behind the reference, which begins at an even one.
            _ => Reg { swizzle: 1 + (n & 1), mods: 0, ..at(file::GPR, size::WORD, n) },
        }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.more == 0)?;
        let n = half_number(r);
        Partial::full(match (r.size, r.swizzle, r.mods) {
            _ if r.file == file::NONE => 0,
            _ if r.file != file::GPR || n > 255 => return None,
            (size::HALF, 0, mods::UNUSED) if n > 0 => n,
            (size::HALF, 0, 0) => 1 << 8 | n,
            (size::WORD, 0, 0 | mods::ODD) => 2 << 8 | n,
            (size::WORD, 1 | 2, 0) => 3 << 8 | u64::from(r.index + r.swizzle - 1),
            _ => return None,
        })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Some(r) = value.reg() else { return };
        let shown = r.mods & mods::UNUSED == 0 || cx.dialect == OURS;
        if r.file == file::NONE || !shown {
            return;
        }
        out.push_str(", ");
        name::print(r, out, cx);
        if r.swizzle != 0 {
            out.push('_');
            name::print(at(file::GPR, size::HALF, r.index + 1 + r.swizzle), out, cx);
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        match s.eat(",") {
            true => registers(s).map(Value::Reg),
            false => Some(Value::Reg(NOTHING)),
        }
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn says(&self, raw: u64, bits: u64) -> Option<&'static str> {
        (bits >> 9 & 1 == 1).then_some(if raw >> 9 & 1 == 1 { "has a reference" } else { "has no reference" })
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("t", 1), ("", 8)]
    }
}
