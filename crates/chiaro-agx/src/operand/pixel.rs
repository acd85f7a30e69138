//! Operands of interpolation, coverage and the tilebuffer (spec 9.4 to 9.6).

use super::alu::{at, half_number, halves};
use super::memory::NOTHING;
use super::name::{self, number, registers};
use crate::operand::OURS;
use crate::regs::{file, mods, size};
use chiaro_isa::{Covered, Cursor, Cx, Kind, Out, Partial, Reg, Value};

/// Where a varying is taken; whether a sample is a number or in a register is left to the operand.
pub struct Interpolation;

const PLACES: [&str; 3] = ["center", "sample", "centroid"];

impl Kind for Interpolation {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(if raw == 3 { 1 } else { raw as i64 }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        match value.int()? {
            1 => Some(Partial { raw: 1, known: 1 }),
            n @ (0 | 2) => Partial::full(n as u64),
            _ => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(PLACES[value.int().unwrap_or(0) as usize % 3]);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.name_in(&PLACES)
            .map(|n| Value::Int(n as i64))
            .or_else(|| s.fail("expected `center`, `sample` or `centroid`"))
    }
    fn says(&self, raw: u64, _: u64) -> Option<&'static str> {
        Some(if raw & 1 == 1 { "is `sample`" } else { "is no `sample`" })
    }
    fn about(&self) -> Option<String> {
        Some("0 center, 1 sample by number, 2 centroid, 3 sample by register".to_owned())
    }
}

/// Which sample, with the comma before it: where the varying is taken (2 bits), a number (8 bits).
pub struct Sample;

impl Kind for Sample {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let n = raw as u16 & 0xff;
        Some(match raw >> 8 {
            1 => Value::Int(n.into()),
            3 => Value::Reg(at(file::GPR, size::HALF, n)),
            _ if n == 0 => Value::Reg(NOTHING),
            _ => Value::Reg(Reg { mods: mods::UNUSED, ..at(file::GPR, size::HALF, n) }),
        })
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let r = match value {
            Value::Int(n) => {
                let n = u64::try_from(n).ok().filter(|n| *n < 256)?;
                return Some(Partial { raw: 1 << 8 | n, known: 0x3ff });
            }
            Value::Reg(r) if r.more == 0 && r.swizzle == 0 && r.index < 256 => r,
            _ => return None,
        };
        let taken = given.raw >> 8 & 1 == 1;
        match (r.file, r.size, r.mods) {
            // A sample has to be named.
            (file::NONE, ..) => (!taken).then_some(Partial { raw: 0, known: 0xff }),
            (file::GPR, size::HALF, 0) => Some(Partial { raw: 3 << 8 | half_number(r), known: 0x3ff }),
            (file::GPR, size::HALF, mods::UNUSED) if r.index > 0 && !taken => {
                Some(Partial { raw: half_number(r), known: 0xff })
            }
            _ => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        match value {
            Value::Int(n) => {
                out.push_str(", ");
                out.push_int(n);
            }
            Value::Reg(r) if r.file != file::NONE && (r.mods == 0 || cx.dialect == OURS) => {
                out.push_str(", ");
                name::print(r, out, cx);
            }
            _ => {}
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let before = s.at();
        if s.eat(",") {
            if let Some(n) = number(s) {
                return Some(Value::Int(n));
            }
            s.skip_blanks();
            let rest = s.rest().as_bytes();
            let register = matches!(rest, [b'r', b'0'..=b'9', ..] | [b'(', ..]);
            if register {
                return registers(s).map(Value::Reg);
            }
        }
        s.rewind(before);
        Some(Value::Reg(NOTHING))
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        halves(value)
    }
    fn says(&self, _: u64, _: u64) -> Option<&'static str> {
        Some("is there")
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[("", 8)]
    }
}

/// Depth and stencil: whether there is a stencil and a depth (2 bits), half number (8 bits).
pub struct DepthStencil;

impl Kind for DepthStencil {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let r = at(file::GPR, size::HALF, raw as u16 & 0xff);
        Some(Value::Reg(match raw >> 8 {
            0 => Reg { mods: mods::UNUSED, ..r },
            1 => Reg { more: 1, ..r },
            2 => r,
            _ => Reg { more: 2, ..r },
        }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR && r.index < 256 && r.swizzle == 0)?;
        let written = match (r.size, r.more, r.mods) {
            (size::HALF, 0, mods::UNUSED) => 0,
            (size::HALF, 1, 0) => 1,
            (size::HALF, 0, 0) => 2,
            (size::HALF, 2, 0) => 3,
            // A depth has 32 bits: that is how it may be written too.
            (size::WORD, 0, 0) => 1,
            _ => return None,
        };
        Partial::full(written << 8 | half_number(r))
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
