//! Floats that are stored and converted but hardly computed with: `bfloat16_t` and those of eight
//! bits and fewer. [GL_EXT_bfloat16, GL_EXT_float_e5m2, GL_EXT_float_e4m3, GL_EXT_float_e3m2,
//! GL_EXT_float_e2m3, GL_EXT_float_e2m1, GL_EXT_float_mxint8, GL_EXT_float_ue8m0]
//!
//! The language names and numbers of each are a row of [`Small::row`]; constants of them are held
//! as floats that were rounded, and become bits when they are written.

/// Which.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Small {
    /// `bfloat16_t`: the upper half of a float.
    Brain,
    /// `floate5m2_t`, with infinities.
    E5M2,
    /// `floate4m3_t`, without infinities, with NaN.
    E4M3,
    /// `floate3m2_t`, six bits and finite.
    E3M2,
    /// `floate2m3_t`, six bits and finite.
    E2M3,
    /// `floate2m1_t`, four bits and finite.
    E2M1,
    /// `floatmxint8_t`: a signed byte that counts 64ths, without its lowest value.
    MxInt8,
    /// `floatue8m0_t`: an exponent alone, of a power of two.
    Ue8M0,
}

/// What bits stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// Bits of exponent and significand; the highest exponent is that of infinities and NaNs.
    Ieee(u32, u32),
    /// Likewise, but all ones alone are NaN.
    OneNan(u32, u32),
    /// Likewise, but all are numbers; what is larger becomes the largest.
    Finite(u32, u32),
    /// A signed number of 64ths.
    Fixed,
    /// A power of two; the highest is NaN.
    Power,
}

/// All that distinguishes one from the others.
struct Row {
    name: &'static str,
    prefix: &'static str,
    extensions: &'static [&'static str],
    shape: Shape,
    bits: u32,
    encoding: u32,
    capability: u32,
    spirv: &'static str,
}

/// SPV_EXT_ocp_microscaling_types, its encodings and capabilities. [SPIRV-Headers]
const MICROSCALING: &str = "SPV_EXT_ocp_microscaling_types";

impl Small {
    /// All of them, in order.
    pub(crate) const ALL: [Small; 8] = [
        Small::Brain,
        Small::E5M2,
        Small::E4M3,
        Small::E3M2,
        Small::E2M3,
        Small::E2M1,
        Small::MxInt8,
        Small::Ue8M0,
    ];

    #[rustfmt::skip]
    const fn row(self) -> Row {
        const fn row(
            name: &'static str,
            prefix: &'static str,
            extensions: &'static [&'static str],
            (shape, bits): (Shape, u32),
            (encoding, capability, spirv): (u32, u32, &'static str),
        ) -> Row {
            Row { name, prefix, extensions, shape, bits, encoding, capability, spirv }
        }
        use Shape::{Finite, Fixed, Ieee, OneNan, Power};
        match self {
            Small::Brain => row("bfloat16_t", "bf16", &["GL_EXT_bfloat16"], (Ieee(8, 7), 16), (0, 5116, "SPV_KHR_bfloat16")),
            Small::E5M2 => row("floate5m2_t", "fe5m2", &["GL_EXT_float_e5m2"], (Ieee(5, 2), 8), (4215, 4212, "SPV_EXT_float8")),
            Small::E4M3 => row("floate4m3_t", "fe4m3", &["GL_EXT_float_e4m3"], (OneNan(4, 3), 8), (4214, 4212, "SPV_EXT_float8")),
            Small::E3M2 => row("floate3m2_t", "fe3m2", &["GL_EXT_float_e3m2"], (Finite(3, 2), 6), (4224, 4228, MICROSCALING)),
            Small::E2M3 => row("floate2m3_t", "fe2m3", &["GL_EXT_float_e2m3"], (Finite(2, 3), 6), (4223, 4228, MICROSCALING)),
            Small::E2M1 => row("floate2m1_t", "fe2m1", &["GL_EXT_float_e2m1"], (Finite(2, 1), 4), (4225, 4229, MICROSCALING)),
            Small::MxInt8 => row("floatmxint8_t", "fmxint8", &["GL_EXT_float_mxint8"], (Fixed, 8), (4227, 4231, MICROSCALING)),
            Small::Ue8M0 => row("floatue8m0_t", "fue8m0", &["GL_EXT_float_ue8m0"], (Power, 8), (4226, 4230, MICROSCALING)),
        }
    }

