//! Bounds for reassociation: how far off another order of the same sum may be.
//!
//! Compilers that may regroup sums and products put terms where the source has none of them:
//! `a*b + c + d` may become `(c + d) + a*b`, and `x*(1 - t) + y*t` may become `x + t*(y - x)`.
//! Whatever they do, no partial sum exceeds the sum of the terms' magnitudes, and no term passes
//! through more roundings than there are operations. That bounds every order at once, where the
//! operands of one order bound only that one.

/// How a machine rounds sums and products.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rounding {
    /// Bits of the significand, the hidden one included: numbers that have no more are exact.
    pub bits: u8,
    /// How far a result is off, in units in the last place.
    pub ulps: f64,
}

/// The terms of a sum of products.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Terms {
    /// The sum of their magnitudes.
    mass: f64,
    /// Roundings that a term passes through at most.
    depth: f64,
    /// All are multiples of 2 to this.
    grain: i32,
    /// How much of what another order may cost the error of the sum has in it.
    pub(super) charged: f64,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::of(0.0)
    }
}

impl Terms {
    /// A number that no order of anything changes.
    pub(super) fn of(value: f64) -> Terms {
        Terms { mass: value.abs(), depth: 0.0, grain: grain(value), charged: 0.0 }
    }

    /// Of the sum of two sums, or of their difference.
    pub(super) fn sum(self, other: Terms) -> Terms {
        Terms {
            mass: self.mass + other.mass,
            depth: self.depth + other.depth + 1.0,
            grain: self.grain.min(other.grain),
            charged: self.charged + other.charged,
        }
    }

    /// Of the product of two sums whose values are `a` and `b`. One of them may be multiplied with
    /// each term of the other, not each term with each: nobody squares a difference that way.
    pub(super) fn product(self, other: Terms, a: f64, b: f64) -> Terms {
        Terms {
            mass: (self.mass * b.abs()).max(other.mass * a.abs()),
            depth: self.depth + other.depth + 1.0,
            grain: self.grain.saturating_add(other.grain),
            charged: self.charged * b.abs() + other.charged * a.abs(),
        }
    }

    /// Of the sum times 2 to `power`.
    pub(super) fn scaled(self, power: i32) -> Terms {
        let scale = |x| libm::ldexp(x, power);
        Terms {
            mass: scale(self.mass),
            grain: self.grain.saturating_add(power),
            charged: scale(self.charged),
            ..self
        }
    }

    /// What another order may cost beyond what is charged already; nothing, where every order is
    /// exact.
    pub(super) fn charge(&mut self, rounding: Rounding) -> f64 {
        let bits = i32::from(rounding.bits);
        let whole = libm::ldexp(1.0, self.grain.saturating_add(bits).clamp(-1074, 1023));
        if self.mass <= whole {
            return 0.0;
        }
        let unit = rounding.ulps * libm::ldexp(1.0, 1 - bits);
        let added = (self.depth * self.mass * unit - self.charged).max(0.0);
        self.charged += added;
        added
    }
}

/// The largest power of two that divides a number.
fn grain(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() {
        return i32::MAX / 4;
    }
    // A significand of 52 bits, and one in front of them but for the smallest numbers (IEEE 754, section 3.4).
    let (exponent, fraction) = (value.to_bits() >> 52 & 0x7ff, value.to_bits() & ((1 << 52) - 1));
    let significand = fraction | u64::from(exponent > 0) << 52;
    exponent.max(1) as i32 - 1075 + significand.trailing_zeros() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOAT24: Rounding = Rounding { bits: 17, ulps: 1.0 };
    const UNIT: f64 = 1.0 / 65_536.0;

    fn sum(values: &[f64]) -> Terms {
        values.iter().map(|&v| Terms::of(v)).reduce(Terms::sum).unwrap_or_default()
    }

    #[test]
    fn a_term_that_cancels_still_weighs() {
        let small = libm::ldexp(1.0, -13);
        let mut terms = sum(&[1000.5, -1000.5, small]);
        assert_eq!(terms.charge(FLOAT24), 2.0 * (2001.0 + small) * UNIT);
        assert_eq!(terms.charge(FLOAT24), 0.0, "charged once");
    }

    #[test]
    fn what_is_exact_in_any_order_costs_nothing() {
        assert_eq!(sum(&[1000.5, -3.25, 70.0]).charge(FLOAT24), 0.0);
        assert!(sum(&[100_000.0, 0.25]).charge(FLOAT24) > 0.0);
        assert_eq!(sum(&[0.0, 0.1f32.into()]).depth, 1.0);
    }

    #[test]
    fn the_other_end_of_a_mix_is_seen() {
        // x*(1 - t) + y*t at t = 1, which may be computed as x + t*(y - x).
        let (x, y, t) = (1000.0, 0.001, 1.0);
        let kept = Terms::of(x).product(sum(&[1.0, -t]), x, 0.0);
        let mut mix = kept.sum(Terms::of(y).product(Terms::of(t), y, t));
        assert!(mix.charge(FLOAT24) >= 1000.0 * UNIT);
    }

    #[test]
    fn a_small_difference_has_a_small_square() {
        let difference = sum(&[1000.3, -1000.2]);
        let mut square = difference.product(difference, 0.1, 0.1);
        assert!(square.charge(FLOAT24) < 0.01);
    }

    #[test]
    fn powers_of_two_divide() {
        let grains = [1.0, 12.0, -0.75, f64::from_bits(1)].map(grain);
        assert_eq!(grains, [0, 2, -2, -1074]);
    }
}
