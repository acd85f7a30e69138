//! Places in the code: branch targets, and symbols that a linker fills in.

use chiaro_isa::{Cursor, Cx, Kind, Out, Partial, Value};

/// A branch target: 16 bits, in dwords behind the instruction. Its value is a byte
/// address; without labels it is spelled as the bits are, unsigned [LLVM].
pub struct Branch;

/// Farthest distance, in dwords either way.
const REACH: i64 = 1 << 15;

impl Branch {
    fn steps(place: i64, cx: &Cx) -> i64 {
        place.wrapping_sub(cx.address as i64).wrapping_sub(4)
    }
}

impl Kind for Branch {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let steps = i64::from(raw as u16 as i16);
        Some(Value::Int((cx.address as i64).wrapping_add(4).wrapping_add(4 * steps)))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let Value::Int(place) = value else { return Some(Partial { raw: 0, known: 0 }) };
        let bytes = Branch::steps(place, cx);
        let steps = bytes / 4;
        (bytes % 4 == 0 && (-REACH..REACH).contains(&steps)).then_some(())?;
        Partial::full(steps as u64 & 0xffff)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Value::Int(place) = value else { return };
        match cx.symbols.and_then(|s| s.name_at(place as u64)) {
            Some(name) => out.push_str(name),
            None => out.push_int(Branch::steps(place, cx) / 4 & 0xffff),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        if let Some(n) = s.int() {
            let steps = if (0..0x10000).contains(&n) { i64::from(n as u16 as i16) } else { n };
            return Some(Value::Int((cx.address as i64).wrapping_add(4).wrapping_add(steps.wrapping_mul(4))));
        }
        symbol(s, cx).or_else(|| s.fail("expected a label or a distance in dwords"))
    }
    fn contextual(&self) -> bool {
        true
    }
}

/// Reads a name with what LLVM lets follow it: `name@rel32@lo+4`. A bare name is no number.
pub(super) fn half_of_distance(s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
    let rest = s.rest().trim_start();
    let word = rest.split([',', ' ', '\t']).next().unwrap_or("");
    if word.contains('@') { symbol(s, cx) } else { None }
}

/// Reads a name.
pub(super) fn symbol(s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
    let before = s.at();
    let word = s.take(|c| c.is_ascii_alphanumeric() || b"_.$@+".contains(&c))?;
    let known = !word.starts_with(|c: char| c.is_ascii_digit());
    let found = cx.symbols.filter(|_| known).and_then(|symbols| symbols.target(word));
    if found.is_none() {
        s.rewind(before);
    }
    found
}
