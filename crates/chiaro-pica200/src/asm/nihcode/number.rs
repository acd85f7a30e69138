//! Constants: how they are read, and what float24 they become.

use super::lex::Cursor;
use chiaro_diag::Span;

/// A number with its place.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub(super) value: f32,
    pub(super) span: Span,
}

/// Reads a number; `tool` asks for nihstro's rounding.
pub(super) fn number(s: &mut Cursor<'_>, tool: bool) -> Option<Number> {
    let rest = s.rest();
    let start = s.end();
    let (value, length) = if tool { read_as_tool(rest)? } else { read(rest)? };
    s.skip(length);
    Some(Number { value, span: s.since(start) })
}

/// The nearest binary32 of a decimal number, and its length.
fn read(text: &str) -> Option<(f32, usize)> {
    let bytes = text.as_bytes();
    let part = |i: usize| match bytes[i] {
        b'+' | b'-' => i == 0 || matches!(bytes[i - 1], b'e' | b'E'),
        b => b.is_ascii_alphanumeric() || b == b'.',
    };
    let length = (0..bytes.len()).find(|&i| !part(i)).unwrap_or(bytes.len());
    Some((text[..length].parse().ok()?, length))
}

/// A number as Boost.Spirit 1.74 reads one [nihstro]: as many digits as 32 bits hold are
/// one integer, which is scaled by a power of ten in binary32 arithmetic. This differs
/// from the nearest value in the last place now and then.
fn read_as_tool(text: &str) -> Option<(f32, usize)> {
    let mut s = Digits { bytes: text.as_bytes(), at: 0 };
    let negative = matches!(s.peek(), Some(b'-'));
    s.at += usize::from(matches!(s.peek(), Some(b'+' | b'-')));
    let sign = |value: f32| if negative { -value } else { value };

    let mut digits = 0u32;
    let whole = s.gather(&mut digits);
    if whole == 0
        && let Some(value) = s.word()
    {
        return Some((sign(value), s.at));
    }
    let excess = s.ignore() as i32;
    let mut fraction = 0;
    if s.peek() == Some(b'.') {
        s.at += 1;
        let first = s.at;
        if excess == 0 {
            s.gather(&mut digits);
            fraction = (s.at - first) as i32;
        }
        s.ignore();
        if s.at == first && whole == 0 {
            return None;
        }
    } else if whole == 0 {
        return None;
    }
    let exponent = s.exponent().unwrap_or(0);
    let value = scale(digits, exponent.checked_add(excess)?.checked_sub(fraction)?)?;
    Some((sign(value), s.at))
}

struct Digits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Digits<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Adds digits to a number until one more would not fit; how many there were.
    fn gather(&mut self, number: &mut u32) -> usize {
        let start = self.at;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            let longer = number.checked_mul(10).and_then(|n| n.checked_add(u32::from(digit - b'0')));
            let Some(longer) = longer else { break };
            *number = longer;
            self.at += 1;
        }
        self.at - start
    }

    /// Skips digits; how many there were.
    fn ignore(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// `inf`, `infinity`, `nan` or `nan(...)`.
    fn word(&mut self) -> Option<f32> {
        let rest = &self.bytes[self.at..];
        let starts =
            |word: &str| rest.get(..word.len()).is_some_and(|b| b.eq_ignore_ascii_case(word.as_bytes()));
        if starts("nan") {
            let parameter = rest[3..].starts_with(b"(");
            self.at += 3 + if parameter { rest[3..].iter().position(|&b| b == b')')? + 1 } else { 0 };
            return Some(f32::NAN);
        }
        let length = ["infinity", "inf"].into_iter().find(|word| starts(word))?.len();
        self.at += length;
        Some(f32::INFINITY)
    }

    /// `e` and a number that 32 bits hold; nothing is taken otherwise.
    fn exponent(&mut self) -> Option<i32> {
        let start = self.at;
        let mark = matches!(self.peek(), Some(b'e' | b'E'));
        self.at += usize::from(mark);
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(mark && matches!(self.peek(), Some(b'+' | b'-')));
        let mut digits = 0;
        let found = mark && self.gather(&mut digits) > 0 && self.ignore() == 0;
        let value = if negative { -i64::from(digits) } else { i64::from(digits) };
        let value = i32::try_from(value).ok().filter(|_| found);
        if value.is_none() {
            self.at = start;
        }
        value
    }
}

