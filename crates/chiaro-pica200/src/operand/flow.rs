//! Conditions, comparisons, places, address registers and the geometry emitter.

use super::print::print_indexed;
use super::text::{Operand, number, numbered};
use super::{NEGATE, PICASSO, PLAIN, compat};
use crate::regs::{BANKS, bank};
use chiaro_isa::{Covered, Cursor, Cx, Kind, Out, Partial, Reg, Value};

/// The address registers that MOVA writes: bit 1 a0.x, bit 0 a0.y.
pub struct Address;

/// CONDOP, REFY and REFX: a test of the compare flags.
pub struct Condition;

/// A boolean uniform, and in the lowest bit whether the test is inverted.
pub struct BoolTest {
    /// Whether the format can invert.
    pub inverts: bool,
}

/// An integer uniform.
pub struct IntUniform;

/// A comparison of CMP.
pub struct Relation;

/// A word of the program.
pub struct Place;

/// A procedure: its first word (12 bits) and its length (8 bits). In the plain
/// dialect, where both are spelled as numbers, nothing prints it.
pub struct Procedure;

/// VTXID of SETEMIT.
pub struct Vertex;

/// PRIMEMIT and WINDING of SETEMIT.
pub struct EmitFlags;

impl Kind for Address {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        (raw != 0 || cx.dialect == PLAIN).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 4)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(["a0._", "a0.y", "a0.x", "a0.xy"][value.int().unwrap_or(0) as usize & 3]);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        const NAMES: [(&str, i64); 6] =
            [("a0.x", 2), ("a0.y", 1), ("a0.xy", 3), ("a0", 2), ("a1", 1), ("a01", 3)];
        let word = s.take(|c| c != b',')?.trim_end();
        if word == "a0._" && cx.dialect == PLAIN {
            return Some(Value::Int(0));
        }
        let found = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        found.map(|(_, n)| Value::Int(*n)).or_else(|| s.fail_last("mova writes a0.x, a0.y or a0.xy"))
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        let parts = value.int()?;
        let (first, count) = (u16::from(parts == 1), parts.count_ones() as u16);
        Some(Covered { file: bank::ADDRESS, first, count, parts: u16::MAX })
    }
}

/// Raw bits: CONDOP (0-1), REFY (2), REFX (3). A single-flag test leaves the other
/// reference bit without meaning; assemblers set it \[picasso], and `~` marks a clear one.
impl Kind for Condition {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let odd = matches!((raw & 3, raw >> 2 & 1, raw >> 3 & 1), (2, 0, _) | (3, _, 0));
        (!odd || cx.dialect == PLAIN).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 16)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let raw = value.int().unwrap_or(0);
        let (x, y) = (raw >> 3 & 1 == 1, raw >> 2 & 1 == 1);
        let flag = |set: bool, name: &str, out: &mut Out| {
            out.push_str(if set { "" } else { "!" });
            out.push_str(name);
        };
        match raw & 3 {
            2 => flag(x, if y { "cmp.x" } else { "cmp.x~" }, out),
            3 => flag(y, if x { "cmp.y" } else { "cmp.y~" }, out),
            op => {
                flag(x, "cmp.x", out);
                out.push_str(if op == 0 { " || " } else { " && " });
                flag(y, "cmp.y", out);
            }
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let (first, set, odd) = flag(s)?;
        let both = s.eat("&&") || s.eat("&");
        let either = !both && (s.eat("||") || s.eat("|"));
        let bit = |y: bool, set: bool| u64::from(set) << if y { 2 } else { 3 };
        if !both && !either {
            let other = if odd && cx.dialect == PLAIN { 0 } else { bit(!first, true) };
            let op = if first { 3 } else { 2 };
            return Some(Value::Int((op | bit(first, set) | other) as i64));
        }
        let (second, other_set, _) = flag(s)?;
        if first == second {
            return s.fail_last("the two flags of a condition must differ");
        }
        let refs = bit(first, set) | bit(second, other_set);
        Some(Value::Int((refs | u64::from(both)) as i64))
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        let (first, count) = match value.int()? & 3 {
            2 => (0, 1),
            3 => (1, 1),
            _ => (0, 2),
        };
        Some(Covered { file: bank::FLAG, first, count, parts: u16::MAX })
    }
}

