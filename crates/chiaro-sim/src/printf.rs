//! Texts with values, as `printf` and `NonSemantic.DebugPrintf` have them: `%d`, `%5.2f`, `%v3f`, `%lx`.
//!
//! The values say how wide they are, so letters of length are read and not needed. What no value
//! is left for stays as it is written.

/// Most characters that a width or a precision adds.
const WIDEST: usize = 64;
/// Digits behind the point where a text does not say.
const DIGITS: usize = 6;

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The bits of a number, and how many.
    Bits(u64, u8),
    /// A text.
    Text(String),
}

/// What stands behind a percent sign.
#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    blank: bool,
    form: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Components of a vector.
    count: usize,
    letter: char,
}

/// The text with its values.
#[must_use]
pub fn format(text: &str, arguments: impl IntoIterator<Item = Argument>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    let mut arguments = arguments.into_iter();
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let (spec, length) = Spec::read(&rest[at + 1..]);
        let written = &rest[at..at + 1 + length];
        rest = &rest[at + 1 + length..];
        match spec.letter {
            '%' => out.push('%'),
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'c' | 'p' | 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A'
            | 's' => {
                let values: Vec<Argument> = arguments.by_ref().take(spec.count.max(1)).collect();
                let shown: Vec<String> = values.iter().map(|value| spec.show(value)).collect();
                out.push_str(if shown.is_empty() { written } else { "" });
                out.push_str(&shown.join(", "));
            }
            _ => out.push_str(written),
        }
    }
    out.push_str(rest);
    out
}

/// The letters of what a text shows, in their order.
#[must_use]
pub fn letters(text: &str) -> Vec<char> {
    let (mut letters, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('%') {
        let (spec, length) = Spec::read(&rest[at + 1..]);
        rest = &rest[at + 1 + length..];
        letters.extend((spec.letter != '%').then_some(spec.letter));
    }
    letters
}

impl Spec {
    /// Reads what follows a percent sign; with how many bytes it takes.
    fn read(text: &str) -> (Spec, usize) {
        let mut spec = Spec::default();
        let flags = text.trim_start_matches(|c| match c {
            '-' => std::mem::replace(&mut spec.left, true) || spec.left,
            '+' => std::mem::replace(&mut spec.plus, true) || spec.plus,
            ' ' => std::mem::replace(&mut spec.blank, true) || spec.blank,
            '#' => std::mem::replace(&mut spec.form, true) || spec.form,
            '0' => std::mem::replace(&mut spec.zero, true) || spec.zero,
            _ => false,
        });
        let mut rest = flags;
        spec.width = digits(&mut rest).unwrap_or(0).min(WIDEST);
        if let Some(behind) = rest.strip_prefix('.') {
            rest = behind;
            spec.precision = Some(digits(&mut rest).unwrap_or(0).min(WIDEST));
        }
        if let Some(behind) = rest.strip_prefix('v') {
            rest = behind;
            spec.count = digits(&mut rest).unwrap_or(0).min(WIDEST);
        }
        rest = rest.trim_start_matches(['l', 'h']);
        let letter = rest.chars().next();
        spec.letter = letter.unwrap_or_default();
        (spec, text.len() - rest.len() + letter.map_or(0, char::len_utf8))
    }

    fn show(&self, value: &Argument) -> String {
        let (bits, width) = match value {
            Argument::Text(text) => return self.pad("", text, false),
            Argument::Bits(bits, width) => (*bits, (*width).clamp(1, 64)),
        };
        let signed = (bits << (64 - width)).cast_signed() >> (64 - width);
        let unsigned = bits & u64::MAX >> (64 - width);
        match self.letter {
            'd' | 'i' => {
                self.pad(self.sign(signed < 0), &self.whole(signed.unsigned_abs().to_string()), true)
            }
            'u' | 's' => self.pad("", &self.whole(unsigned.to_string()), true),
            'x' => self.pad(self.prefix("0x"), &self.whole(format!("{unsigned:x}")), true),
            'X' => self.pad(self.prefix("0X"), &self.whole(format!("{unsigned:X}")), true),
            'o' => self.pad(self.prefix("0"), &self.whole(format!("{unsigned:o}")), true),
            'p' => self.pad("0x", &format!("{unsigned:x}"), true),
            'c' => self.pad("", &char::from(unsigned as u8).to_string(), false),
            _ => self.float(float(unsigned, width)),
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.blank) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (.., true) => " ",
            _ => "",
        }
    }

    fn prefix(&self, prefix: &'static str) -> &'static str {
        if self.form { prefix } else { "" }
    }

    /// Digits of an integer: a precision says how many at least.
    fn whole(&self, digits: String) -> String {
        format!("{digits:0>0$}", self.precision.unwrap_or(0))
    }

    fn float(&self, x: f64) -> String {
        let (sign, upper) =
            (self.sign(x.is_sign_negative() && !x.is_nan()), self.letter.is_ascii_uppercase());
        let (x, digits) = (x.abs(), self.precision.unwrap_or(DIGITS));
        let text = match self.letter.to_ascii_lowercase() {
            _ if !x.is_finite() => if x.is_nan() { "nan" } else { "inf" }.to_owned(),
            'e' => exponential(x, digits),
            'g' => general(x, digits.max(1), self.form),
            'a' => hexadecimal(x),
            _ => format!("{x:.digits$}"),
        };
        let text = if upper { text.to_ascii_uppercase() } else { text };
        self.pad(sign, &text, x.is_finite())
    }

    /// With blanks or zeros up to the width.
    fn pad(&self, sign: &str, text: &str, number: bool) -> String {
        let missing = self.width.saturating_sub(sign.len() + text.chars().count());
        match (self.left, self.zero && number) {
            (true, _) => format!("{sign}{text}{}", " ".repeat(missing)),
            (_, true) => format!("{sign}{}{text}", "0".repeat(missing)),
            _ => format!("{}{sign}{text}", " ".repeat(missing)),
        }
    }
}

/// A decimal number, if one stands here.
fn digits(text: &mut &str) -> Option<usize> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = text[..text.len() - rest.len()].parse().ok();
    *text = rest;
    number
}

