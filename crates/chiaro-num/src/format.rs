//! Formats described by their fields, and the two exact conversions.

/// A binary floating-point format of at most 32 bits: sign, exponent, mantissa
/// from the most significant bit down.
///
/// Exponent field 0 holds zero and the subnormals. The all-ones field holds
/// infinity and NaN when [`specials`](Format::specials) is set, ordinary values
/// otherwise (the immediates of most GPUs).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    /// Has a sign bit above the exponent.
    pub sign: bool,
    /// Width of the exponent field, 1 to 11 bits.
    pub exponent: u32,
    /// Width of the mantissa field, 0 to 30 bits.
    pub mantissa: u32,
    /// What the exponent field exceeds the exponent by.
    pub bias: i32,
    /// The all-ones exponent means infinity or NaN.
    pub specials: bool,
}

/// PICA200 registers, uniforms and constants. \[3dbrew]
pub const F24: Format = Format::ieee(7, 16);
/// PICA200 light distance attenuation. \[3dbrew]
pub const F20: Format = Format::ieee(7, 12);
/// IEEE 754 binary16; PICA200 fixed-function registers use it too. \[3dbrew]
pub const F16: Format = Format::ieee(5, 10);
/// PICA200 inverse viewport size. \[3dbrew]
pub const F31: Format = Format::ieee(7, 23);
/// IEEE 754 binary32.
pub const F32: Format = Format::ieee(8, 23);

/// The direction in which a value between two representable ones goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Rounding {
    /// To the nearer, ties to the even mantissa.
    #[default]
    NearestEven,
    /// To the nearer, ties away from zero.
    NearestAway,
    /// To the smaller magnitude.
    TowardZero,
    /// Toward positive infinity.
    Up,
    /// Toward negative infinity.
    Down,
    /// To the neighbour with the odd mantissa: a later rounding to at least two
    /// bits less is then as good as a single one.
    Odd,
}

/// What becomes of results below the smallest normal value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Tiny {
    /// They become subnormals.
    #[default]
    Keep,
    /// Zero if the exact value is below the smallest normal.
    FlushBefore,
    /// Zero if the value, rounded as if the exponent had no lower end, is below
    /// the smallest normal.
    FlushAfter,
    /// Zero if the value, rounded among the subnormal numbers, is one of them.
    FlushSubnormal,
}

/// What becomes of results above the largest finite value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Overflow {
    /// As IEEE 754: infinity, or the largest finite value where the direction
    /// of rounding points back.
    #[default]
    Directed,
    /// Always infinity (the PICA200 model).
    Infinity,
    /// Always the largest finite value.
    Saturate,
}

/// How to encode: every choice that formats and machines differ in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Encoding {
    /// Direction of rounding.
    pub rounding: Rounding,
    /// Small results.
    pub tiny: Tiny,
    /// Large results.
    pub overflow: Overflow,
}

impl Format {
    /// A signed format with the IEEE 754 bias and special values.
    #[must_use]
    pub const fn ieee(exponent: u32, mantissa: u32) -> Self {
        Self { sign: true, exponent, mantissa, bias: (1 << (exponent - 1)) - 1, specials: true }
    }

    /// A format without infinities and NaNs, as immediates of instructions have.
    #[must_use]
    pub const fn immediate(sign: bool, exponent: u32, mantissa: u32, bias: i32) -> Self {
        Self { sign, exponent, mantissa, bias, specials: false }
    }

