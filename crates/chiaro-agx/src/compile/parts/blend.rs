//! Blending: s F op d G, channel by channel (spec 18.2).
//!
//! A factor 1 - v costs nothing where its product stands alone: x (1 - v) is x - x v, one instruction, and exact
//! at both ends. So of two products that one is made first, and the other one is added to it.

use chiaro_ir::{Ty, Value};

use super::draft::Build;
use crate::abi::key::{Blend, FUNCTIONS, factor_name};

/// A factor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Factor {
    /// 0.
    Zero,
    /// 1.
    One,
    /// v.
    Is(Value),
    /// 1 - v.
    Not(Value),
}

/// What colours of a target are clamped to before they are blended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Range {
    /// They are not.
    Any,
    /// 0 to 1.
    Unsigned,
    /// -1 to 1.
    Signed,
}

impl Range {
    pub(super) fn clamp(self, d: &mut Build<'_>, value: Value) -> Value {
        let ty = d.b.ty(value);
        let low = match self {
            Range::Any => return value,
            Range::Unsigned => d.number(ty, 0.0),
            Range::Signed => d.number(ty, -1.0),
        };
        let high = d.number(ty, 1.0);
        d.b.fclamp(value, low, high)
    }
}

/// What the factors of a target can be of.
pub(super) struct Colours {
    /// The colour, clamped.
    pub(super) source: [Value; 4],
    /// The second colour and the constant, as they are.
    pub(super) second: Option<[Value; 4]>,
    pub(super) constant: [Value; 4],
    /// What the target holds, in its range.
    pub(super) there: [Value; 4],
    /// Alphas that are 1.
    pub(super) opaque: Opaque,
    /// The range of the format.
    pub(super) range: Range,
}

/// Alphas that are 1: of the colour, of the second colour, of the target.
pub(super) type Opaque = [bool; 3];

/// What a channel needs, once what is known of alphas is put in.
pub(super) struct Known {
    /// What is there counts.
    pub(super) reads: bool,
    /// The colour goes there as it is.
    pub(super) replaces: bool,
}

/// Whether the function is a bound, which has no factors.
pub(super) fn bounds(blend: Blend) -> bool {
    matches!(FUNCTIONS[usize::from(blend.function)], "min" | "max")
}

/// 0 or 1 where it is known.
fn constant(factor: u8, channel: usize, [source, second, there]: Opaque) -> Option<bool> {
    let (name, inverted) = factor_name(factor);
    let alpha = channel == 3;
    let one = match name {
        "one" => true,
        "zero" => false,
        "src_alpha" if source => true,
        "src_color" if source && alpha => true,
        "src1_alpha" if second => true,
        "src1_color" if second && alpha => true,
        "dst_alpha" if there => true,
        "dst_color" if there && alpha => true,
        "src_alpha_saturate" if alpha => true,
        _ => return None,
    };
    Some(one != inverted)
}

/// What a channel of a target needs.
pub(super) fn known(blend: Blend, channel: usize, opaque: Opaque) -> Known {
    let bounds = bounds(blend);
    let [source, there] = blend.factors.map(|factor| constant(factor, channel, opaque));
    let names_there =
        |factor: u8| factor_name(factor).0.starts_with("dst") || factor_name(factor).0.ends_with("saturate");
    let reads = bounds || there != Some(false) || source.is_none() && names_there(blend.factors[0]);
    let is_plain = FUNCTIONS[usize::from(blend.function)] != "reverse_subtract";
    Known { reads, replaces: !bounds && is_plain && source == Some(true) && there == Some(false) }
}

impl Colours {
    fn factor(&self, d: &mut Build<'_>, factor: u8, channel: usize, ty: Ty) -> Factor {
        if let Some(one) = constant(factor, channel, self.opaque) {
            return if one { Factor::One } else { Factor::Zero };
        }
        let (name, inverted) = factor_name(factor);
        let second = self.second.unwrap_or(self.source);
        let one = d.number(ty, 1.0);
        let own = match name {
            "const_color" => Some(self.constant[channel]),
            "const_alpha" => Some(self.constant[3]),
            "src1_color" => Some(second[channel]),
            "src1_alpha" => Some(second[3]),
            _ => None,
        };
        if let Some(own) = own {
            // Nobody else needs these clamped: what is left of 1 is clamped by what computes it.
            let own = if inverted && self.range == Range::Unsigned { d.b.fsub(one, own) } else { own };
            let clamped = self.range.clamp(d, own);
            return match (inverted, self.range) {
                (false, _) | (true, Range::Unsigned) => Factor::Is(clamped),
                (true, _) => self.rest(d, one, clamped),
            };
        }
        let found = match name {
            "src_color" => self.source[channel],
            "src_alpha" => self.source[3],
            "dst_color" => self.there[channel],
            "dst_alpha" => self.there[3],
            _ => {
                let rest = d.b.fsub(one, self.there[3]);
                d.b.fmin(self.source[3], rest)
            }
        };
        if inverted { self.rest(d, one, found) } else { Factor::Is(found) }
    }

