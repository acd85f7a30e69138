//! Numbers in text as the C library reads them: the longest prefix that is a
//! number counts, the rest is ignored, and no prefix at all means zero.
//!
//! Assemblers in C use `atof` and `atoi`, and their users' sources rely on it.

/// C's `atof`: decimal, hexadecimal (`0x1.8p3`), `inf`, `infinity`, `nan`, any
/// case, after blanks and a sign. Correctly rounded.
#[must_use]
pub fn atof(text: &str) -> f64 {
    let text = text.trim_start_matches(is_blank).as_bytes();
    let (negative, digits) = sign(text);
    // The sign of no number is no sign: "--1" is +0.
    let number = special(digits).or_else(|| hexadecimal(digits)).or_else(|| decimal(digits));
    number.map_or(0.0, |magnitude| if negative { -magnitude } else { magnitude })
}

/// C's `atoi` on a machine with a `long` of 64 bits (glibc): decimal digits
/// after blanks and a sign; the `long`, which stops at its limits, is cut to 32
/// bits.
#[must_use]
pub fn atoi(text: &str) -> i32 {
    let (negative, digits) = sign(text.trim_start_matches(is_blank).as_bytes());
    let value = digits.iter().take_while(|c| c.is_ascii_digit()).fold(0_i64, |value, c| {
        let digit = i64::from(c - b'0');
        value.saturating_mul(10).saturating_add(if negative { -digit } else { digit })
    });
    value as i32
}

/// What C's `isspace` accepts.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// Takes a sign off: whether it was a minus, and what follows.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

fn special(text: &[u8]) -> Option<f64> {
    let starts = |word: &[u8]| text.get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word));
    if starts(b"inf") {
        Some(f64::INFINITY)
    } else if starts(b"nan") {
        Some(f64::NAN)
    } else {
        None
    }
}

/// The number of leading bytes that `accept` takes.
fn run(text: &[u8], accept: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|&&c| accept(c)).count()
}

/// Length of an exponent (`e-12`) at the head of `text`; 0 if it has no digits.
fn exponent_length(text: &[u8], letter: u8) -> usize {
    if !text.first().is_some_and(|c| c.eq_ignore_ascii_case(&letter)) {
        return 0;
    }
    let signed = usize::from(matches!(text.get(1), Some(b'+' | b'-')));
    match run(&text[1 + signed..], |c| c.is_ascii_digit()) {
        0 => 0,
        digits => 1 + signed + digits,
    }
}

fn decimal(text: &[u8]) -> Option<f64> {
    let whole = run(text, |c| c.is_ascii_digit());
    let mut end = whole;
    let mut digits = whole;
    if text.get(end) == Some(&b'.') {
        let fraction = run(&text[end + 1..], |c| c.is_ascii_digit());
        digits += fraction;
        end += 1 + fraction;
    }
    if digits == 0 {
        return None;
    }
    end += exponent_length(&text[end..], b'e');
    std::str::from_utf8(&text[..end]).ok().and_then(|number| number.parse().ok())
}

fn hexadecimal(text: &[u8]) -> Option<f64> {
    let [b'0', b'x' | b'X', digits @ ..] = text else { return None };
    let mut significand = Significand::default();
    let mut point = false;
    let mut any = false;
    let mut length = 0;
    for &c in digits {
        match (c as char).to_digit(16) {
            Some(digit) => {
                any = true;
                significand.push(digit, point);
            }
            None if c == b'.' && !point => point = true,
            None => break,
        }
        length += 1;
    }
    // "0x" without digits is the number 0 followed by text.
    any.then(|| significand.value(exponent(&digits[length..], b'p')))
}

/// The exponent at the head of `text`, limited to what matters.
fn exponent(text: &[u8], letter: u8) -> i64 {
    let Some(digits) = text[..exponent_length(text, letter)].get(1..) else { return 0 };
    let (negative, digits) = sign(digits);
    let value = digits.iter().fold(0_i64, |v, c| (v * 10 + i64::from(c - b'0')).min(1 << 40));
    if negative { -value } else { value }
}

/// Hexadecimal digits, of which the first 60 bits count and the rest only says
/// "more than that".
#[derive(Default)]
struct Significand {
    bits: u64,
    scale: i64,
}

impl Significand {
    fn push(&mut self, digit: u32, fraction: bool) {
        if self.bits >> 56 == 0 {
            self.bits = self.bits << 4 | u64::from(digit);
        } else {
            self.bits |= u64::from(digit != 0);
            self.scale += 4;
        }
        self.scale -= if fraction { 4 } else { 0 };
    }

    /// `bits * 2^(scale + exponent)`, rounded once to nearest even.
    fn value(&self, exponent: i64) -> f64 {
        let top = 63 - i64::from(self.bits.leading_zeros());
        let unit = self.scale + exponent;
        if self.bits == 0 || top + unit < -1080 {
            return 0.0;
        }
        if top + unit > 1024 {
            return f64::INFINITY;
        }
        if top + unit >= -1022 { scale(self.bits as f64, unit) } else { self.subnormal(unit) }
    }

    /// `bits * 2^unit`, below the normal range: the result has fewer bits, so
    /// the rounding happens here, on an integer with two bits to spare.
    fn subnormal(&self, unit: i64) -> f64 {
        let drop = -1074 - unit - 2;
        let quarter = if drop <= 0 {
            self.bits << -drop
        } else {
            let drop = drop.min(63) as u32;
            self.bits >> drop | u64::from(self.bits & ((1 << drop) - 1) != 0)
        };
        let up = quarter & 3 == 3 || quarter & 3 == 2 && quarter & 4 != 0;
        f64::from_bits((quarter >> 2) + u64::from(up))
    }
}

/// `x * 2^n` in two steps that are exact unless the result is infinite.
fn scale(x: f64, n: i64) -> f64 {
    let half = n / 2;
    let power = |n: i64| f64::from_bits(((n + 1023).clamp(1, 2046) as u64) << 52);
    x * power(half) * power(n - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes() {
        for (text, value) in [
            ("1.5abc", 1.5),
            (" \t+2", 2.0),
            ("--1", 0.0),
            ("1e", 1.0),
            ("1e+", 1.0),
            ("1e-2x", 0.01),
            (".", 0.0),
            (".5.", 0.5),
            ("5.", 5.0),
            ("0x", 0.0),
            ("0x.8", 0.5),
            ("0x1.8p3", 12.0),
            ("0x1p-1074", f64::from_bits(1)),
            ("0x1.8p-1074", f64::from_bits(2)),
            ("0x.8p-1074", 0.0),
            ("0x.ffffffffffffff8p-1022", f64::MIN_POSITIVE),
            ("0x1.00000000000008p-1020", 4.0 * f64::MIN_POSITIVE),
            ("0x1.fffffffffffff8p0", 2.0),
            ("0x1p1024", f64::INFINITY),
            ("0x1p99999999999999999999", f64::INFINITY),
            ("-INFINITY", f64::NEG_INFINITY),
            ("1e400", f64::INFINITY),
            ("", 0.0),
        ] {
            assert_eq!(atof(text), value, "{text}");
        }
        assert!(atof("-nan(12)").is_nan() && atof("-nan").is_sign_negative());
    }

    #[test]
    fn integers() {
        assert_eq!(atoi(" -12x"), -12);
        assert_eq!(atoi("4294967297"), 1);
        assert_eq!(atoi("99999999999999999999"), -1);
        assert_eq!(atoi("0x10"), 0);
    }
}
