//! Expressions over registers and the names of the source: `r0.x > 1.0 && position.w != 0`.

use chiaro_target::Bound;

use crate::recording::Recording;
use crate::registers::{Registers, apart};
use crate::value::Value;

/// Operations within each other at most.
const DEPTH: u32 = 64;

/// What names mean at a place of a thread.
pub struct Names<'a> {
    registers: Registers,
    bound: &'a [Bound],
}

/// The names at a place.
#[must_use]
pub fn names(recording: &Recording, thread: usize, place: usize) -> Names<'_> {
    Names { registers: recording.registers(thread, place), bound: &recording.made.names }
}

impl Names<'_> {
    /// The values of a register, or of what the source has a name for.
    #[must_use]
    pub fn values(&self, name: &str) -> Option<Vec<Option<u32>>> {
        if let Some(values) = self.registers.get(name) {
            return Some(values.clone());
        }
        let bound = self.bound.iter().find(|bound| bound.name == name)?;
        let place = bound.place.split([' ', ',', ';']).next()?;
        let (register, components) = apart(place);
        let values = self.registers.get(register)?;
        Some(components.into_iter().map_while(|component| values.get(component).copied()).collect())
    }

    fn component(&self, name: &str, number: usize) -> Result<Value, String> {
        let values = self.values(name).ok_or_else(|| format!("nothing is known of `{name}` here"))?;
        let value = values.get(number).ok_or_else(|| format!("`{name}` has no component {number}"))?;
        value.map(Value::Bits).ok_or_else(|| format!("nobody has written or read this part of `{name}` yet"))
    }
}

/// The value of an expression.
///
/// # Errors
/// What cannot be read, or is not known.
pub fn evaluate(text: &str, names: &Names<'_>) -> Result<Value, String> {
    let mut reader = Reader { rest: text, names, depth: 0 };
    let value = reader.binary(0)?;
    match reader.rest.trim_start() {
        "" => Ok(value),
        rest => Err(format!("`{rest}` is left over")),
    }
}

/// Operators from the loosest to the tightest; longer ones first where one begins another.
const LEVELS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/"]];

struct Reader<'a, 'b> {
    rest: &'a str,
    names: &'b Names<'b>,
    depth: u32,
}

impl Reader<'_, '_> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn binary(&mut self, level: usize) -> Result<Value, String> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().copied().find(|operator| self.take(operator)) {
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Value, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(format!("this is nested more than {DEPTH} deep"));
        }
        let value = if self.take("-") {
            Ok(Value::Number(-self.unary()?.number()))
        } else if self.take("!") {
            Ok(Value::Bool(!self.unary()?.holds()))
        } else if self.take("(") {
            let value = self.binary(0)?;
            if self.take(")") { Ok(value) } else { Err("`)` is missing".to_owned()) }
        } else {
            self.primary()
        };
        self.depth -= 1;
        value
    }

    fn word(&mut self) -> &str {
        let text = self.rest.trim_start();
        let end =
            text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(text.len());
        self.rest = &text[end..];
        &text[..end]
    }

    fn primary(&mut self) -> Result<Value, String> {
        let text = self.rest.trim_start();
        if text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number();
        }
        let name = self.word().to_owned();
        match name.as_str() {
            "" => return Err(format!("a value is missing at `{}`", self.rest)),
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            _ => {}
        }
        if self.take("[") {
            let number = self.binary(0)?.number();
            return match self.take("]") && (0.0..4096.0).contains(&number) {
                true => self.names.component(&name, number as usize),
                false => Err(format!("`{name}[...]` wants the number of a component")),
            };
        }
        if self.take(".") {
            let letter = self.word().to_owned();
            let number =
                ["x", "y", "z", "w"].iter().chain(&["r", "g", "b", "a"]).position(|known| *known == letter);
            return self
                .names
                .component(&name, number.ok_or_else(|| format!("there is no component `{letter}`"))? % 4);
        }
        self.names.component(&name, 0)
    }

    /// A number; hexadecimal ones are bits.
    fn number(&mut self) -> Result<Value, String> {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        self.rest = rest;
        let wrong = || format!("`{number}` is no number");
        match number.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).map(Value::Bits).map_err(|_| wrong()),
            None => number.trim_end_matches(['f', 'u']).parse().map(Value::Number).map_err(|_| wrong()),
        }
    }
}

fn apply(operator: &str, left: Value, right: Value) -> Value {
    // Bits are compared as bits.
    if let (Value::Bits(a), Value::Bits(b), "==" | "!=") = (left, right, operator) {
        return Value::Bool((a == b) == (operator == "=="));
    }
    let (a, b) = (left.number(), right.number());
    match operator {
        "||" => Value::Bool(left.holds() || right.holds()),
        "&&" => Value::Bool(left.holds() && right.holds()),
        "==" => Value::Bool(a == b),
        "!=" => Value::Bool(a != b),
        "<=" => Value::Bool(a <= b),
        ">=" => Value::Bool(a >= b),
        "<" => Value::Bool(a < b),
        ">" => Value::Bool(a > b),
        "+" => Value::Number(a + b),
        "-" => Value::Number(a - b),
        "*" => Value::Number(a * b),
        _ => Value::Number(a / b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_those_of_shaders() {
        let bits = |value: f32| Some(value.to_bits());
        let registers = [("r0".to_owned(), vec![bits(1.5), bits(-2.0), None])].into_iter().collect();
        let bound = [Bound { kind: "input", name: "position".to_owned(), place: "r0.yx".to_owned() }];
        let names = Names { registers, bound: &bound };
        let value = |text: &str| evaluate(text, &names);
        assert_eq!(value("r0.x + 1 * 2").map(Value::number), Ok(3.5));
        assert_eq!(value("position.x == r0.y && !(r0.x < 1)").map(Value::holds), Ok(true));
        assert_eq!(value("r0[0] == 0x3fc00000").map(Value::holds), Ok(true));
        assert_eq!(value("-(r0.y) / 4.0f").map(Value::number), Ok(0.5));
        for wrong in ["", "r0.z", "r0.q", "r1", "r0.x +", "(r0.x", "r0.x )", "r0[9]", "1..2", "0xzz"] {
            assert!(value(wrong).is_err(), "{wrong}");
        }
        assert!(value(&"(".repeat(10_000)).is_err() && value(&"-".repeat(10_000)).is_err());
    }
}
