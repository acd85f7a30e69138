//! Category 6: memory. spec section 11.

use crate::operand::flags::is_half;
use crate::operand::{MESA, number, print_name, register};
use crate::regs::{A0, P0, file, size};
use chiaro_isa::{Cursor, Cx, Kind, Out, Partial, Reg, Value};

/// A full register.
pub(crate) struct Plain;

/// Data of a type: register byte, type. Half types are half registers; `marked` tells
/// whether Mesa writes the `h` (in `ldg`, `ldp`, `stg` it does, in the others not [runs]).
pub(crate) struct Data {
    /// Whether Mesa writes the `h`.
    pub(crate) marked: bool,
}

/// A register, or a number if the topmost of nine bits is set.
pub(crate) struct Index;

/// A signed offset of 13 bits behind a register: `+4`, `-4` or nothing.
pub(crate) struct Offset;

/// An unsigned number that counts from `from`.
pub(crate) struct Unsigned {
    /// What the raw value 0 stands for.
    pub(crate) from: i64,
}

fn full(s: &mut Cursor<'_>) -> Option<Reg> {
    s.skip_blanks();
    let start = s.at();
    let r = register(s)?;
    match (r.file, r.size) {
        (file::GPR, size::FULL) => Some(r),
        (file::GPR, _) => s.fail_at(start..s.at(), "addresses stand in full registers"),
        (file::CONST, _) => s.fail_at(start..s.at(), "memory operations read registers only"),
        _ => s.fail_at(start..s.at(), "memory operations have no relative addressing"),
    }
}

/// A full register; here r61 and r62 are written by their numbers.
fn plain_or_high(s: &mut Cursor<'_>) -> Option<Reg> {
    let start = s.at();
    for (stem, number) in [("r61.", 61), ("r62.", 62)] {
        let component = s.eat(stem).then(|| s.take_here(|c| b"xyzw".contains(&c))).flatten();
        if let Some(i) = component.and_then(|c| "xyzw".find(c)) {
            return Some(Reg { index: number * 4 + i as u16, ..Reg::default() });
        }
        s.rewind(start);
    }
    full(s)
}

impl Kind for Plain {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Reg(Reg { index: raw as u16 & 0xff, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR && r.size == size::FULL)?;
        Partial::full(u64::from(r.index))
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        value.reg().into_iter().for_each(|r| print_name(r, out));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        full(s).map(Value::Reg)
    }
}

impl Kind for Data {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (index, code) = (raw as u16 & 0xff, raw >> 8);
        let half = is_half(code) && index < P0;
        Some(Value::Reg(Reg { size: if half { size::HALF } else { size::FULL }, index, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR)?;
        Some(Partial { raw: u64::from(r.index), known: 0xff })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Some(r) = value.reg() else { return };
        let size = if self.marked || cx.dialect != MESA { r.size } else { size::FULL };
        print_name(Reg { size, ..r }, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.skip_blanks();
        let start = s.at();
        let r = register(s)?;
        match r.file {
            file::GPR => Some(Value::Reg(r)),
            _ => s.fail_at(start..s.at(), "data of memory operations are registers"),
        }
    }
}

impl Kind for Index {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        match raw >> 8 & 1 {
            1 => Some(Value::Int(raw as i64 & 0xff)),
            _ => Some(Value::Reg(Reg { index: raw as u16 & 0xff, ..Reg::default() })),
        }
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        match value {
            Value::Int(n @ 0..256) => Partial::full(1 << 8 | n as u64),
            Value::Reg(r) if r.file == file::GPR && r.size == size::FULL => Partial::full(u64::from(r.index)),
            _ => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        match value {
            // These operands know no special registers [runs].
            Value::Reg(r) if r.index >= A0 => {
                out.push('r');
                out.push_int(i64::from(r.index / 4));
                out.push('.');
                out.push(char::from(b"xyzw"[usize::from(r.index & 3)]));
            }
            Value::Reg(r) => print_name(r, out),
            other => out.push_int(number(other)),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        match s.int() {
            Some(n @ 0..256) => Some(Value::Int(n)),
            Some(_) => s.fail_last("an index is 0 to 255"),
            None => plain_or_high(s).map(Value::Reg),
        }
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((0, 255))
    }
}

impl Kind for Offset {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(((raw << 51) as i64) >> 51))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let n = value.int().filter(|n| (-4096..4096).contains(n))?;
        Partial::full(n as u64 & 0x1fff)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let n = number(value);
        if n != 0 {
            out.push_str(if n > 0 { "+" } else { "" });
            out.push_int(n);
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let sign = if s.eat("+") {
            1
        } else if s.eat("-") {
            -1
        } else {
            return Some(Value::Int(0));
        };
        match s.int().map(|n| n.saturating_mul(sign)).filter(|n| (-4096..4096).contains(n)) {
            Some(n) => Some(Value::Int(n)),
            None => s.fail_last("an offset is -4096 to 4095"),
        }
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((-4096, 4095))
    }
}

impl Kind for Unsigned {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64 + self.from))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?.checked_sub(self.from)?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_int(number(value));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.skip_blanks();
        s.digits().map(|n| Value::Int(i64::from(n))).or_else(|| s.fail("expected a number"))
    }
    fn range(&self, width: u8) -> Option<(i64, i64)> {
        Some((self.from, self.from + (1i64 << width.min(62)) - 1))
    }
}