    /// The keyword.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// What stands before `vec`, and behind numbers of the type.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        self.row().prefix
    }

    /// The extensions that have it.
    #[must_use]
    pub const fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// Bits of a value; as many as memory takes where they are whole bytes.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.row().bits
    }

    /// The encoding that `OpTypeFloat` names.
    pub(crate) const fn encoding(self) -> u32 {
        self.row().encoding
    }

    /// The capability and the extension of SPIR-V that it needs.
    pub(crate) const fn needs(self) -> (u32, &'static str) {
        (self.row().capability, self.row().spirv)
    }

    /// Whether only constants become values of the type: the microscaling ones are unpacked from
    /// memory. Their numbers have suffixes.
    pub(crate) fn is_packed(self) -> bool {
        self.row().spirv == MICROSCALING
    }

    /// The type whose numbers have a suffix.
    pub(crate) fn of_suffix(suffix: &str) -> Option<Small> {
        Small::ALL.into_iter().find(|small| small.is_packed() && small.prefix() == suffix)
    }

    /// The nearest value, ties to even.
    pub(crate) fn round(self, value: f32) -> f32 {
        self.decode(self.encode(value))
    }

    /// The bits of the nearest value.
    pub(crate) fn encode(self, value: f32) -> u32 {
        let (exponent, significand, largest, over, nan) = match self.row().shape {
            Shape::Fixed => {
                let steps = (f64::from(value) * 64.0).round_ties_even().clamp(-127.0, 127.0);
                return u32::from(steps as i8 as u8);
            }
            Shape::Power => return nearest_power(value),
            Shape::Ieee(e, m) => {
                let infinity = ((1 << e) - 1) << m;
                (e, m, infinity - 1, infinity, infinity | 1 << (m - 1))
            }
            Shape::OneNan(e, m) => {
                let nan = (1 << (e + m)) - 1;
                (e, m, nan - 1, nan, nan)
            }
            Shape::Finite(e, m) => {
                let largest = (1 << (e + m)) - 1;
                (e, m, largest, largest, largest)
            }
        };
        let sign = u32::from(value.is_sign_negative()) << (exponent + significand);
        if value.is_nan() {
            return sign | nan;
        }
        // What is infinite counts as any that is far too large.
        let magnitude = f64::from(value.abs().min(f32::MAX));
        let lowest = lowest_exponent(exponent);
        // A float is a double without subnormals, so its exponent can be read.
        let power = ((magnitude.to_bits() >> 52) as i32 - 1023).max(lowest);
        let steps = (magnitude / power_of_two(power - significand as i32)).round_ties_even() as u32;
        let code = steps + ((power - lowest) as u32) * (1 << significand);
        let exceeds = value.is_infinite() || code > largest;
        sign | if exceeds { over } else { code }
    }

    /// What bits stand for.
    fn decode(self, code: u32) -> f32 {
        let (exponent, significand) = match self.row().shape {
            Shape::Fixed => return f32::from(code as u8 as i8) / 64.0,
            Shape::Power if code >= POWER_NAN => return f32::NAN,
            Shape::Power => return power_of_two(code as i32 - 127) as f32,
            Shape::Ieee(e, m) | Shape::OneNan(e, m) | Shape::Finite(e, m) => (e, m),
        };
        let all = (1 << (exponent + significand)) - 1;
        let magnitude = code & all;
        let (power, rest) = (magnitude >> significand, magnitude & ((1 << significand) - 1));
        let unit = power_of_two(lowest_exponent(exponent) - significand as i32);
        let value = match self.row().shape {
            Shape::Ieee(e, _) if power == (1 << e) - 1 && rest == 0 => f64::INFINITY,
            Shape::Ieee(e, _) if power == (1 << e) - 1 => f64::NAN,
            Shape::OneNan(..) if magnitude == all => f64::NAN,
            _ if power == 0 => f64::from(rest) * unit,
            _ => f64::from(rest + (1 << significand)) * unit * power_of_two(power as i32 - 1),
        };
        if code > all { -value as f32 } else { value as f32 }
    }
}

