//! float24 as the picasso assembler writes it. \[picasso]
//!
//! picasso reads a constant with `atof`, stores it as binary32 and rebases the
//! exponent without looking at the value: magnitudes just below the smallest
//! normal float24 become other, subnormal numbers, those just above the largest
//! become NaNs, and NaN becomes infinity. Spec section 4. Use
//! [`F24.encode`](crate::Format::encode) for what the number should be.

/// The float24 bits that picasso stores for `x`.
#[must_use]
pub fn picasso_f24(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = bits >> 31 << 23;
    let exponent = (bits >> 23 & 0xFF) as i32 - 64;
    sign | match exponent {
        ..0 => 0,
        0..=127 => (exponent as u32) << 16 | bits >> 7 & 0xFFFF,
        128.. => 0x7F_0000,
    }
}