/// `digits` times a power of ten; `None` beyond what binary32 holds.
fn scale(digits: u32, exponent: i32) -> Option<f32> {
    const POWERS: [f32; 39] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
        1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34,
        1e35, 1e36, 1e37, 1e38,
    ];
    let power = |n: i32| POWERS.get(usize::try_from(n).ok()?).copied();
    match exponent {
        0.. => Some(digits as f32 * power(exponent)?),
        -37.. => Some(digits as f32 / power(-exponent)?),
        _ => {
            let rest = (-37i32).checked_sub(exponent)?;
            let rounded = (digits / 10 * 10) as f32 + (digits % 10) as f32;
            Some(rounded / power(37)? / power(rest).filter(|_| rest <= 37)?)
        }
    }
}

/// Whether a float24 can hold a number of this size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    Yes,
    /// Smaller than the smallest normal number, 2^-62, but not zero.
    TooSmall,
    /// 2^64 or more, but finite.
    TooLarge,
}

/// How a number fits.
pub(super) fn fit(x: f32) -> Fit {
    let size = x.abs();
    match size {
        _ if size == 0.0 || !size.is_finite() => Fit::Yes,
        _ if size < f32::from_bits((127 - 62) << 23) => Fit::TooSmall,
        _ if size >= f32::from_bits((127 + 64) << 23) => Fit::TooLarge,
        _ => Fit::Yes,
    }
}

/// The float24 that a number becomes: cut to 16 bits of fraction, zero where it is too
/// small, infinity where it is too large.
pub(super) fn float24(x: f32) -> u32 {
    match fit(x) {
        _ if x.is_nan() => 0x7f_8000,
        Fit::TooSmall => 0,
        Fit::Yes if x.is_finite() => float24_as_tool(x),
        _ => 0x7f_0000 | u32::from(x.is_sign_negative()) << 23,
    }
}

/// The float24 that nihstro writes: the exponent rebased to 7 bits, whatever it was, so
/// that infinity becomes 1. [nihstro]
pub(super) fn float24_as_tool(x: f32) -> u32 {
    let bits = x.to_bits();
    let sign = bits >> 31 << 23;
    match (bits >> 23 & 0xff) as i32 - 64 {
        ..0 => sign,
        exponent => sign | (exponent as u32 & 0x7f) << 16 | bits >> 7 & 0xffff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_reading_agrees_with_the_nearest_value_for_short_numbers() {
        for text in ["0", "1", "-2.5", ".5", "5.", "+0.1", "3.14159", "1e5", "12.5E-3", "-0", "123456.7"] {
            assert_eq!(read_as_tool(text), read(text), "{text}");
        }
        assert_eq!(read_as_tool("1e"), Some((1.0, 1)));
        assert_eq!(read_as_tool("1e99"), None);
        assert_eq!(read_as_tool("-"), None);
        assert_eq!(read_as_tool("."), None);
        assert_eq!(read_as_tool("-infinity)"), Some((f32::NEG_INFINITY, 9)));
        // The last digits are past the 32 bits.
        assert_eq!(read_as_tool("123456789012"), Some((1_234_567_890f32 * 100.0, 12)));
    }

    #[test]
    fn the_ends_of_the_range() {
        let at = |exponent: i32| 2f32.powi(exponent);
        assert_eq!(
            [float24(at(-62)), float24(at(-63)), float24(at(63)), float24(at(64))],
            [0x1_0000, 0, 0x7e_0000, 0x7f_0000]
        );
        assert_eq!(
            [float24_as_tool(at(-63)), float24_as_tool(at(64)), float24_as_tool(f32::INFINITY)],
            [0, 0x7f_0000, 0x3f_0000]
        );
        assert_eq!([float24(-0.0), float24(-1.5), float24(f32::NAN)], [0x80_0000, 0xbf_8000, 0x7f_8000]);
    }
}
