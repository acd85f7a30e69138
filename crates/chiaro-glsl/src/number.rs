//! What a number is worth, and which suffixes it has.

use crate::small::Small;
use crate::token::Kind;

/// What is wrong with a number, and where it can be helped, how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Wrong {
    /// A digit that the base does not have, or none at all.
    Digits(&'static str),
    /// Letters behind it that mean nothing.
    Suffix(String),
    /// More than its bits can hold.
    TooLarge(u8),
}

/// What a suffix asks of the version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Suffix {
    /// None is there.
    None,
    /// `u`.
    Unsigned,
    /// `f`.
    Float,
    /// `lf`.
    Double,
    /// `hf`.
    Half,
    /// `fe2m1` and the like.
    Small(Small),
    /// `l`, `ul`.
    Long,
    /// `s`, `us`.
    Short,
}

/// Reads a number as it is spelled.
pub(crate) fn read(text: &str) -> Result<(Kind, Suffix), Wrong> {
    let hex = text.len() > 1 && text.as_bytes()[0] == b'0' && matches!(text.as_bytes()[1], b'x' | b'X');
    let real = text.bytes().any(|b| matches!(b, b'.' | b'e' | b'E')) || float_suffix(text);
    if real && !hex { float(text) } else { integer(text, hex) }
}

/// `1f`: a float without a dot, which EXT-free GLSL lacks but desktop compilers take.
fn float_suffix(text: &str) -> bool {
    matches!(
        text.trim_start_matches(|c: char| c.is_ascii_digit()),
        "f" | "F" | "lf" | "LF" | "lF" | "Lf" | "hf" | "HF" | "hF" | "Hf"
    )
}

fn float(text: &str) -> Result<(Kind, Suffix), Wrong> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    let mut count = end;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        count += fraction;
        end += 1 + fraction;
    }
    if count == 0 {
        return Err(Wrong::Digits("a number needs a digit"));
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let power = digits(end + 1 + sign);
        if power == 0 {
            return Err(Wrong::Digits("an exponent needs a digit"));
        }
        end += 1 + sign + power;
    }
    let (suffix, bits) = match &text[end..] {
        "" => (Suffix::None, 32),
        "f" | "F" => (Suffix::Float, 32),
        "lf" | "LF" | "lF" | "Lf" => (Suffix::Double, 64),
        "hf" | "HF" | "hF" | "Hf" => (Suffix::Half, 16),
        other => {
            let small = Small::of_suffix(other).ok_or_else(|| Wrong::Suffix(other.to_owned()))?;
            let value = small.round(text[..end].parse().unwrap_or(0.0));
            return Ok((Kind::Small { value, small }, Suffix::Small(small)));
        }
    };
    Ok((Kind::Float { value: rounded(&text[..end], bits), bits }, suffix))
}

/// The nearest number of so many bits. Half floats go by way of a double, which can differ in
/// the last bit only where more than 30 digits decide between two neighbours.
fn rounded(digits: &str, bits: u8) -> f64 {
    match bits {
        64 => digits.parse().unwrap_or(0.0),
        16 => half(digits.parse().unwrap_or(0.0)),
        _ => digits.parse::<f32>().map_or(0.0, f64::from),
    }
}

/// The nearest half float, ties to even; infinite from 65520 on.
fn half(value: f64) -> f64 {
    if value >= 65520.0 {
        return f64::INFINITY;
    }
    // The distance of half floats near the value: 10 bits below its leading one, 2^-24 at least.
    let power = ((value.to_bits() >> 52) as i32 - 1023).max(-14);
    let ulp = 2f64.powi(power - 10);
    (value / ulp).round_ties_even() * ulp
}

fn integer(text: &str, hex: bool) -> Result<(Kind, Suffix), Wrong> {
    let octal = !hex && text.len() > 1 && text.starts_with('0');
    let radix = if hex {
        16
    } else if octal {
        8
    } else {
        10
    };
    let body = if hex { &text[2..] } else { text };
    let end = body.find(|c: char| !c.is_digit(if hex { 16 } else { 10 })).unwrap_or(body.len());
    let (digits, suffix) = body.split_at(end);
    if digits.is_empty() {
        return Err(Wrong::Digits("`0x` needs a digit"));
    }
    let (suffix, unsigned, bits) = match suffix {
        "" => (Suffix::None, false, 32),
        "u" | "U" => (Suffix::Unsigned, true, 32),
        "l" | "L" => (Suffix::Long, false, 64),
        "ul" | "UL" => (Suffix::Long, true, 64),
        "s" | "S" => (Suffix::Short, false, 16),
        "us" | "US" => (Suffix::Short, true, 16),
        other => return Err(Wrong::Suffix(other.to_owned())),
    };
    if octal && digits.bytes().any(|b| b > b'7') {
        return Err(Wrong::Digits("a number that starts with 0 is octal and has no 8 or 9"));
    }
    match u64::from_str_radix(digits, radix) {
        Ok(value) if bits == 64 || value >> bits == 0 => Ok((Kind::Int { value, unsigned, bits }, suffix)),
        _ => Err(Wrong::TooLarge(bits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Option<u64> {
        match read(text) {
            Ok((Kind::Int { value, .. }, _)) => Some(value),
            _ => None,
        }
    }

    fn real(text: &str) -> Option<f64> {
        match read(text) {
            Ok((Kind::Float { value, .. }, _)) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn bases_and_limits() {
        assert_eq!([int("0"), int("017"), int("0x1F"), int("42u")], [Some(0), Some(15), Some(31), Some(42)]);
        assert_eq!(
            [int("4294967295"), int("4294967296"), int("4294967296ul")],
            [Some(u32::MAX.into()), None, Some(1 << 32)]
        );
        assert_eq!([int("08"), int("0x"), int("1x"), int("99999999999999999999l")], [None; 4]);
        assert_eq!([int("65535us"), int("65536us")], [Some(65535), None]);
    }

    #[test]
    fn floats_round_once_to_their_width() {
        assert_eq!(
            [real("1."), real(".5"), real("1e2"), real("2.5e-1f")],
            [Some(1.0), Some(0.5), Some(100.0), Some(0.25)]
        );
        assert_eq!(real("0.1"), Some(f64::from(0.1f32)));
        assert_eq!(real("0.1lf"), Some(0.1));
        // Between two floats: by way of a double this would round down.
        assert_eq!(real("1.00000005960464477539062500000001"), Some(1.0 + f64::from(f32::EPSILON)));
        assert_eq!(
            [real("0.1hf"), real("65519.0hf"), real("1e9hf")],
            [Some(0.0999755859375), Some(65504.0), Some(f64::INFINITY)]
        );
        assert_eq!([real("1e"), real("1.0x"), real("1.2.3")], [None; 3]);
    }
}
