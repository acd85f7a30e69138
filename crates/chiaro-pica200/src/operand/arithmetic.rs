//! Numbers that are calculated: `1.0/128.0`, `2*(3-1)`.
//!
//! No assembler for this machine had them before; they are read where a number is
//! expected, in the strict reading of sources only.

/// How deep parentheses may nest; more is no number that anyone wrote.
const DEEPEST: u32 = 64;

pub(crate) fn skip_spaces(text: &str) -> usize {
    text.bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)).count()
}

pub(crate) fn count(text: &[u8], part: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|&&b| part(b)).count()
}

pub(crate) fn starts_with_word(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|t| t.eq_ignore_ascii_case(word.as_bytes()))
}

/// The value of a whole text with `+ - * /` and parentheses; the error is the
/// offset of what was not understood.
pub(crate) fn calculate(text: &str) -> Result<f64, usize> {
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

/// Bytes of the number without a sign at the start; 0 when there is none.
pub(crate) fn unsigned_length(text: &str) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

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
