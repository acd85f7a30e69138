//! Values of 32 bits, as they are shown and typed.

use chiaro_target::Kind;

/// A value: its bits, and whether it is meant as a whole number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// What a register holds: bits that may be a float or a number.
    Bits(u32),
    /// A number that was computed.
    Number(f64),
    /// What a comparison gives.
    Bool(bool),
}

/// A scalar of a kind, for people.
#[must_use]
pub fn shown(kind: Kind, bits: u32, hex: bool) -> String {
    match kind {
        _ if hex => format!("{bits:#010x}"),
        Kind::Float(_) => format!("{:?}", f32::from_bits(bits)),
        Kind::Int(_) => format!("{}", bits as i32),
        Kind::Uint(_) => format!("{bits}"),
        Kind::Bool => (bits != 0).to_string(),
    }
}

impl Value {
    /// A scalar of a kind.
    #[must_use]
    pub fn of(kind: Kind, bits: u32) -> Value {
        match kind {
            Kind::Bool => Value::Bool(bits != 0),
            Kind::Int(_) => Value::Number(f64::from(bits as i32)),
            Kind::Uint(_) => Value::Number(f64::from(bits)),
            Kind::Float(_) => Value::Number(f64::from(f32::from_bits(bits))),
        }
    }

    /// As a number: bits are those of a float.
    #[must_use]
    pub fn number(self) -> f64 {
        match self {
            Value::Bits(bits) => f64::from(f32::from_bits(bits)),
            Value::Number(number) => number,
            Value::Bool(on) => f64::from(u8::from(on)),
        }
    }

    /// Whether a condition holds that has this value.
    #[must_use]
    pub fn holds(self) -> bool {
        match self {
            Value::Bits(bits) => bits != 0,
            Value::Number(number) => number != 0.0,
            Value::Bool(on) => on,
        }
    }

    /// For people: a float with its bits, or bits alone.
    #[must_use]
    pub fn text(self, hex: bool) -> String {
        match self {
            Value::Bits(bits) if hex => format!("{bits:#010x}"),
            Value::Bits(bits) => format!("{:?} ({bits:#010x})", f32::from_bits(bits)),
            Value::Number(number) => format!("{number}"),
            Value::Bool(on) => on.to_string(),
        }
    }
}
