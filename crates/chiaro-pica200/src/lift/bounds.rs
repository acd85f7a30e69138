//! Bounds of floats: the least and the largest number that a component can be, and whether it can be NaN.
//!
//! Rounding never puts two numbers in another order, so that what a monotone operation makes of bounds bounds
//! what it makes of all between them, in binary32 as it is and in float24 a step further out. Infinity and
//! zero are bounds like any other: a component is never infinite if its bounds are not, and never zero if both
//! are on one side of it. Numbers too small for the format count as zero, which hosts may make of them.

/// The smallest float24 above zero, 2^-62, and half of the largest ones.
const SMALL: f32 = f32::from_bits(0x2080_0000);
const LARGE: f32 = f32::from_bits(0x5f00_0000);

/// What a component can be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bounds {
    /// Unless it is NaN, at least this.
    low: f32,
    /// Unless it is NaN, at most this.
    high: f32,
    /// Whether it can be NaN.
    nan: bool,
}

impl Bounds {
    /// Whatever there is.
    pub(super) const ANY: Bounds = Bounds { low: f32::NEG_INFINITY, high: f32::INFINITY, nan: true };
    /// What NaN is joined with: bounds of no number.
    const NAN: Bounds = Bounds { low: f32::INFINITY, high: f32::NEG_INFINITY, nan: true };

    /// From one number to another one.
    pub(super) fn between(low: f32, high: f32) -> Bounds {
        Bounds { low, high, nan: false }
    }

    /// A number by its bits.
    pub(super) fn number(bits: u64) -> Bounds {
        let x = f32::from_bits(bits as u32);
        if x.is_nan() { Bounds::NAN } else { Bounds::between(x, x) }
    }

    /// What is one or the other.
    pub(super) fn join(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.max(other.high), nan: self.nan || other.nan }
    }

    fn is_finite(self) -> bool {
        self.low > f32::NEG_INFINITY && self.high < f32::INFINITY
    }

    fn has_zero(self) -> bool {
        self.low < f32::MIN_POSITIVE && self.high > -f32::MIN_POSITIVE
    }

    /// Whether a product of these can be zero times infinity.
    pub(super) fn meet_as_zero_and_infinity(self, other: Bounds) -> bool {
        self.has_zero() && !other.is_finite() || other.has_zero() && !self.is_finite()
    }

    /// Bounds that are none where they could not be computed.
    fn or_none(low: f32, high: f32, nan: bool) -> Bounds {
        let low = if low.is_nan() { f32::NEG_INFINITY } else { low };
        Bounds { low, high: if high.is_nan() { f32::INFINITY } else { high }, nan }
    }

    pub(super) fn negative(self) -> Bounds {
        Bounds { low: -self.high, high: -self.low, nan: self.nan }
    }

    pub(super) fn size(self) -> Bounds {
        let low = if self.low <= 0.0 && self.high >= 0.0 { 0.0 } else { self.low.abs().min(self.high.abs()) };
        Bounds { low, high: self.low.abs().max(self.high.abs()), nan: self.nan }
    }

    pub(super) fn floor(self) -> Bounds {
        Bounds { low: self.low.floor(), high: self.high.floor(), ..self }
    }

    pub(super) fn sum(self, other: Bounds) -> Bounds {
        let opposite = |a: Bounds, b: Bounds| a.high == f32::INFINITY && b.low == f32::NEG_INFINITY;
        let nan = self.nan || other.nan || opposite(self, other) || opposite(other, self);
        Bounds::or_none(self.low + other.low, self.high + other.high, nan)
    }

    /// By the machine's rule: zero times infinity is zero.
    pub(super) fn product(self, other: Bounds) -> Bounds {
        let corner = |x: f32, y: f32| if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
        let corners = [
            corner(self.low, other.low),
            corner(self.low, other.high),
            corner(self.high, other.low),
            corner(self.high, other.high),
        ];
        Bounds {
            low: corners.into_iter().fold(f32::INFINITY, f32::min),
            high: corners.into_iter().fold(f32::NEG_INFINITY, f32::max),
            nan: self.nan || other.nan,
        }
    }

    /// As a language has it.
    pub(super) fn bare_product(self, other: Bounds) -> Bounds {
        let product = self.product(other);
        Bounds { nan: product.nan || self.meet_as_zero_and_infinity(other), ..product }
    }

    /// A product with itself.
    pub(super) fn square(self) -> Bounds {
        let size = self.size();
        size.product(size)
    }

    /// Of a divisor that is zero everything can come.
    pub(super) fn quotient(self, other: Bounds) -> Bounds {
        let nan = self.nan || other.nan || !self.is_finite() && !other.is_finite();
        if other.low <= 0.0 && other.high >= 0.0 {
            return Bounds { nan: nan || self.has_zero(), ..Bounds::ANY };
        }
        let all =
            [self.low / other.low, self.low / other.high, self.high / other.low, self.high / other.high];
        if all.into_iter().any(f32::is_nan) {
            return Bounds { nan, ..Bounds::ANY };
        }
        Bounds {
            low: all.into_iter().fold(f32::INFINITY, f32::min),
            high: all.into_iter().fold(f32::NEG_INFINITY, f32::max),
            nan,
        }
    }

    pub(super) fn root(self) -> Bounds {
        Bounds {
            low: self.low.max(0.0).sqrt(),
            high: self.high.max(0.0).sqrt(),
            nan: self.nan || self.low < 0.0,
        }
    }

    /// Two to the power of it. The last places are the host's own.
    pub(super) fn power(self) -> Bounds {
        Bounds { low: self.low.exp2() * 0.99, high: self.high.exp2() * 1.01, nan: self.nan }
    }

    /// What is chosen by a comparison says something of both: `less < more` held, or it did not.
    pub(super) fn where_below(self, more: Bounds) -> Bounds {
        Bounds { high: self.high.min(more.high), nan: false, ..self }
    }

    pub(super) fn where_above(self, less: Bounds) -> Bounds {
        Bounds { low: self.low.max(less.low), nan: false, ..self }
    }

    /// The comparison with `more` did not hold; if that is a number and this is one, it is not below it.
    pub(super) fn where_not_below(self, more: Bounds) -> Bounds {
        if more.nan { self } else { Bounds { low: self.low.max(more.low), ..self } }
    }

    pub(super) fn where_not_above(self, less: Bounds) -> Bounds {
        if less.nan { self } else { Bounds { high: self.high.min(less.high), ..self } }
    }

    /// The same in float24, which rounds further: two steps out, and beyond the smallest and the largest number
    /// to zero and infinity.
    pub(super) fn narrowed(self) -> Bounds {
        Bounds { low: -up(-self.low), high: up(self.high), nan: self.nan }
    }
}