    /// What is left of 1; with a sign it can be more than that, and is clamped again.
    fn rest(&self, d: &mut Build<'_>, one: Value, value: Value) -> Factor {
        if self.range != Range::Signed {
            return Factor::Not(value);
        }
        let rest = d.b.fsub(one, value);
        Factor::Is(d.b.fmin(rest, one))
    }

    /// A channel of the result.
    pub(super) fn blended(&self, d: &mut Build<'_>, blend: Blend, channel: usize) -> Value {
        let (source, there) = (self.source[channel], self.there[channel]);
        let ty = d.b.ty(source);
        let function = FUNCTIONS[usize::from(blend.function)];
        match function {
            "min" => return d.b.fmin(source, there),
            "max" => return d.b.fmax(source, there),
            _ => {}
        }
        let [f, g] = blend.factors.map(|factor| self.factor(d, factor, channel, ty));
        let source = if function == "reverse_subtract" { d.b.fneg(source) } else { source };
        let there = if function == "subtract" { d.b.fneg(there) } else { there };
        sum(d, ty, (source, f), (there, g))
    }
}

/// A product and another one.
fn sum(d: &mut Build<'_>, ty: Ty, a: (Value, Factor), b: (Value, Factor)) -> Value {
    match (a.1, b.1) {
        (Factor::Zero, Factor::Zero) => d.number(ty, 0.0),
        (_, Factor::Zero) => product(d, a),
        (Factor::Zero, _) => product(d, b),
        (Factor::One, _) => added(d, ty, b, a.0),
        (_, Factor::One) => added(d, ty, a, b.0),
        (Factor::Not(_), Factor::Is(_)) => {
            let first = product(d, a);
            added(d, ty, b, first)
        }
        _ => {
            let first = product(d, b);
            added(d, ty, a, first)
        }
    }
}

fn product(d: &mut Build<'_>, (x, factor): (Value, Factor)) -> Value {
    match factor {
        Factor::Is(v) => d.b.fmul(x, v),
        Factor::Not(v) => {
            let minus = d.b.fneg(x);
            d.b.fma(minus, v, x)
        }
        Factor::One | Factor::Zero => x,
    }
}

/// A product added to something.
fn added(d: &mut Build<'_>, ty: Ty, (x, factor): (Value, Factor), to: Value) -> Value {
    match factor {
        Factor::Zero => to,
        Factor::One => d.b.fadd(x, to),
        Factor::Is(v) => d.b.fma(x, v, to),
        Factor::Not(v) => {
            let one = d.number(ty, 1.0);
            let rest = d.b.fsub(one, v);
            d.b.fma(x, rest, to)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::key::{FACTORS, factor_of};

    /// A factor is known where it is the same number whatever the colours are, of which some alphas are 1.
    #[test]
    fn factors_are_known_that_are_always_0_or_1() {
        let colours =
            [0.25, 0.5, 0.75].map(|x| [0.0, 1.0, 2.0, 3.0].map(|n| [x, x + n / 64.0, x / 2.0, x / 4.0]));
        for (bits, channel, factor) in (0..8)
            .flat_map(|bits| (0..4).flat_map(move |c| (0..FACTORS.len() as u8).map(move |f| (bits, c, f))))
        {
            let opaque = [0, 1, 2].map(|n| bits >> n & 1 == 1);
            let values = colours.map(|mut all| {
                (0..3).filter(|n| opaque[*n]).for_each(|n| all[n][3] = 1.0);
                factor_of(factor, channel, all)
            });
            let always = (values[0] == values[1] && values[1] == values[2]).then(|| values[0] == 1.0);
            // What is left of a target whose alpha is 1 is computed.
            let is_left = factor_name(factor).0 == "src_alpha_saturate" && channel < 3;
            let expected = always.filter(|_| !is_left);
            assert_eq!(constant(factor, channel, opaque), expected, "{factor} {channel} {opaque:?}");
        }
    }
}
