//! Half precision numbers, for constants of 16 bits.

/// The half that is nearest, ties to even.
pub(super) fn half_bits(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // Half an ulp below what would round to infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    let exponent = (magnitude >> 23) as i32 - 127;
    if exponent < -25 {
        return sign;
    }
    let (significand, drop) = if exponent < -14 {
        (magnitude & 0x007f_ffff | 0x0080_0000, (-1 - exponent) as u32)
    } else {
        (magnitude - (112 << 23), 13)
    };
    let (kept, lost) = (significand >> drop, significand & ((1 << drop) - 1));
    let tie = 1 << (drop - 1);
    let up = lost > tie || lost == tie && kept & 1 == 1;
    sign | (kept + u32::from(up)) as u16
}

#[cfg(test)]
mod tests {
    use super::half_bits;

    #[test]
    fn halves() {
        let cases = [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (5.960_464_5e-8, 0x0001),
            (2.980_232_2e-8, 0x0000),
            (6.103_515_6e-5, 0x0400),
            (1.000_488_3, 0x3c00),
            (1.001_464_8, 0x3c02),
            (f32::INFINITY, 0x7c00),
            (f32::NAN, 0x7e00),
        ];
        for (value, half) in cases {
            assert_eq!(half_bits(value), half, "{value}");
        }
    }
}
