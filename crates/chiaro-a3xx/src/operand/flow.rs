//! Category 0: predicates and places in the code. spec section 5.

use crate::operand::{PGMDUMP_2013, number};
use crate::regs::{file, mods};
use chiaro_isa::{Cursor, Cx, Kind, Out, Partial, Reg, Value};

/// A predicate component: component in bits 0-1, inverted in bit 2.
pub(crate) struct Predicate;

/// A distance in instructions, counted from the instruction that holds it.
pub(crate) struct Distance;

impl Kind for Predicate {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let mods = if raw >> 2 == 1 { mods::NOT } else { 0 };
        Some(Value::Reg(Reg { file: file::PREDICATE, index: raw as u16 & 3, mods, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::PREDICATE && r.index < 4)?;
        Partial::full(u64::from(r.index) | u64::from(r.mods & mods::NOT != 0) << 2)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let Some(r) = value.reg() else { return };
        out.push_str(if r.mods & mods::NOT != 0 { "!p0." } else { "p0." });
        out.push(char::from(b"xyzw"[usize::from(r.index & 3)]));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let mods = if s.eat("!") { mods::NOT } else { 0 };
        let component = s.eat("p0.").then(|| s.take_here(|c| b"xyzw".contains(&c))).flatten();
        let Some(index) = component.and_then(|c| "xyzw".find(c)) else {
            return s.fail("expected a predicate, as in p0.x or !p0.x");
        };
        Some(Value::Reg(Reg { file: file::PREDICATE, index: index as u16, mods, ..Reg::default() }))
    }
}

/// The distance that the bits of a branch mean on this machine: binaries of A3xx hold 16
/// bits or 32, and instruction memory is far below 2^15, so that there is no doubt
/// [old header, spec section 5].
pub(crate) fn distance(raw: u32) -> i32 {
    match raw >> 16 {
        0 => i32::from(raw as u16 as i16),
        _ => raw as i32,
    }
}

impl Kind for Distance {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(i64::from(raw as u32 as i32)))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let n = i32::try_from(value.int()?).ok()?;
        match cx.dialect == PGMDUMP_2013 && i16::try_from(n).is_ok() {
            // The assembler of 2013 writes 16 bits.
            true => Partial::full(u64::from(n as u16)),
            false => Partial::full(u64::from(n as u32)),
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let n = number(value);
        out.push('#');
        let place = (cx.address / 8) as i64 + i64::from(distance(n as u32));
        let label = cx.symbols.and_then(|s| s.name_at(u64::try_from(place).ok()?));
        match label {
            Some(name) => out.push_str(name),
            None if cx.dialect == PGMDUMP_2013 => out.push_int(i64::from(n as i16)),
            None => out.push_int(n),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        if !s.eat("#") {
            return s.fail("expected a distance or label, as in #4 or #l12");
        }
        if let Some(n) = s.int() {
            return match i32::try_from(n) {
                Ok(n) => Some(Value::Int(i64::from(n))),
                Err(_) => s.fail_last("a distance has 32 bits"),
            };
        }
        let Some(name) = s.ident() else { return s.fail("expected a number or a label") };
        match cx.symbols.and_then(|symbols| symbols.target(name)) {
            Some(Value::Int(place)) => Some(Value::Int(place - (cx.address / 8) as i64)),
            Some(symbol) => Some(symbol),
            None => s.fail_last("there is no label of this name"),
        }
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((i64::from(i32::MIN), i64::from(i32::MAX)))
    }
    fn contextual(&self) -> bool {
        true
    }
}