/// One flag: whether it is y, whether it is wanted set, whether it carries a `~`.
fn flag(s: &mut Cursor<'_>) -> Option<(bool, bool, bool)> {
    let mut set = true;
    while s.eat("!") {
        set = !set;
    }
    let y = if s.eat_folded("cmp.x") {
        false
    } else if s.eat_folded("cmp.y") {
        true
    } else {
        return s.fail("a condition names cmp.x or cmp.y");
    };
    if s.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
        return s.fail("a condition names cmp.x or cmp.y");
    }
    Some((y, set, s.eat_here("~")))
}

/// A boolean or integer uniform by number or alias.
fn uniform(file: u8, s: &mut Cursor<'_>, cx: &Cx) -> Option<u16> {
    let what = if file == bank::INT {
        "expected an integer uniform (i0 to i3)"
    } else {
        "expected a boolean uniform (b0 to b15)"
    };
    let operand = Operand::read(s, cx)?;
    let bank = &BANKS[usize::from(file)];
    let n = if compat(cx) {
        numbered(&operand.reg) + operand.offset - i64::from(bank.base)
    } else if operand.reg.file == file
        && operand.selector.is_none()
        && !operand.negate
        && operand.indexed == 0
    {
        i64::from(operand.reg.index) + operand.offset
    } else {
        -1
    };
    match u16::try_from(n).ok().filter(|&n| n < bank.count) {
        Some(n) => Some(n),
        None => s.fail_at(operand.whole, what),
    }
}