/// The byte of a power of two that is NaN.
const POWER_NAN: u32 = 255;

/// The byte of the nearest power of two, ties to the even byte. What is not positive becomes the
/// smallest, infinity NaN.
fn nearest_power(value: f32) -> u32 {
    if value.is_nan() || value == f32::INFINITY {
        return POWER_NAN;
    }
    // A float is a double without subnormals, so its exponent can be read.
    let bits = f64::from(value.max(0.0)).to_bits();
    let (power, rest) = ((bits >> 52) as i32 - 1023, bits << 12);
    let code = power + 127;
    let half = 1u64 << 63;
    let up = rest > half || rest == half && code & 1 == 1;
    (code + i32::from(up)).clamp(0, POWER_NAN as i32 - 1) as u32
}

/// The exponent of the smallest normal number.
fn lowest_exponent(bits: u32) -> i32 {
    2 - (1 << (bits - 1))
}

fn power_of_two(exponent: i32) -> f64 {
    2f64.powi(exponent)
}

#[cfg(test)]
mod tests {
    use super::Small::{self, *};

    #[test]
    fn powers_of_two_are_numbers_but_for_the_last() {
        let powers = Small::ALL.into_iter().find(|small| matches!(small.row().shape, super::Shape::Power));
        let decode = |code| powers.map(|small| small.decode(code)).unwrap_or_default();
        assert_eq!([decode(127), decode(128), decode(254)], [1.0, 2.0, 127_f32.exp2()]);
        assert!(decode(255).is_nan());
    }

    #[test]
    fn values_become_bits() {
        let cases: [(Small, f32, u32); 38] = [
            (Brain, 10.0, 16672),
            (Brain, 7.0, 16608),
            (Brain, f32::INFINITY, 0x7f80),
            (Brain, f32::from_bits(1), 0),
            (E5M2, 7.0, 71),
            (E5M2, 57344.0, 123),
            (E5M2, 65536.0, 124),
            (E5M2, -65536.0, 252),
            (E5M2, f32::NAN, 126),
            (E4M3, 448.0, 126),
            (E4M3, 512.0, 127),
            (E4M3, -256.0, 248),
            (E4M3, 0.001_953_125, 1),
            (E3M2, 28.0, 31),
            (E3M2, 100.0, 31),
            (E3M2, 0.0625, 1),
            (E2M3, 0.125, 1),
            (E2M3, 1.0, 8),
            (E2M3, 7.5, 31),
            (E2M3, -0.0, 32),
            (E2M3, -7.5, 63),
            (E2M1, 1.0, 2),
            (E2M1, 1.1, 2),
            (E2M1, 10.0, 7),
            (E2M1, 0.25, 0),
            (E2M1, 0.75, 2),
            (MxInt8, 0.015_625, 1),
            (MxInt8, -1.0, 192),
            (MxInt8, -100.0, 129),
            (MxInt8, f32::INFINITY, 127),
            (Ue8M0, 10.0, 130),
            (Ue8M0, 20.0, 131),
            (Ue8M0, 0.0, 0),
            (Ue8M0, -100.0, 0),
            (Ue8M0, 5.88e-39, 0),
            (Ue8M0, 1.176e-38, 1),
            (Ue8M0, 1.71e38, 254),
            (Ue8M0, f32::INFINITY, 255),
        ];
        for (small, value, bits) in cases {
            assert_eq!(small.encode(value), bits, "{} of {value}", small.name());
        }
    }

    #[test]
    fn bits_come_back() {
        for small in Small::ALL {
            for code in 0..1u32 << small.bits() {
                let value = small.decode(code);
                // The byte without a value of its own stands for the one beside it.
                let twin = small == MxInt8 && code == 128;
                if !value.is_nan() && !twin {
                    assert_eq!(small.encode(value), code, "{} {value}", small.name());
                }
            }
        }
    }
}
