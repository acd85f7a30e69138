//! Numbers: as C reads them, and as they are meant.
//!
//! picasso hands the text of a number to C's `atof`, `atoi` or `strtoll`, which read
//! as far as they understand and drop the rest in silence. The `c_*` functions
//! give exactly that; [`calculate`] reads the whole text, with `+ - * /` and
//! parentheses. Both are needed to tell a user how they differ.

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
    let signed = &text[blanks..];
    let sign = usize::from(signed.starts_with(['+', '-']));
    let (size, length) = unsigned_float(&signed[sign..]);
    if length == 0 {
        return (0.0, 0);
    }
    (if signed.starts_with('-') { -size } else { size }, blanks + sign + length)
}

fn unsigned_float(text: &str) -> (f64, usize) {
    let bytes = text.as_bytes();
    if starts_with_word(bytes, "0x") {
        let (value, length) = hex_float(&bytes[2..]);
        if length != 0 {
            return (value, length + 2);
        }
    }
    for (word, value) in [("infinity", f64::INFINITY), ("inf", f64::INFINITY), ("nan", f64::NAN)] {
        if starts_with_word(bytes, word) {
            return (value, word.len());
        }
    }
    let length = decimal_length(bytes);
    (text[..length].parse().unwrap_or(0.0), length)
}

/// Bytes of `digits[.digits][e[sign]digits]`; 0 without a digit in front of the `e`.
fn decimal_length(bytes: &[u8]) -> usize {
    let whole = count(bytes, |b| b.is_ascii_digit());
    let mut length = whole;
    if bytes.get(whole) == Some(&b'.') {
        let part = count(&bytes[whole + 1..], |b| b.is_ascii_digit());
        if whole + part == 0 {
            return 0;
        }
        length += 1 + part;
    }
    if length == 0 || !matches!(bytes.get(length), Some(b'e' | b'E')) {
        return length;
    }
    let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
    let digits = count(&bytes[length + 1 + sign..], |b| b.is_ascii_digit());
    if digits == 0 { length } else { length + 1 + sign + digits }
}

/// What follows `0x`: hexadecimal digits, a point, a binary exponent after `p`.
fn hex_float(bytes: &[u8]) -> (f64, usize) {
    let (mut mantissa, mut exponent, mut digits, mut at) = (0u64, 0i64, 0usize, 0usize);
    let mut point = false;
    while let Some(&b) = bytes.get(at) {
        match (b as char).to_digit(16) {
            Some(d) => {
                digits += 1;
                // The last bit of a full mantissa stands for all that follow, which
                // is enough to round once and correctly.
                let room = mantissa < 1 << 58;
                mantissa = if room { mantissa << 4 | u64::from(d) } else { mantissa | u64::from(d != 0) };
                exponent += if room { 0 } else { 4 } - if point { 4 } else { 0 };
            }
            None if b == b'.' && !point => point = true,
            None => break,
        }
        at += 1;
    }
    if digits == 0 {
        return (0.0, 0);
    }
    if matches!(bytes.get(at), Some(b'p' | b'P')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let size = count(&bytes[at + 1 + sign..], |b| b.is_ascii_digit());
        if size != 0 {
            let text = std::str::from_utf8(&bytes[at + 1..at + 1 + sign + size]).unwrap_or("0");
            let given = c_integer(text, 10).map_or(0, |(n, _)| n).clamp(-1 << 40, 1 << 40);
            exponent = exponent.saturating_add(given);
            at += 1 + sign + size;
        }
    }
    (scale(mantissa as f64, exponent), at)
}

/// `x * 2^exponent`.
fn scale(mut x: f64, exponent: i64) -> f64 {
    let mut left = exponent.clamp(-4096, 4096) as i32;
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        x *= 2f64.powi(step);
        left -= step;
    }
    x
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

/// C's `atoi` on a 64-bit system: the low 32 bits of what `strtol` gives.
pub(super) fn c_atoi(text: &str) -> i32 {
    c_integer(text, 10).map_or(0, |(n, _)| n as i32)
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
            let (value, length) = unsigned_float(&self.text[self.at..]);
            self.at += length;
            if length == 0 {
                return Err(self.at);
            }
            value
        };
        Ok(if negative { -value } else { value })
    }
}

/// A binary32 number as picasso stores it: truncated, with an exponent that may
/// leave the valid range by one on either side (spec section 4). [picasso, measured]
pub(super) fn float24_of_picasso(value: f32) -> u32 {
    let bits = value.to_bits();
    let sign = bits >> 31 << 23;
    let exponent = (bits >> 23 & 0xff) as i32 - 64;
    match exponent {
        ..0 => sign,
        0..=127 => sign | (exponent as u32) << 16 | bits >> 7 & 0xffff,
        _ => sign | 0x7f_0000,
    }
}

/// A binary32 number as the hardware should see it: truncated like picasso's, but
/// zero below 2^-62, infinity from 2^64 on, and NaN as a NaN.
pub(super) fn float24(value: f32) -> u32 {
    let sign = value.to_bits() >> 31 << 23;
    if value.is_nan() {
        return sign | 0x7f_8000;
    }
    match float24_of_picasso(value) {
        raw if raw >> 16 & 0x7f == 0 => sign,
        raw if raw >> 16 & 0x7f == 0x7f => sign | 0x7f_0000,
        raw => raw,
    }
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
        assert_eq!(c_atoi("0x10"), 0);
        assert_eq!(c_atoi("99999999999999999999"), -1);
        assert_eq!(c_integer("abc", 10), None);
    }

    #[test]
    fn hexadecimal_numbers_round_once() {
        assert_eq!(c_float("0x1.00000000000008000001p0").0, 1.0 + f64::EPSILON);
        assert_eq!(c_float("0x1.000000000000080p0").0, 1.0);
        assert_eq!(c_float("0x.8p1").0, 1.0);
        assert_eq!(c_float("0x1p99999999999999999999").0, f64::INFINITY);
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
