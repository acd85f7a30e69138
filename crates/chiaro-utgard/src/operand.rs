//! Operand kinds: how selectors, places and targets are spelled in chiaro's own listing.

use chiaro_isa::{Covered, Cursor, Cx, Kind, Modes, Names, Out, Partial, Value};

use crate::regs;

/// Operand A of any unit: what it can read, by selector. Registers and attributes are named by
/// their port; which vec4 the port loads, its own text says.
pub static A: Operand = Operand {
    names: Names(&operands("^complex")),
    signed: "this operand has no sign: multipliers (before the first operand) and adders turn one",
};

/// Operand B of a multiplier: 22 is the constant 1.
pub static B_ONE: Operand = Operand {
    names: Names(&operands("one")),
    signed: "a product has one sign: write it before the first operand",
};

/// Operand B of an adder: 22 is the constant 0.
pub static B_ZERO: Operand = Operand { names: Names(&operands("zero")), signed: "an operand has one sign" };

/// A name out of a list, without a sign.
pub struct Operand {
    names: Names,
    /// What is said of one that is written with a sign.
    signed: &'static str,
}

impl Kind for Operand {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        self.names.decode(raw, cx)
    }

    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        self.names.encode(value, given, cx)
    }

    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        self.names.print(value, out, cx);
    }

    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        if s.rest().trim_start().starts_with('-') { s.fail(self.signed) } else { self.names.parse(s, cx) }
    }

    fn about(&self) -> Option<String> {
        self.names.about()
    }
}

/// The names of selectors; what 22 is depends on the operand.
#[rustfmt::skip]
const fn operands(number_22: &'static str) -> [&'static str; 32] {
    [
        "in0.x", "in0.y", "in0.z", "in0.w", "in1.x", "in1.y", "in1.z", "in1.w",
        "unknown0", "unknown1", "unknown2", "unknown3", "in2.x", "in2.y", "in2.z", "in2.w",
        "^add0", "^add1", "^mul0", "^mul1", "^pass", "unused", number_22, "^^pass",
        "^^add0", "^^add1", "^^mul0", "^^mul1", "^in0.x", "^in0.y", "^in0.z", "^in0.w",
    ]
}

/// What a store takes.
pub static STORED: Names = Names(&["add0", "add1", "mul0", "mul1", "pass", "unknown5", "complex", "-"]);

/// The address register that is added to a load.
pub static OFFSET: Modes =
    Modes(&["+unknown0", "+addr1", "+addr2", "+addr3", "+unknown4", "+unknown5", "+unknown6", ""]);

/// The vec4 that load port 0 fetches: `a3` an attribute, `$3` a register. Bit 4 says which.
pub struct Port0;

impl Kind for Port0 {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }

    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }

    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let raw = value.int().unwrap_or(0);
        out.push(if raw & 16 == 0 { '$' } else { 'a' });
        out.push_int(raw & 15);
    }

    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let attribute = s.eat("a");
        if !attribute && !s.eat("$") {
            return s.fail("a port loads a register (`$3`) or an attribute (`a3`)");
        }
        vec4(s).map(|index| Value::Int(i64::from(index) | i64::from(attribute) << 4))
    }

    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((0, 31))
    }

    fn covers(&self, _: Value) -> Option<Covered> {
        None
    }
}

/// A register, `$3`.
pub struct Register;

impl Kind for Register {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }

    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }

    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push('$');
        out.push_int(value.int().unwrap_or(0));
    }

    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if !s.eat("$") {
            return s.fail("expected a register, `$0` to `$15`");
        }
        vec4(s).map(|index| Value::Int(i64::from(index)))
    }

    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((0, regs::BANK as i64 - 1))
    }
}

/// Where a store half goes: `$3` a register, `v3` an output, `temp3` a temporary (whose number
/// the hardware ignores: the address is addr0), `tempv3` one with the bit of outputs set too.
/// Bit 5 is the temporary's, bit 4 the output's.
pub struct Place;

impl Kind for Place {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }

    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }

    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let raw = value.int().unwrap_or(0);
        out.push_str(["$", "v", "temp", "tempv"][(raw >> 4 & 3) as usize]);
        out.push_int(raw & 15);
    }

    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let kinds = [("tempv", 3), ("temp", 2), ("v", 1), ("$", 0)];
        let Some((_, kind)) = kinds.into_iter().find(|(text, _)| s.eat(text)) else {
            return s.fail("a store goes to a register (`$3`), an output (`v3`) or a temporary (`temp0`)");
        };
        vec4(s).map(|index| Value::Int(i64::from(index) | kind << 4))
    }

    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((0, 63))
    }
}

/// An absolute instruction number; its ninth bit is stored inverted, on top.
pub struct Target;

impl Kind for Target {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int((raw ^ 256) as i64))
    }

    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let target = match value {
            Value::Symbol(_) => 0,
            other => u64::try_from(other.int()?).ok()?,
        };
        Partial::full(target ^ 256)
    }

    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_int(value.int().unwrap_or(0));
    }

    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        match s.int() {
            Some(n) if (0..regs::INSTRUCTIONS as i64).contains(&n) => Some(Value::Int(n)),
            _ => s.fail("a target is an instruction's number, 0 to 511"),
        }
    }

    fn range(&self, _: u8) -> Option<(i64, i64)> {
        Some((0, regs::INSTRUCTIONS as i64 - 1))
    }
}

/// The number of a vec4 in a bank of sixteen.
fn vec4(s: &mut Cursor<'_>) -> Option<u32> {
    match s.digits() {
        Some(n) if n < regs::BANK as u32 => Some(n),
        _ => s.fail_last("there are sixteen, 0 to 15"),
    }
}
