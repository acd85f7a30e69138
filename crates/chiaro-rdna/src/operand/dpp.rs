//! The operands of DPP and SDWA dwords: lane patterns, masks, parts of registers.

use super::constant::{self, Number};
use super::register::register;
use super::source::{Signs, Source, Takes, constant_reg, covered, with_signs};
use crate::regs::{self, mods};
use chiaro_isa::{Covered, Cursor, Cx, Kind, Out, Partial, Reg, Value};

/// From which lane a lane of 16 reads (9 bits, spec 7).
pub struct Pattern;

/// From which lane a lane of 8 reads: eight numbers of three bits.
pub struct Eight;

/// Four bits that are always written, and are 15 where the text leaves them out.
pub struct FourBits(pub &'static str);

/// A part of a register, always written: `src0_sel:BYTE_1`; the whole where left out.
pub struct Part(pub &'static str);

/// What becomes of the rest of the destination, always written.
pub struct Unused;

/// A source of an SDWA instruction: register (8 bits), extension with the sign, sign,
/// absolute value, scalar. A scalar one may be a small constant by its code, as drivers
/// use it [LLVM, ACO].
pub struct Sdwa {
    /// Whether the number is a float, which can change its sign, or an integer, which can
    /// be extended.
    pub float: bool,
}

/// Destination of an SDWA comparison: a mask (7 bits), and whether there is one beside vcc.
pub struct SdwaMask;

/// Patterns with a number: text, first code, numbers from 0 or 1 on.
const NUMBERED: [(&str, u64, u64); 5] = [
    ("row_shl:", 0x100, 1),
    ("row_shr:", 0x110, 1),
    ("row_ror:", 0x120, 1),
    ("row_share:", 0x150, 0),
    ("row_xmask:", 0x160, 0),
];

/// Patterns without one.
const PLAIN: [(&str, u64); 2] = [("row_mirror", 0x140), ("row_half_mirror", 0x141)];

impl Kind for Pattern {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let numbered = NUMBERED.iter().any(|(_, base, first)| (base + first..base + 16).contains(&raw));
        let known = raw < 0x100 || numbered || PLAIN.iter().any(|(_, code)| *code == raw);
        known.then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let raw = u64::try_from(value.int()?).ok()?;
        self.decode(raw, cx)?;
        Partial::full(raw)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let raw = value.int().unwrap_or(0) as u64;
        if raw < 0x100 {
            out.push_str("quad_perm:");
            return print_list(raw, 4, 2, out);
        }
        match PLAIN.iter().find(|(_, code)| *code == raw) {
            Some((text, _)) => out.push_str(text),
            None => {
                let numbered = NUMBERED.iter().find(|(_, base, _)| raw & !15 == *base);
                out.push_str(numbered.map_or("", |(text, ..)| text));
                out.push_int((raw & 15) as i64);
            }
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if s.eat("quad_perm:") {
            return parse_list(s, 4, 2).map(Value::Int);
        }
        if let Some((_, base, first)) = NUMBERED.iter().find(|(text, ..)| s.eat(text)) {
            let n = s.int().and_then(|n| u64::try_from(n).ok()).filter(|n| (*first..16).contains(n));
            return match n {
                Some(n) => Some(Value::Int((base + n) as i64)),
                None => s.fail_last("a row has 16 lanes"),
            };
        }
        match PLAIN.iter().rev().find(|(text, _)| s.eat(text)) {
            Some((_, code)) => Some(Value::Int(*code as i64)),
            None => s.fail("expected a pattern of lanes such as row_shr:1"),
        }
    }
    fn about(&self) -> Option<String> {
        Some(
            "quad_perm, row_shl, row_shr, row_ror, row_mirror, row_half_mirror, row_share, row_xmask"
                .to_owned(),
        )
    }
}

impl Pattern {
    /// The lane that a lane reads; `None` if that lies outside of its row.
    pub fn lane(pattern: u64, lane: u32) -> Option<u32> {
        let (row, i, n) = (lane & !15, lane & 15, (pattern & 15) as u32);
        let from = match pattern >> 4 {
            0x0..=0xf => return Some(lane & !3 | (pattern >> (2 * (lane & 3)) & 3) as u32),
            0x10 => i + n,
            0x11 => i.wrapping_sub(n),
            0x12 => i.wrapping_sub(n) & 15,
            0x14 if n == 0 => 15 - i,
            0x14 => i & 8 | 7 - (i & 7),
            0x15 => n,
            _ => i ^ n,
        };
        (from < 16).then_some(row | from)
    }
}

impl Kind for Eight {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str("dpp8:");
        print_list(value.int().unwrap_or(0) as u64, 8, 3, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if s.eat("dpp8:") {
            parse_list(s, 8, 3).map(Value::Int)
        } else {
            s.fail("expected dpp8:[0,1,2,3,4,5,6,7]")
        }
    }
}

/// `[a,b,c]`, the lowest bits first.
pub(super) fn print_list(raw: u64, count: u32, bits: u32, out: &mut Out) {
    out.push('[');
    for i in 0..count {
        out.push_str(if i > 0 { "," } else { "" });
        out.push_int((raw >> (i * bits) & ((1 << bits) - 1)) as i64);
    }
    out.push(']');
}

/// Reads what [`print_list`] writes.
pub(super) fn parse_list(s: &mut Cursor<'_>, count: u32, bits: u32) -> Option<i64> {
    let mut raw = 0;
    for i in 0..count {
        let n = s.eat(if i > 0 { "," } else { "[" }).then(|| s.int()).flatten();
        match n.filter(|n| (0..1 << bits).contains(n)) {
            Some(n) => raw |= n << (i * bits),
            None => return s.fail("expected a list of small numbers such as [0,1,2,3]"),
        }
    }
    if s.eat("]") { Some(raw) } else { s.fail("the list has too many numbers") }
}

impl Kind for FourBits {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(self.0);
        out.push_str("0x");
        out.push_hex(value.int().unwrap_or(0) as u64, 1);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if !s.eat(self.0.trim()) {
            return Some(Value::Int(15));
        }
        s.int().map(Value::Int).or_else(|| s.fail("expected a number"))
    }
}

const PARTS: [&str; 7] = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"];

/// The number of `WORD_0` among them, that of `WORD_1` behind it.
#[cfg(feature = "compile")]
pub(crate) const HALF: u8 = 4;
/// The number of the whole register.
pub(crate) const WHOLE: u8 = 6;

impl Kind for Part {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        (raw < 7).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 7)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(self.0);
        out.push_str(PARTS.get(value.int().unwrap_or(0) as usize).unwrap_or(&""));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if !s.eat(self.0.trim()) {
            return Some(Value::Int(WHOLE.into()));
        }
        let found = s.name_in(&PARTS).map(|n| Value::Int(n as i64));
        found.or_else(|| s.fail("expected BYTE_0 to BYTE_3, WORD_0, WORD_1 or DWORD"))
    }
}

