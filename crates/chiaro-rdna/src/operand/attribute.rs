//! Operands of graphics: attributes, export targets, formats of typed buffers, and the
//! selection of halves.

use super::dpp::{parse_list, print_list};
use chiaro_isa::{Cursor, Cx, Kind, Out, Partial, Value};

/// An attribute and its component: component (2 bits), number (6).
pub struct Attribute;

/// Where an export goes.
pub struct Target;

/// Format of a typed buffer access; number 1 is not written [LLVM].
pub struct BufferFormat;

/// A list of bits behind a tag: ` op_sel:[0,1,0]`.
pub struct Bits {
    /// What stands before the list.
    pub tag: &'static str,
    /// How many.
    pub count: u8,
}

/// Offset of `ds_swizzle_b32`: a pattern of lanes (spec 8.2).
pub struct Swizzle;

impl Kind for Attribute {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let raw = value.int().unwrap_or(0);
        out.push_str("attr");
        out.push_int(raw & 63);
        out.push('.');
        out.push(b"xyzw"[(raw >> 6 & 3) as usize].into());
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let number = s.eat("attr").then(|| s.digits()).flatten().filter(|n| *n < 64);
        let component = s.eat_here(".").then(|| s.name_in(&["x", "y", "z", "w"])).flatten();
        match (number, component) {
            (Some(n), Some(c)) => Some(Value::Int(i64::from(n) | (c as i64) << 6)),
            _ => s.fail_last("expected an attribute such as attr3.x"),
        }
    }
}

/// Export targets: name, first number, how many.
const TARGETS: [(&str, u64, u64); 6] =
    [("mrt", 0, 8), ("mrtz", 8, 1), ("null", 9, 1), ("pos", 12, 5), ("prim", 20, 1), ("param", 32, 32)];

impl Kind for Target {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let known = TARGETS.iter().any(|(_, first, count)| (*first..first + count).contains(&raw));
        known.then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let raw = u64::try_from(value.int()?).ok()?;
        self.decode(raw, cx)?;
        Partial::full(raw)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let raw = value.int().unwrap_or(0) as u64;
        let found = TARGETS.iter().find(|(_, first, count)| (*first..first + count).contains(&raw));
        let Some((name, first, count)) = found else { return };
        out.push_str(name);
        if *count > 1 {
            out.push_int((raw - first) as i64);
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let name = s.name_in(&TARGETS.map(|(name, ..)| name));
        let Some((_, first, count)) = name.map(|n| TARGETS[n]) else {
            return s.fail("expected a target such as mrt0, pos0 or param0");
        };
        if count == 1 {
            return Some(Value::Int(first as i64));
        }
        match s.digits().map(u64::from).filter(|n| *n < count) {
            Some(n) => Some(Value::Int((first + n) as i64)),
            None => s.fail_last("there is no such target"),
        }
    }
}

const NAMES: &str = "BUF_FMT_";
const NUMERIC: [&str; 7] = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "FLOAT"];
/// Layouts of typed buffers: first number, name, and which kinds of numbers there are (6 and
/// 7 from the first, 3 are the last three) (spec 8.3).
const LAYOUTS: [(u64, &str, usize); 14] = [
    (1, "8", 6),
    (7, "16", 7),
    (14, "8_8", 6),
    (20, "32", 3),
    (23, "16_16", 7),
    (30, "10_11_11", 7),
    (37, "11_11_10", 7),
    (44, "10_10_10_2", 6),
    (50, "2_10_10_10", 6),
    (56, "8_8_8_8", 6),
    (62, "32_32", 3),
    (65, "16_16_16_16", 7),
    (72, "32_32_32", 3),
    (75, "32_32_32_32", 3),
];

/// The two parts of a format's name.
fn format_name(raw: u64) -> Option<(&'static str, &'static str)> {
    let (first, layout, kinds) = LAYOUTS.iter().rev().find(|(first, ..)| *first <= raw)?;
    let at = (raw - first) as usize;
    let kind = if *kinds == 3 { at + 4 } else { at };
    (at < *kinds).then(|| (*layout, NUMERIC[kind]))
}

/// The names of all formats, as they are written.
#[cfg(feature = "asm")]
pub(crate) fn format_names() -> Vec<String> {
    let named = (0..128).filter_map(format_name);
    named.map(|(layout, kind)| format!("{NAMES}{layout}_{kind}")).collect()
}

impl Kind for BufferFormat {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let raw = value.int().unwrap_or(0) as u64;
        out.push_str(" format:");
        match format_name(raw) {
            Some((layout, kind)) => {
                for part in ["[", NAMES, layout, "_", kind, "]"] {
                    out.push_str(part);
                }
            }
            None if raw == 0 => out.push_str("[BUF_FMT_INVALID]"),
            None => out.push_int(raw as i64),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if !s.eat("format:") {
            return s.fail("this is no operand or modifier of the instruction");
        }
        if !s.eat("[") {
            return s.int().map(Value::Int).or_else(|| s.fail("expected a format"));
        }
        let name = s.ident().and_then(|name| name.strip_prefix(NAMES)).unwrap_or("");
        let known = (0..128).find(|&raw| match format_name(raw) {
            Some((layout, kind)) => name.strip_prefix(layout).and_then(|n| n.strip_prefix('_')) == Some(kind),
            None => raw == 0 && name == "INVALID",
        });
        match known.filter(|_| s.eat("]")) {
            Some(raw) => Some(Value::Int(raw as i64)),
            None => s.fail_last("there is no such format"),
        }
    }
}

