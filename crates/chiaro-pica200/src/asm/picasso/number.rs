//! Numbers as C reads them, and as the hardware should get them.
//!
//! picasso hands the text of a number to C's `atof`, `atoi` or `strtoll`, which read
//! as far as they understand and drop the rest in silence. These functions (and
//! [`chiaro_num::text`]) give exactly that, and how far it was;
//! [`calculate`](crate::operand::arithmetic::calculate) reads the whole text. Both are needed to
//! tell a user how they differ.

use crate::operand::arithmetic::{count, skip_spaces, starts_with_word, unsigned_length};
use chiaro_num::{Encoding, F24, Overflow, Rounding, Tiny};

/// C's `strtod`: the value of the longest number at the start, and its length.
pub(super) fn c_float(text: &str) -> (f64, usize) {
    let blanks = skip_spaces(text);
    let sign = usize::from(text[blanks..].starts_with(['+', '-']));
    match unsigned_length(&text[blanks + sign..]) {
        0 => (0.0, 0),
        length => (chiaro_num::atof(&text[..blanks + sign + length]), blanks + sign + length),
    }
}

/// C's `strtoll`: base 10, or 0 for "as the prefix says"; saturates. The value and
/// its length, or nothing when there is no digit.
pub(super) fn c_integer(text: &str, base: u32) -> Option<(i64, usize)> {
    let blanks = skip_spaces(text);
    let signed = &text.as_bytes()[blanks..];
    let sign = usize::from(matches!(signed.first(), Some(b'+' | b'-')));
    let digits = &signed[sign..];
    let hex = base == 0 && starts_with_word(digits, "0x") && digits.get(2).is_some_and(u8::is_ascii_hexdigit);
    let (radix, skip) = match digits.first() {
        _ if hex => (16, 2),
        Some(b'0') if base == 0 => (8, 0),
        _ => (10, 0),
    };
    let length = count(&digits[skip..], |b| (b as char).is_digit(radix));
    if length == 0 {
        return None;
    }
    let negative = signed[0] == b'-';
    let value = digits[skip..skip + length].iter().fold(0i64, |value, &b| {
        let digit = i64::from((b as char).to_digit(radix).unwrap_or(0));
        let step = value.saturating_mul(i64::from(radix));
        if negative { step.saturating_sub(digit) } else { step.saturating_add(digit) }
    });
    Some((value, blanks + sign + skip + length))
}

/// A number as the hardware should see it: truncated as picasso does, but zero below
/// 2^-62, infinity from 2^64 on, and NaN as a NaN (spec section 4).
pub(super) fn float24(value: f32) -> u32 {
    let how =
        Encoding { rounding: Rounding::TowardZero, tiny: Tiny::FlushBefore, overflow: Overflow::Infinity };
    F24.encode(f64::from(value), how)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_reads_as_far_as_it_understands() {
        assert_eq!(c_float(" 1.0/128.0"), (1.0, 4));
        assert_eq!(c_float("-.5x"), (-0.5, 3));
        assert_eq!(c_float("1e"), (1.0, 1));
        assert_eq!(c_float("0x1p4"), (16.0, 5));
        assert_eq!(c_float("0x"), (0.0, 1));
        assert_eq!(c_float("."), (0.0, 0));
        assert_eq!(c_float("INFINITY").0, f64::INFINITY);
        assert_eq!(c_integer("0x1fz", 0), Some((31, 4)));
        assert_eq!(c_integer("010", 0), Some((8, 3)));
        assert_eq!(c_integer("08", 0), Some((0, 1)));
        assert_eq!(c_integer("abc", 10), None);
    }
}
