//! Numbers: as C reads them, and as they are meant.
//!
//! picasso hands the text of a number to C's `atof`, `atoi` or `strtoll`, which read
//! as far as they understand and drop the rest in silence. The `c_*` functions
//! (and [`chiaro_num::text`]) give exactly that; [`calculate`] reads the whole text, with `+ - * /` and
//! parentheses. Both are needed to tell a user how they differ.

use chiaro_num::{Encoding, F24, Overflow, Rounding, Tiny};

/// How deep parentheses may nest; more is no number that anyone wrote.
const DEEPEST: u32 = 64;

fn skip_spaces(text: &str) -> usize {
    text.bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)).count()
}

fn count(text: &[u8], part: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|&&b| part(b)).count()
}

fn starts_with_word(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word.as_bytes()))
}

/// C's `strtod`: the value of the longest number at the start, and its length.
pub(super) fn c_float(text: &str) -> (f64, usize) {
    let blanks = skip_spaces(text);
    let sign = usize::from(text[blanks..].starts_with(['+', '-']));
    match unsigned_length(&text[blanks + sign..]) {
        0 => (0.0, 0),
        length => (chiaro_num::atof(&text[..blanks + sign + length]), blanks + sign + length),
    }
}

/// Bytes of the number without a sign at the start; 0 when there is none.
fn unsigned_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if starts_with_word(bytes, "0x") {
        let digits = |b: u8| b.is_ascii_hexdigit();
        let length = digits_length(&bytes[2..], digits, b'p');
        if length != 0 {
            return 2 + length;
        }
    }
    let words = ["infinity", "inf", "nan"].into_iter();
    let word = words.filter(|word| starts_with_word(bytes, word)).map(str::len).next();
    word.unwrap_or_else(|| digits_length(bytes, |b| b.is_ascii_digit(), b'e'))
}

/// Bytes of `digits[.digits][e[sign]digits]`; 0 without a digit in front of the `e`.
fn digits_length(bytes: &[u8], digit: impl Fn(u8) -> bool, letter: u8) -> usize {
    let whole = count(bytes, &digit);
    let mut length = whole;
    if bytes.get(whole) == Some(&b'.') {
        let part = count(&bytes[whole + 1..], &digit);
        if whole + part == 0 {
            return 0;
        }
        length += 1 + part;
    }
    if length == 0 || !bytes.get(length).is_some_and(|b| b.eq_ignore_ascii_case(&letter)) {
        return length;
    }
    let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
    match count(&bytes[length + 1 + sign..], |b| b.is_ascii_digit()) {
        0 => length,
        digits => length + 1 + sign + digits,
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

/// The value of a whole text with `+ - * /` and parentheses; the error is the
/// offset of what was not understood.
pub(super) fn calculate(text: &str) -> Result<f64, usize> {
    let mut sum = Sum { text, at: 0 };
    let value = sum.sum(DEEPEST)?;
    sum.blanks();
    if sum.at == text.len() { Ok(value) } else { Err(sum.at) }
}

struct Sum<'a> {
    text: &'a str,
    at: usize,
}

impl Sum<'_> {
    fn blanks(&mut self) {
        self.at += skip_spaces(&self.text[self.at..]);
    }

    /// The next character if it is one of these.
    fn eat(&mut self, these: &[u8]) -> Option<u8> {
        self.blanks();
        let next = *self.text.as_bytes().get(self.at)?;
        these.contains(&next).then(|| {
            self.at += 1;
            next
        })
    }

    fn sum(&mut self, deeper: u32) -> Result<f64, usize> {
        let mut value = self.product(deeper)?;
        while let Some(sign) = self.eat(b"+-") {
            let next = self.product(deeper)?;
            value = if sign == b'+' { value + next } else { value - next };
        }
        Ok(value)
    }

    fn product(&mut self, deeper: u32) -> Result<f64, usize> {
        let mut value = self.factor(deeper)?;
        while let Some(sign) = self.eat(b"*/") {
            let next = self.factor(deeper)?;
            value = if sign == b'*' { value * next } else { value / next };
        }
        Ok(value)
    }

    fn factor(&mut self, deeper: u32) -> Result<f64, usize> {
        let mut negative = false;
        while let Some(sign) = self.eat(b"+-") {
            negative ^= sign == b'-';
        }
        let value = if self.eat(b"(").is_some() {
            let inner = self.sum(deeper.checked_sub(1).ok_or(self.at)?)?;
            self.eat(b")").ok_or(self.at)?;
            inner
        } else {
            let length = unsigned_length(&self.text[self.at..]);
            if length == 0 {
                return Err(self.at);
            }
            self.at += length;
            chiaro_num::atof(&self.text[self.at - length..self.at])
        };
        Ok(if negative { -value } else { value })
    }
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

    #[test]
    fn sums_are_calculated_and_bounded() {
        assert_eq!(calculate("1.0/128.0"), Ok(1.0 / 128.0));
        assert_eq!(calculate("2*(3 - -1)"), Ok(8.0));
        assert_eq!(calculate("1.0f"), Err(3));
        assert_eq!(calculate(""), Err(0));
        assert_eq!(calculate("1+"), Err(2));
        assert!(calculate(&"(".repeat(100_000)).is_err());
    }
}