impl Kind for BoolTest {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (index, inverted) = if self.inverts { (raw >> 1, raw & 1) } else { (raw, 0) };
        let (index, mods) = (index as u16, inverted as u16 * NEGATE);
        Some(Value::Reg(Reg { file: bank::BOOL, index, mods, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == bank::BOOL && r.index < 16)?;
        let inverted = r.mods & NEGATE;
        match self.inverts {
            true => Partial::full(u64::from(r.index) << 1 | u64::from(inverted)),
            false if inverted == 0 => Partial::full(r.index.into()),
            false => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Some(r) = value.reg() else { return };
        out.push_str(if r.mods & NEGATE != 0 { "!" } else { "" });
        print_indexed(r, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let mut inverted = false;
        while s.eat("!") {
            inverted = !inverted;
            if !self.inverts {
                return s.fail_last("only jmpu can invert a boolean uniform; use the else part instead");
            }
        }
        let index = uniform(bank::BOOL, s, cx)?;
        Some(Value::Reg(Reg {
            file: bank::BOOL,
            index,
            mods: u16::from(inverted) * NEGATE,
            ..Reg::default()
        }))
    }
    fn contextual(&self) -> bool {
        true
    }
}

impl Kind for IntUniform {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Reg(Reg { file: bank::INT, index: raw as u16, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(value.reg().filter(|r| r.file == bank::INT && r.index < 4)?.index.into())
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        if let Some(r) = value.reg() {
            print_indexed(r, out, cx);
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let index = uniform(bank::INT, s, cx)?;
        Some(Value::Reg(Reg { file: bank::INT, index, ..Reg::default() }))
    }
    fn contextual(&self) -> bool {
        true
    }
}

/// Names of the comparisons by operator; 6 and 7 always hold [3dbrew, Panda3DS] and
/// have a name in the plain dialect only.
pub const RELATIONS: [&str; 8] = ["eq", "ne", "lt", "le", "gt", "ge", "true6", "true7"];

impl Kind for Relation {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        (raw < 6 || cx.dialect == PLAIN).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 8)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(RELATIONS[value.int().unwrap_or(0) as usize & 7]);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let word = s.take(|c| c != b',').unwrap_or("").trim_end();
        let known = if cx.dialect == PLAIN { 8 } else { 6 };
        let found = RELATIONS[..known].iter().position(|name| name.eq_ignore_ascii_case(word));
        found
            .map(|n| Value::Int(n as i64))
            .or_else(|| s.fail_last("a comparison is one of eq, ne, lt, le, gt and ge"))
    }
    fn about(&self) -> Option<String> {
        Some("0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge; 6 and 7 always hold".to_owned())
    }
}

/// Values are word offsets.
impl Kind for Place {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        match value {
            Value::Int(n) => Partial::full(u64::try_from(n).ok().filter(|n| *n < 4096)?),
            Value::Symbol(_) => Some(Partial { raw: 0, known: 0 }),
            Value::Reg(_) => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let n = value.int().unwrap_or(0);
        match cx.symbols.filter(|_| cx.dialect == PICASSO).and_then(|s| s.name_at(n as u64)) {
            Some(name) => out.push_str(name),
            None => out.push_int(n),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        if cx.dialect == PLAIN {
            return s.int().map(Value::Int).or_else(|| s.fail("expected a word offset"));
        }
        symbol(s, cx, "there is no label of this name in this file")
    }
    fn contextual(&self) -> bool {
        true
    }
}

/// A name of the program, resolved by the context.
fn symbol(s: &mut Cursor<'_>, cx: &Cx, unknown: &'static str) -> Option<Value> {
    let name = s.ident().or_else(|| s.fail("expected a name"))?;
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return s.fail_last("a name does not begin with a digit");
    }
    cx.symbols.and_then(|symbols| symbols.target(name)).or_else(|| s.fail_last(unknown))
}

/// Values are `place << 8 | length`, both in words.
impl Kind for Procedure {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        match value {
            Value::Int(n) => Partial::full(u64::try_from(n).ok()?),
            Value::Symbol(_) => Some(Partial { raw: 0, known: 0 }),
            Value::Reg(_) => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let n = value.int().unwrap_or(0);
        match cx.symbols.and_then(|s| s.name_at(n as u64 >> 8)) {
            Some(name) => out.push_str(name),
            None => out.push_int(n >> 8),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        symbol(s, cx, "there is no procedure of this name")
    }
    fn contextual(&self) -> bool {
        true
    }
}

impl Kind for Vertex {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        (raw < 3 || cx.dialect == PLAIN).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 4)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_int(value.int().unwrap_or(0));
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let most = if cx.dialect == PLAIN { 3 } else { 2 };
        let text = s.take(|c| c != b',').unwrap_or("").trim_end();
        let n = if compat(cx) { number(text, true) } else { number(text, false) };
        match n.filter(|&n| n <= most && text.starts_with(|c: char| c.is_ascii_digit())) {
            Some(n) => Some(Value::Int(n.into())),
            None => s.fail_last("a vertex slot is 0, 1 or 2"),
        }
    }
}

/// Bit 0 is WINDING, bit 1 PRIMEMIT.
impl Kind for EmitFlags {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 4)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(["", "inv", "prim", "prim inv"][value.int().unwrap_or(0) as usize & 3]);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let mut flags = 0;
        while let Some(word) = s.take(|c| !matches!(c, b' ' | b'\t' | b',')) {
            let is = |names: [&str; 2]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
            if is(["prim", "primitive"]) {
                flags |= 2;
            } else if is(["inv", "invert"]) {
                flags |= 1;
            } else if compat(cx) {
                let at = s.at();
                s.remark(
                    at - word.len()..at,
                    "picasso reports an unknown setemit flag as an error, but assembles on",
                );
            } else {
                return s
                    .fail_last("a setemit flag is prim or inv (picasso would tell this, but assemble on)");
            }
        }
        Some(Value::Int(flags))
    }
}