const REST: [&str; 3] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];

impl Kind for Unused {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        (raw < 3).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 3)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(" dst_unused:");
        out.push_str(REST.get(value.int().unwrap_or(0) as usize).unwrap_or(&""));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if !s.eat("dst_unused:") {
            return Some(Value::Int(2));
        }
        let found = s.name_in(&REST).map(|n| Value::Int(n as i64));
        found.or_else(|| s.fail("expected UNUSED_PAD, UNUSED_SEXT or UNUSED_PRESERVE"))
    }
}

/// Bits above the register: extension, sign, absolute value, scalar.
const SEXT_BIT: u32 = 8;
const NEG_BIT: u32 = 9;
const ABS_BIT: u32 = 10;
const SCALAR_BIT: u32 = 11;

/// How a source of SDWA is spelled, but for what is done to it.
static SDWA_SOURCE: Source =
    Source { number: Number::Word, count: 1, takes: Takes::SHORT, width: 9, signs: Signs::None };

impl Kind for Sdwa {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let flag = |bit: u32, flag: u16| (raw >> bit & 1) as u16 * flag;
        let changed = flag(SEXT_BIT, mods::SEXT) | flag(NEG_BIT, mods::NEG) | flag(ABS_BIT, mods::ABS);
        let allowed = if self.float { mods::NEG | mods::ABS } else { mods::SEXT };
        (changed & !allowed == 0).then_some(())?;
        let index = (raw & 0xff) as u16;
        let r = match raw >> SCALAR_BIT & 1 {
            0 => regs::vgpr(index),
            _ if index < 128 => regs::scalar_run(index, 1)?,
            _ if constant::is_number(index) => constant_reg(index),
            _ => return None,
        };
        Some(Value::Reg(Reg { mods: changed, ..r }))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let r = value.reg()?;
        let flag = |flag: u16, bit: u32| u64::from(r.mods & flag != 0) << bit;
        let scalar = u64::from(r.file != regs::file::VGPR) << SCALAR_BIT;
        let changed = flag(mods::SEXT, SEXT_BIT) | flag(mods::NEG, NEG_BIT) | flag(mods::ABS, ABS_BIT);
        let raw = u64::from(r.index) & 0xff | changed | scalar;
        (self.decode(raw, cx)? == value).then_some(())?;
        Partial::full(raw)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        SDWA_SOURCE.print(value, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        if !s.eat("sext(") {
            return with_signs(s, |s| SDWA_SOURCE.parse(s, cx));
        }
        let r = SDWA_SOURCE.parse(s, cx)?.reg()?;
        let r = Value::Reg(Reg { mods: mods::SEXT, ..r });
        if s.eat(")") { Some(r) } else { s.fail("expected `)`") }
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        covered(value)
    }
}

impl Kind for SdwaMask {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let count = if cx.wave == 64 { 2 } else { 1 };
        match (raw & 0x7f, raw >> 7) {
            (0, 0) => Some(Value::Reg(regs::run(regs::file::SGPR, regs::code::VCC_LO, count))),
            (index, 1) if index != u64::from(regs::code::VCC_LO) => {
                regs::scalar_run(index as u16, count).map(Value::Reg)
            }
            _ => None,
        }
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let index = u64::from(value.reg()?.index);
        let raw = if index == u64::from(regs::code::VCC_LO) { 0 } else { index | 0x80 };
        (self.decode(raw, cx)? == value).then_some(())?;
        Partial::full(raw)
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