impl Kind for Bits {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(self.tag);
        print_list(value.int().unwrap_or(0) as u64, self.count.into(), 1, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        match s.eat(self.tag.trim()) {
            true => parse_list(s, self.count.into(), 1).map(Value::Int),
            false => s.fail("this is no operand or modifier of the instruction"),
        }
    }
}

/// `01pip` for what a bitmask pattern does to each bit of the lane's number, the highest
/// first; `None` if other bits say the same.
fn bitmask(raw: u64) -> Option<[u8; 5]> {
    let mut text = *b"00000";
    for (i, c) in text.iter_mut().enumerate() {
        let bit = 4 - i;
        let at = |part: u32| raw >> (5 * part) >> bit & 1;
        *c = match (at(0), at(1), at(2)) {
            (0, 0, 0) => b'0',
            (0, 1, 0) => b'1',
            (1, 0, 0) => b'p',
            (1, 0, 1) => b'i',
            _ => return None,
        };
    }
    Some(text)
}

fn print_swizzle(raw: u64, out: &mut Out) {
    let (and, or, xor) = (raw & 31, raw >> 5 & 31, raw >> 10 & 31);
    let group = 32 - and;
    let numbers = match raw {
        0x8000..=0x80ff => {
            out.push_str("swizzle(QUAD_PERM");
            (0..4).for_each(|i| {
                out.push(',');
                out.push_int((raw >> (2 * i) & 3) as i64);
            });
            return out.push(')');
        }
        0x8100.. => return out.push_int(raw as i64),
        _ if and == 31 && or == 0 && xor.count_ones() == 1 => ("SWAP,", xor, None),
        _ if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() => ("REVERSE,", xor + 1, None),
        _ if group > 1 && group.is_power_of_two() && or < group && xor == 0 => {
            ("BROADCAST,", group, Some(or))
        }
        _ => match bitmask(raw) {
            Some(text) => {
                out.push_str("swizzle(BITMASK_PERM,\"");
                text.iter().for_each(|c| out.push((*c).into()));
                return out.push_str("\")");
            }
            None => return out.push_int(raw as i64),
        },
    };
    out.push_str("swizzle(");
    out.push_str(numbers.0);
    out.push_int(numbers.1 as i64);
    if let Some(lane) = numbers.2 {
        out.push(',');
        out.push_int(lane as i64);
    }
    out.push(')');
}

fn parse_swizzle(s: &mut Cursor<'_>) -> Option<u64> {
    let mode = s.name_in(&["QUAD_PERM", "SWAP", "REVERSE", "BROADCAST", "BITMASK_PERM"])?;
    let mut number = |most: u64| {
        let n = s.eat(",").then(|| s.int()).flatten();
        n.and_then(|n| u64::try_from(n).ok()).filter(|n| *n <= most)
    };
    let power = |n: &u64| n.is_power_of_two();
    Some(match mode {
        0 => (0..4).try_fold(0x8000, |raw, i| Some(raw | number(3)? << (2 * i)))?,
        1 => 31 | number(16).filter(power)? << 10,
        2 => 31 | (number(32).filter(power).filter(|n| *n > 1)? - 1) << 10,
        3 => {
            let group = number(32).filter(power).filter(|n| *n > 1)?;
            32 - group | number(group - 1)? << 5
        }
        _ => parse_bitmask(s)?,
    })
}

fn parse_bitmask(s: &mut Cursor<'_>) -> Option<u64> {
    s.eat(",").then_some(())?;
    s.eat("\"").then_some(())?;
    let text = s.take_here(|c| b"01pi".contains(&c)).filter(|text| text.len() == 5)?;
    s.eat("\"").then_some(())?;
    Some(text.bytes().fold(0, |raw, c| {
        let (and, or, xor) = match c {
            b'0' => (0, 0, 0),
            b'1' => (0, 1, 0),
            b'p' => (1, 0, 0),
            _ => (1, 0, 1),
        };
        raw << 1 & !(1 << 5 | 1 << 10) | and | or << 5 | xor << 10
    }))
}

impl Kind for Swizzle {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(" offset:");
        print_swizzle(value.int().unwrap_or(0) as u64, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if !s.eat("offset:") {
            return s.fail("this is no operand or modifier of the instruction");
        }
        if !s.eat("swizzle(") {
            return s.int().map(Value::Int).or_else(|| s.fail("expected a number or swizzle(...)"));
        }
        match parse_swizzle(s).filter(|_| s.eat(")")) {
            Some(raw) => Some(Value::Int(raw as i64)),
            None => s.fail_last("the pattern of lanes is wrong"),
        }
    }
}