/// The value of a float of so many bits.
fn float(bits: u64, width: u8) -> f64 {
    match width {
        16 => crate::f16::wide(bits as u32).into(),
        64 => f64::from_bits(bits),
        _ => f32::from_bits(bits as u32).into(),
    }
}

/// `1.5e+03`: C wants a sign and two digits in the exponent.
fn exponential(x: f64, digits: usize) -> String {
    let text = format!("{x:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let sign = if exponent.starts_with('-') { '-' } else { '+' };
    format!("{mantissa}e{sign}{:0>2}", exponent.trim_start_matches('-'))
}

/// The shorter of both, with so many digits, without zeros at the end.
fn general(x: f64, digits: usize, keep: bool) -> String {
    let rounded = format!("{x:.*e}", digits - 1);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let short = |text: String| {
        let bare = if text.contains('.') && !keep {
            text.trim_end_matches('0').trim_end_matches('.')
        } else {
            &text
        };
        bare.to_owned()
    };
    if exponent < -4 || exponent >= digits as i32 {
        let text = exponential(x, digits - 1);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
        return format!("{}e{exponent}", short(mantissa.to_owned()));
    }
    short(format!("{x:.*}", (digits as i32 - 1 - exponent) as usize))
}

/// `0x1.8p+1`.
fn hexadecimal(x: f64) -> String {
    let (bits, bias) = (x.to_bits(), 1023);
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & (1 << 52) - 1);
    let (lead, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, 1 - bias),
        _ => (1, exponent - bias),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    format!("0x{lead}{}{digits}p{exponent:+}", if digits.is_empty() { "" } else { "." })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(x: f32) -> Argument {
        Argument::Bits(x.to_bits().into(), 32)
    }

    #[test]
    fn texts_are_those_of_c() {
        let minus = || Argument::Bits(0xffff_fff6, 32);
        let cases: [(&str, Vec<Argument>, &str); 20] = [
            ("x = %d%%", vec![minus()], "x = -10%"),
            (
                "%u %x %#X %o",
                vec![minus(), minus(), minus(), Argument::Bits(8, 32)],
                "4294967286 fffffff6 0XFFFFFFF6 10",
            ),
            (
                "[%5d|%-5d|%05d|%+d|% d]",
                vec![minus(), minus(), minus(), Argument::Bits(3, 8), Argument::Bits(3, 8)],
                "[  -10|-10  |-0010|+3| 3]",
            ),
            ("%.3d", vec![Argument::Bits(7, 16)], "007"),
            ("%lu", vec![Argument::Bits(u64::MAX, 64)], "18446744073709551615"),
            ("%f %.1f %F", vec![bits(1.5), bits(-2.25), bits(f32::INFINITY)], "1.500000 -2.2 INF"),
            ("%8.2f|%-8.2f|", vec![bits(1.0), bits(1.0)], "    1.00|1.00    |"),
            ("%e %.2E", vec![bits(1500.0), bits(0.001_953_125)], "1.500000e+03 1.95E-03"),
            ("%g %g %g", vec![bits(0.5), bits(1e10), bits(1e-5)], "0.5 1e+10 1e-05"),
            ("%g", vec![bits(100_000.0)], "100000"),
            ("%a %a", vec![bits(3.0), bits(0.0)], "0x1.8p+1 0x0p+0"),
            ("%v3f!", vec![bits(1.0), bits(2.0), bits(3.0)], "1.000000, 2.000000, 3.000000!"),
            ("%v2d", vec![minus(), Argument::Bits(2, 32)], "-10, 2"),
            ("%c%s", vec![Argument::Bits(65, 8), Argument::Text("bc".into())], "Abc"),
            ("%5s|", vec![Argument::Text("é".into())], "    é|"),
            ("%f", vec![Argument::Bits(0x3e00, 16)], "1.500000"),
            ("%d %d", vec![Argument::Bits(1, 32)], "1 %d"),
            ("%", vec![], "%"),
            ("%y %", vec![Argument::Bits(1, 32)], "%y %"),
            ("%99999999999999999999d", vec![Argument::Bits(1, 32)], "1"),
        ];
        for (text, arguments, wanted) in cases {
            assert_eq!(format(text, arguments), wanted, "{text}");
        }
        assert_eq!(letters("%d%% %-5s %v4f %"), ['d', 's', 'f', '\0']);
    }
}
