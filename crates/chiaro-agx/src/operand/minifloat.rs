//! The 8-bit float immediate (spec 3.4).

use chiaro_isa::Short;
use std::sync::LazyLock;

/// The value of a code; all 256 are distinct.
pub fn value(code: u8) -> f32 {
    let (exponent, mantissa) = (i32::from(code >> 4 & 7), f32::from(code & 15));
    let magnitude = match exponent {
        0 => mantissa / 64.0,
        e => (16.0 + mantissa) * 2f32.powi(e - 7),
    };
    if code & 0x80 != 0 { -magnitude } else { magnitude }
}

/// The code of a value, if one has exactly its bits.
pub fn code(value: f64) -> Option<u8> {
    let bits = (value as f32).to_bits();
    if f64::from(value as f32) != value {
        return None;
    }
    // The codes of one sign ascend with their values.
    let sign = (bits >> 31) as u8 * 0x80;
    let at = (0..128u8).find(|&low| self::value(sign | low).to_bits() == bits)?;
    Some(sign | at)
}

/// Every value as it is written.
pub(super) static TEXTS: LazyLock<Vec<Short>> = LazyLock::new(|| {
    let text = |code: u8| Short::new(&format!("{:?}", value(code))).unwrap_or(Short::EMPTY);
    (0..=255).map(text).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_values_are_each_others_inverse() {
        for n in 0..=255u8 {
            assert_eq!(code(f64::from(value(n))), Some(n));
        }
        let none = [0.3, 31.5, 1.0 / 128.0, f64::NAN, f64::INFINITY, 0.1];
        assert!(none.iter().all(|&x| code(x).is_none()));
        assert_eq!((code(-0.0), code(1.0), code(31.0)), (Some(0x80), Some(0x30), Some(0x7f)));
    }
}
