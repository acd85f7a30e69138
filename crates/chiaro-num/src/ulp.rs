//! Distance between binary32 values in units in the last place.

/// How many representable values lie between `a` and `b`: 0 if they are equal
/// or both NaN, 1 for neighbours, `u32::MAX` if just one is a NaN. The two zeros
/// are the same value.
#[must_use]
pub fn distance(a: f32, b: f32) -> u32 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0,
        (false, false) => ordinal(a).abs_diff(ordinal(b)),
        _ => u32::MAX,
    }
}

/// The position of `x` on the line of all values, with both zeros at 0.
fn ordinal(x: f32) -> i32 {
    let magnitude = (x.to_bits() & 0x7FFF_FFFF) as i32;
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn neighbours() {
        assert_eq!(distance(0.0, -0.0), 0);
        assert_eq!(distance(1.0, 1.0 + f32::EPSILON), 1);
        assert_eq!(distance(f32::from_bits(1), -f32::from_bits(1)), 2);
        assert_eq!(distance(f32::MAX, f32::INFINITY), 1);
        assert_eq!(distance(f32::NAN, -f32::NAN), 0);
        assert_eq!(distance(f32::NAN, 0.0), u32::MAX);
    }
}