    /// Width in bits.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.sign as u32 + self.exponent + self.mantissa
    }

    /// The exponent field of infinity and NaN, or the largest ordinary one.
    const fn top(&self) -> u32 {
        (1 << self.exponent) - 1
    }

    /// Exponent of the smallest normal value.
    const fn lowest(&self) -> i32 {
        1 - self.bias
    }

    /// Bits of positive infinity; of the largest value where there is none.
    #[must_use]
    pub const fn infinity(&self) -> u32 {
        if self.specials { self.top() << self.mantissa } else { self.largest() }
    }

    /// Bits of the largest finite value.
    #[must_use]
    pub const fn largest(&self) -> u32 {
        let all = (1 << (self.exponent + self.mantissa)) - 1;
        if self.specials { all - (1 << self.mantissa) } else { all }
    }

    /// Bits of the canonical NaN (quiet, no sign); zero where there is none.
    #[must_use]
    pub const fn nan(&self) -> u32 {
        if self.specials { self.infinity() | ((1 << self.mantissa) >> 1) } else { 0 }
    }

    /// The value of `raw`; higher bits than [`bits`](Format::bits) are ignored.
    /// Exact for every format of this type; a NaN keeps its payload's top bits.
    #[must_use]
    pub fn decode(&self, raw: u32) -> f64 {
        let mantissa = u64::from(raw & ((1 << self.mantissa) - 1));
        let exponent = (raw >> self.mantissa) & self.top();
        let negative = self.sign && (raw >> (self.exponent + self.mantissa)) & 1 != 0;
        let magnitude = if exponent == 0 {
            mantissa as f64 * power_of_two(self.lowest() - self.mantissa as i32)
        } else if self.specials && exponent == self.top() {
            f64::from_bits(0x7FF << 52 | mantissa << (52 - self.mantissa))
        } else {
            let field = (exponent as i32 - self.bias + 1023) as u64;
            f64::from_bits(field << 52 | mantissa << (52 - self.mantissa))
        };
        if negative { f64::from_bits(magnitude.to_bits() | 1 << 63) } else { magnitude }
    }

    /// The value of `raw` as binary32: exact for formats no wider than it in
    /// exponent and mantissa, else rounded to nearest.
    #[must_use]
    pub fn decode_f32(&self, raw: u32) -> f32 {
        self.decode(raw) as f32
    }

    /// The bits nearest to `x` under the rules `how`.
    ///
    /// A NaN gives the canonical NaN with the sign of `x`. Negative values of
    /// formats without a sign give zero.
    #[must_use]
    pub fn encode(&self, x: f64, how: Encoding) -> u32 {
        let negative = x.is_sign_negative();
        if negative && !self.sign {
            return 0;
        }
        let magnitude = if x.is_nan() { self.nan() } else { self.encode_magnitude(x, negative, how) };
        magnitude | u32::from(negative) << (self.exponent + self.mantissa)
    }

    fn encode_magnitude(&self, x: f64, negative: bool, how: Encoding) -> u32 {
        let Some((significand, exponent)) = split(x) else {
            return if x == 0.0 { 0 } else { self.infinity() };
        };
        let tiny = exponent < self.lowest();
        let rounded = self.round(significand, exponent.max(self.lowest()) - exponent, negative, how.rounding);
        let field = if tiny { 0 } else { (exponent - self.lowest()) as u64 };
        // The significand carries the implicit one into the exponent field.
        let bits = (field << self.mantissa) + rounded;
        if tiny && how.tiny == Tiny::FlushSubnormal && bits >> self.mantissa == 0 {
            return 0;
        }
        if tiny && self.flushes(significand, exponent, negative, how) {
            return 0;
        }
        if bits <= u64::from(self.largest()) { bits as u32 } else { self.too_large(negative, how) }
    }

    /// `significand` (53 bits) at this format's precision, shifted right by
    /// `extra` further places first.
    fn round(&self, significand: u64, extra: i32, negative: bool, rounding: Rounding) -> u64 {
        let drop = (52 - self.mantissa as i32 + extra).min(63) as u32;
        let (kept, rest) = (significand >> drop, significand & ((1 << drop) - 1));
        let half = (1_u64 << drop) >> 1;
        kept + u64::from(match rounding {
            _ if rest == 0 => false,
            Rounding::NearestEven => rest > half || rest == half && kept & 1 == 1,
            Rounding::NearestAway => rest >= half && half != 0,
            Rounding::TowardZero => false,
            Rounding::Up => !negative,
            Rounding::Down => negative,
            Rounding::Odd => kept & 1 == 0,
        })
    }

    /// True if a value below the smallest normal becomes zero.
    fn flushes(&self, significand: u64, exponent: i32, negative: bool, how: Encoding) -> bool {
        match how.tiny {
            Tiny::Keep | Tiny::FlushSubnormal => false,
            Tiny::FlushBefore => true,
            Tiny::FlushAfter => {
                let carried = self.round(significand, 0, negative, how.rounding) >> (self.mantissa + 1) != 0;
                exponent + i32::from(carried) < self.lowest()
            }
        }
    }

    fn too_large(&self, negative: bool, how: Encoding) -> u32 {
        let back = match how.rounding {
            Rounding::NearestEven | Rounding::NearestAway => false,
            Rounding::TowardZero | Rounding::Odd => true,
            Rounding::Up => negative,
            Rounding::Down => !negative,
        };
        match how.overflow {
            Overflow::Saturate => self.largest(),
            Overflow::Directed if back => self.largest(),
            Overflow::Directed | Overflow::Infinity => self.infinity(),
        }
    }
}