/// What float24 makes of numbers up to this one is at most that.
fn up(x: f32) -> f32 {
    /// A place of float24 among the bits of binary32.
    const STEP: u32 = 1 << 7;
    let size = x.abs();
    match x > 0.0 {
        true if size >= LARGE => f32::INFINITY,
        true => f32::from_bits((size.to_bits() & !(STEP - 1)) + 2 * STEP).max(SMALL),
        false if size < 2.0 * SMALL => 0.0,
        false => -f32::from_bits(size.min(LARGE).to_bits() - STEP & !(STEP - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Unary = fn(f32) -> f32;

    const UNIT: Bounds = Bounds { low: 0.0, high: 1.0, nan: false };

    #[test]
    fn zero_meets_infinity_where_bounds_allow_both() {
        let apart = Bounds::between(0.5, 2.0);
        assert!(!UNIT.meet_as_zero_and_infinity(UNIT) && !apart.meet_as_zero_and_infinity(Bounds::ANY));
        assert!(UNIT.meet_as_zero_and_infinity(Bounds::ANY) && Bounds::ANY.meet_as_zero_and_infinity(UNIT));
        // What may be flushed is zero, what may be NaN is as well no infinity.
        assert!(Bounds::between(1e-40, 1.0).meet_as_zero_and_infinity(Bounds::ANY));
        assert!(!Bounds { nan: true, ..UNIT }.meet_as_zero_and_infinity(UNIT));
    }

    /// Every result of numbers within bounds lies within the bounds of the result.
    #[test]
    fn results_are_within_bounds() {
        const NUMBERS: [f32; 15] = [
            f32::NEG_INFINITY,
            -3e38,
            -2.5,
            -1.0,
            -1e-40,
            -0.0,
            0.0,
            1e-45,
            1e-38,
            0.3,
            1.0,
            7.0,
            1e20,
            3e38,
            f32::INFINITY,
        ];
        let pairs =
            |f: &mut dyn FnMut(f32, f32)| NUMBERS.iter().for_each(|&a| NUMBERS.iter().for_each(|&b| f(a, b)));
        let ruled = |x: f32, y: f32| if (x * y).is_nan() { 0.0 } else { x * y };
        pairs(&mut |low, high| {
            if low > high {
                return;
            }
            let inside: Vec<f32> = NUMBERS.into_iter().filter(|&x| low <= x && x <= high).collect();
            let bounds = Bounds::between(low, high);
            let unary: [(Unary, Bounds); 6] = [
                (|x| -x, bounds.negative()),
                (f32::abs, bounds.size()),
                (f32::floor, bounds.floor()),
                (f32::sqrt, bounds.root()),
                (f32::exp2, bounds.power()),
                (|x| x * x, bounds.square()),
            ];
            for (f, result) in unary {
                inside.iter().for_each(|&x| assert!(has(result, f(x)), "{x} of {bounds:?}: {result:?}"));
            }
            pairs(&mut |other_low, other_high| {
                if other_low > other_high {
                    return;
                }
                let other = Bounds::between(other_low, other_high);
                let others = NUMBERS.into_iter().filter(|&y| other_low <= y && y <= other_high);
                let results = [
                    bounds.sum(other),
                    bounds.product(other),
                    bounds.bare_product(other),
                    bounds.quotient(other),
                ];
                for y in others {
                    for &x in &inside {
                        let values = [x + y, ruled(x, y), x * y, x / y];
                        for (value, result) in values.into_iter().zip(results) {
                            assert!(
                                has(result, value),
                                "{x}, {y} of {bounds:?}, {other:?}: {value} in {result:?}"
                            );
                        }
                        if (x * y).is_nan() {
                            assert!(bounds.meet_as_zero_and_infinity(other), "{x} * {y}");
                        }
                    }
                }
            });
        });
    }

    fn has(bounds: Bounds, x: f32) -> bool {
        if x.is_nan() { bounds.nan } else { bounds.low <= x && x <= bounds.high }
    }

    #[test]
    fn float24_is_further_out() {
        assert_eq!(
            Bounds::between(1.0, 1.0).narrowed(),
            Bounds::between(1.0 - 2f32.powi(-17), 1.0 + 2f32.powi(-15))
        );
        assert_eq!(Bounds::between(-1e-19, 1e19).narrowed(), Bounds::between(-SMALL, f32::INFINITY));
        assert_eq!(Bounds::between(0.0, 0.0).narrowed().low, 0.0);
        assert!(Bounds::between(SMALL, 1.0).narrowed().has_zero());
    }
}
