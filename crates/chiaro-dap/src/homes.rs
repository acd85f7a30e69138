//! Places of values: a register, for a while, in a form.

use std::collections::HashMap;

use chiaro_target::Kind;

/// A value with a place in the code and a time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Home {
    /// The register.
    pub register: String,
    /// Its component, where it has some; lanes are not among them.
    pub component: Option<usize>,
    /// The step from which on the value is there.
    pub from: usize,
    /// The step from which on it is not.
    pub until: usize,
    /// In what form.
    pub form: Form,
}

/// How a register holds a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Bit by bit as the source has it.
    Bits,
    /// As half a float.
    Half,
    /// A number that is whole in the source, as a float.
    Float,
}

impl Form {
    /// The bits that the source has for those of a register.
    #[must_use]
    pub fn of_source(self, bits: u32, kind: Kind) -> u32 {
        match (self, kind) {
            (_, Kind::Bool) => u32::from(bits != 0),
            (Form::Half, _) => (half(bits as u16) as f32).to_bits(),
            (Form::Float, Kind::Int(_)) => f32::from_bits(bits) as i32 as u32,
            (Form::Float, Kind::Uint(_)) => f32::from_bits(bits) as u32,
            _ => bits,
        }
    }
}

/// The homes of the scalars of variables, by the numbers of both, in the order of time.
pub type Homes = HashMap<(usize, usize), Vec<Home>>;

/// The home of a scalar at a place.
#[must_use]
pub fn home(homes: &Homes, scalar: (usize, usize), place: usize) -> Option<&Home> {
    let all = homes.get(&scalar)?;
    all.iter().rev().find(|home| (home.from..home.until).contains(&place))
}

/// The value of half a float.
#[must_use]
pub fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}
