//! Places in the code and conditions.

use super::name::number;
use crate::operand::ABSOLUTE;
use chiaro_isa::{Cursor, Cx, Kind, Label, Out, Partial, Value};

/// A place, as a signed distance in bytes from the start of the branch.
pub struct Jump(pub Label);

/// A place within reach of `bits` bits.
pub const fn jump(bits: u8) -> Jump {
    Jump(Label { scale: 1, relative: bits, from: 0 })
}

impl Kind for Jump {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        self.0.decode(raw, cx)
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        self.0.encode(value, given, cx)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Value::Int(place) = value else { return };
        if let Some(name) = cx.symbols.and_then(|s| s.name_at(place as u64)) {
            return out.push_str(name);
        }
        if cx.options & ABSOLUTE != 0 && place >= 0 {
            out.push_str("0x");
            return out.push_hex(place as u64, 1);
        }
        let distance = place.wrapping_sub(cx.address as i64);
        out.push_str(if distance < 0 { "pc-" } else { "pc+" });
        out.push_int(distance.wrapping_abs());
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        s.skip_blanks();
        let start = s.at();
        if s.eat_here("pc+") {
            if let Some(n) = number(s) {
                return Some(Value::Int((cx.address as i64).wrapping_add(n)));
            }
        } else if s.eat_here("pc-") {
            let Some(n) = number(s) else { return s.fail("expected a number") };
            return Some(Value::Int((cx.address as i64).wrapping_sub(n)));
        } else if let Some(n) = number(s) {
            return Some(Value::Int(n));
        }
        let Some(name) = s.ident() else { return s.fail("expected pc+N, pc-N, a label or an address") };
        let found = cx.symbols.and_then(|symbols| symbols.target(name));
        found.or_else(|| s.fail_at(start..s.at(), "there is no label of this name"))
    }
    fn contextual(&self) -> bool {
        true
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        None
    }
}

/// A condition: whether it is inverted (1 bit, if it can be), then which (3 bits).
pub struct Condition {
    names: &'static [&'static str; 16],
    inverts: bool,
}

/// Of integers (spec 3.6).
pub static INTEGER: Condition = Condition { names: &INTEGERS, inverts: true };
/// Of floats.
pub static FLOAT: Condition = Condition { names: &FLOATS, inverts: true };
/// Of integers, in a select.
pub static SELECT_INTEGER: Condition = Condition { names: &INTEGERS, inverts: false };
/// Of floats, in a select.
pub static SELECT_FLOAT: Condition = Condition { names: &FLOATS, inverts: false };

/// Codes 3 and 7 are unknown.
static INTEGERS: [&str; 16] = [
    "ueq", "ult", "ugt", "cc3", "seq", "slt", "sgt", "cc7", "nueq", "ugte", "ulte", "ncc3", "nseq", "sgte",
    "slte", "ncc7",
];
/// Code 4 is unknown.
static FLOATS: [&str; 16] = [
    "eq", "lt", "gt", "ltn", "cc4", "gte", "lte", "gtn", "neq", "nlt", "ngt", "nltn", "ncc4", "ngte", "nlte",
    "ngtn",
];

impl Kind for Condition {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        (raw < if self.inverts { 16 } else { 8 }).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let n = u64::try_from(value.int()?).ok()?;
        (n < if self.inverts { 16 } else { 8 }).then(|| Partial::full(n))?
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(self.names[value.int().unwrap_or(0) as usize & 15]);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.skip_blanks();
        let start = s.at();
        let word = s.ident().unwrap_or("");
        match self.names.iter().position(|name| *name == word) {
            Some(n) if n < 8 || self.inverts => Some(Value::Int(n as i64)),
            Some(_) => s.fail_at(
                start..s.at(),
                "a select has no inverted conditions; exchange its last two operands",
            ),
            None => s.fail_at(start..s.at(), "expected a condition"),
        }
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        if self.inverts { &[("n", 1), ("", 3)] } else { &[] }
    }
    fn about(&self) -> Option<String> {
        let count = if self.inverts { 16 } else { 8 };
        let named = self.names[..count].iter().enumerate();
        Some(named.map(|(n, name)| format!("{n} {name}")).collect::<Vec<_>>().join(", "))
    }
}