/// A finite non-zero value as a significand of 53 bits (top bit set) and the
/// exponent of that top bit.
fn split(x: f64) -> Option<(u64, i32)> {
    let (field, fraction) = ((x.to_bits() >> 52 & 0x7FF) as i32, x.to_bits() & ((1 << 52) - 1));
    match field {
        0x7FF => None,
        0 if fraction == 0 => None,
        0 => {
            let shift = fraction.leading_zeros() - 11;
            Some((fraction << shift, -1022 - shift as i32))
        }
        _ => Some((fraction | 1 << 52, field - 1023)),
    }
}

/// 2^n for n in the normal range of binary64.
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n + 1023).clamp(0, 2046) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_float24_survives() {
        for raw in 0..1 << 24 {
            let x = F24.decode(raw);
            if x.is_nan() {
                assert_eq!(F24.encode(x, Encoding::default()) & 0x7F_8000, F24.nan());
            } else {
                assert_eq!(F24.encode(x, Encoding::default()), raw);
            }
        }
    }

    #[test]
    fn binary32_agrees_with_the_host() {
        let mut seed = 1_u64;
        for _ in 0..1_000_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Exponents of all of binary32 and a little beyond.
            let exponent = 1023 - 160 + (seed >> 40) % 300;
            let x = f64::from_bits(exponent << 52 | seed & ((1 << 52) - 1) | seed >> 63 << 63);
            assert_eq!(F32.encode(x, Encoding::default()), (x as f32).to_bits(), "{x:e}");
        }
    }

    #[test]
    fn directions_and_limits() {
        let how = |rounding, tiny, overflow| Encoding { rounding, tiny, overflow };
        let third = 1.0 / 3.0;
        let directed = |x, rounding| F24.encode(x, how(rounding, Tiny::Keep, Overflow::Directed));
        assert_eq!(directed(third, Rounding::TowardZero), 0x3D_5555);
        assert_eq!(directed(third, Rounding::Up), 0x3D_5556);
        assert_eq!(directed(-third, Rounding::Up), 0xBD_5555);
        assert_eq!(directed(-third, Rounding::Down), 0xBD_5556);
        assert_eq!(directed(2.0 / 3.0, Rounding::Odd), 0x3E_5555);
        assert_eq!(directed(1e30, Rounding::TowardZero), F24.largest());
        assert_eq!(directed(1e30, Rounding::NearestEven), F24.infinity());
        assert_eq!(
            F24.encode(1e30, how(Rounding::TowardZero, Tiny::Keep, Overflow::Infinity)),
            F24.infinity()
        );
        let almost = F24.decode(0x01_0000) * (1.0 - 1e-9);
        assert_eq!(directed(almost, Rounding::NearestEven), 0x01_0000);
        assert_eq!(F24.encode(almost, how(Rounding::NearestEven, Tiny::FlushBefore, Overflow::Directed)), 0);
        assert_eq!(
            F24.encode(almost, how(Rounding::NearestEven, Tiny::FlushAfter, Overflow::Directed)),
            0x01_0000
        );
        assert_eq!(F24.encode(almost, how(Rounding::TowardZero, Tiny::FlushAfter, Overflow::Directed)), 0);
    }

    #[test]
    fn immediates_have_no_specials() {
        let agx = Format::immediate(true, 3, 4, 3);
        assert_eq!(agx.bits(), 8);
        for raw in 0..256 {
            assert_eq!(agx.encode(agx.decode(raw), Encoding::default()), raw);
        }
        assert_eq!(agx.decode(0x7F), 31.0);
        assert_eq!(agx.encode(f64::INFINITY, Encoding::default()), 0x7F);
    }
}
