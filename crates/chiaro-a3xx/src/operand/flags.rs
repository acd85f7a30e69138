//! Modifiers that are names: types, conditions, flags.

use crate::operand::{MESA, number};
use chiaro_isa::{Cursor, Cx, Kind, Out, Partial, Value};

/// Types of data, by code; the last is `s8` in the older dialect [isaspec, old header].
pub(crate) const TYPES: [&str; 8] = ["f16", "f32", "u16", "u32", "s16", "s32", "u8", "u8_32"];
const TYPES_OLD: [&str; 8] = ["f16", "f32", "u16", "u32", "s16", "s32", "u8", "s8"];

/// Whether text writes registers of a type as half ones; type 7 too, although Mesa's
/// compiler takes it for full [runs].
pub(crate) const fn is_half(code: u64) -> bool {
    !matches!(code & 7, 1 | 3 | 5)
}

/// The names of types in a dialect.
pub(super) const fn types(dialect: u8) -> &'static [&'static str; 8] {
    if dialect == MESA { &TYPES } else { &TYPES_OLD }
}

/// A type of data.
pub(crate) struct Type;

/// A type of atomics, where the seventh is wide [runs].
pub(crate) struct AtomicType;

const ATOMIC: [&str; 8] = ["f16", "f32", "u16", "u32", "s16", "s32", "u64", "u8_32"];

impl Kind for AtomicType {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        Type.decode(raw, cx)
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        Type.encode(value, given, cx)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(ATOMIC[number(value) as usize & 7]);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let named = s.name_in(&ATOMIC);
        named.map(|n| Value::Int(n as i64)).or_else(|| s.fail("expected a type, such as u32"))
    }
}

impl Kind for Type {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64 & 7))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 8)?)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        out.push_str(types(cx.dialect)[number(value) as usize & 7]);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let named = s.name_in(types(cx.dialect));
        named.map(|n| Value::Int(n as i64)).or_else(|| s.fail("expected a type, such as f32"))
    }
    fn says(&self, raw: u64, _: u64) -> Option<&'static str> {
        Some(if is_half(raw) { "is a type of 16 bits" } else { "is a type of 32 bits" })
    }
    fn about(&self) -> Option<String> {
        Some(TYPES.iter().enumerate().map(|(i, name)| format!("{i} {name}")).collect::<Vec<_>>().join(", "))
    }
}

/// The relation of a comparison; 6 and 7 have no name [isaspec].
pub(crate) struct Condition;

const CONDITIONS: [&str; 8] = ["lt", "le", "gt", "ge", "eq", "ne", "6", "7"];

impl Kind for Condition {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64 & 7))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 8)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(CONDITIONS[number(value) as usize & 7]);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let named = s.name_in(&CONDITIONS);
        named.map(|n| Value::Int(n as i64)).or_else(|| s.fail("a relation is lt, le, gt, ge, eq or ne"))
    }
    fn about(&self) -> Option<String> {
        let named = CONDITIONS.iter().enumerate().take(6);
        Some(named.map(|(i, name)| format!("{i} {name}")).collect::<Vec<_>>().join(", "))
    }
}

/// One of two words, by one bit.
pub(crate) struct Switch(pub(crate) &'static str, pub(crate) &'static str);

impl Kind for Switch {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64 & 1))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 2)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(if number(value) == 1 { self.1 } else { self.0 });
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let named = s.name_in(&[self.0, self.1]);
        named.map(|n| Value::Int(n as i64)).or_else(|| s.fail("expected one of two words"))
    }
    fn about(&self) -> Option<String> {
        Some(format!("0 {}, 1 {}", self.0, self.1))
    }
}

/// A mask of components in brackets.
pub(crate) struct Letters;

impl Kind for Letters {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64 & 15))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 16)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push('(');
        let named = "xyzw".chars().enumerate().filter(|(i, _)| number(value) >> i & 1 == 1);
        named.for_each(|(_, c)| out.push(c));
        out.push(')');
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if !s.eat("(") {
            return s.fail("expected the components written, as in (xyzw)");
        }
        let (mut mask, mut least) = (0, 0);
        while let Some(name) = s.take_here(|c| b"xyzw".contains(&c)) {
            for i in name.chars().filter_map(|c| "xyzw".find(c)) {
                if i < least {
                    return s.fail_last("components stand in the order xyzw, each once");
                }
                (mask, least) = (mask | 1 << i, i + 1);
            }
        }
        if !s.eat_here(")") {
            return s.fail("expected `)` behind the components");
        }
        Some(Value::Int(mask))
    }
}

/// `.1d` of `isam`, whose bit is inverted; the older dialect does not know it [isaspec].
pub(crate) struct OneDimension;

impl Kind for OneDimension {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(1 - (raw as i64 & 1)))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(1 - u64::try_from(value.int()?).ok().filter(|n| *n < 2)?)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        if number(value) == 1 && cx.dialect == MESA {
            out.push_str(".1d");
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        // Tools that do not know the bit leave it clear.
        Some(Value::Int(i64::from(s.eat_here(".1d") || cx.dialect != MESA)))
    }
}
