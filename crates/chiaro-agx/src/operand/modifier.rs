//! Numbers, names and flags that are no registers.

use super::name::number;
use crate::operand::OURS;
use crate::regs::SPECIAL;
use chiaro_isa::{Cursor, Cx, Kind, Out, Partial, Value};

/// An unsigned number: decimal, or with so many binary digits.
pub struct Number {
    /// Binary digits; 0 for decimal.
    pub digits: u8,
    /// Whether `0b` stands before them.
    pub prefix: bool,
}

/// A decimal number.
pub static DECIMAL: Number = Number { digits: 0, prefix: true };
/// A truth table: the result for both sources 0, for A, for B, for both.
pub static TABLE: Number = Number { digits: 4, prefix: false };

/// A number of so many binary digits behind `0b`.
pub const fn binary(digits: u8) -> Number {
    Number { digits, prefix: true }
}

impl Number {
    fn print_digits(&self, n: u64, out: &mut Out) {
        if self.prefix {
            out.push_str("0b");
        }
        for i in (0..self.digits).rev() {
            out.push(if n >> i & 1 == 1 { '1' } else { '0' });
        }
    }
}

impl Kind for Number {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let n = value.int().unwrap_or(0);
        match self.digits {
            0 => out.push_int(n),
            _ => self.print_digits(n as u64, out),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if !self.prefix {
            let digits = s.take(|c| c == b'0' || c == b'1').filter(|d| d.len() == usize::from(self.digits));
            let n = digits.and_then(|d| i64::from_str_radix(d, 2).ok());
            return n
                .map(Value::Int)
                .or_else(|| s.fail_last("expected a truth table of four digits, such as 0110"));
        }
        number(s).map(Value::Int).or_else(|| s.fail("expected a number"))
    }
    fn range(&self, width: u8) -> Option<(i64, i64)> {
        Some((0, ((1u64 << width.min(62)) - 1) as i64))
    }
    fn parts(&self) -> &'static [(&'static str, u8)] {
        if self.prefix { &[] } else { &[("0", 1), ("1", 1), ("2", 1), ("3", 1)] }
    }
}

/// A signed number of so many bits.
pub struct Signed(pub u8);

impl Kind for Signed {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let unused = 64 - u32::from(self.0);
        Some(Value::Int((raw << unused) as i64 >> unused))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let (n, unused) = (value.int()?, 64 - u32::from(self.0));
        ((n << unused) >> unused == n).then(|| Partial::full(n as u64 & u64::MAX >> unused))?
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_int(value.int().unwrap_or(0));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        number(s).map(Value::Int).or_else(|| s.fail("expected a number"))
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        let half = 1i64 << (self.0 - 1);
        Some((-half, half - 1))
    }
}

/// A name out of a list; values without one are written as numbers.
pub struct Listed(pub &'static [&'static str]);

impl Listed {
    /// The number of a name; 0 where no number has it.
    #[must_use]
    pub fn number(&self, name: &str) -> u8 {
        self.0.iter().position(|known| *known == name).unwrap_or(0) as u8
    }
}

/// Formats of memory elements (spec 8.1); 9 and 11 are unknown.
pub static FORMATS: Listed = Listed(&[
    "i8",
    "i16",
    "i32",
    "f16",
    "u8norm",
    "s8norm",
    "u16norm",
    "s16norm",
    "rgb10a2",
    "",
    "srgba8",
    "",
    "rg11b10f",
    "rgb9e5",
    "rg11b10f.rtz",
    "rgb9e5.rtz",
]);
/// Bytes of an element of each of [`FORMATS`], a packed one whole: what indices and strides count in (spec 8.1);
/// of the two that are unknown, 4.
pub const ELEMENT_BYTES: [u8; 16] = [1, 2, 4, 2, 1, 1, 2, 2, 4, 4, 1, 4, 4, 4, 4, 4];
/// Conversions (spec 4.2).
pub static CONVERSIONS: Listed = Listed(&[
    "u8_to_f", "s8_to_f", "", "", "f_to_u16", "f_to_s16", "u16_to_f", "s16_to_f", "f_to_u32", "f_to_s32",
    "u32_to_f", "s32_to_f",
]);
/// How a conversion rounds; 2 and 3 were never seen.
pub static ROUNDS: Listed = Listed(&["rtz", "rte"]);
/// How an image write rounds.
pub static IMAGE_ROUNDS: Listed = Listed(&["rte", "rtz"]);
/// What an atomic does (spec 8.4).
pub static ATOMICS: Listed =
    Listed(&["add", "sub", "xchg", "cmpxchg", "umin", "imin", "umax", "imax", "and", "or", "xor"]);
/// Shapes of textures (spec 9.1).
pub static SHAPES: Listed = Listed(&[
    "tex_1d",
    "tex_1d_array",
    "tex_2d",
    "tex_2d_array",
    "tex_2d_ms",
    "tex_3d",
    "tex_cube",
    "tex_cube_array",
    "tex_2d_ms_array",
]);
/// Gathering and comparing (spec 9.1).
pub static GATHERS: Listed = Listed(&[
    "none",
    "compare",
    "gather_r",
    "gather_depth",
    "",
    "",
    "gather_g",
    "",
    "",
    "",
    "gather_b",
    "",
    "",
    "",
    "gather_a",
]);
/// Whether an index is extended by its sign.
pub static EXTENSIONS: Listed = Listed(&["signed", "unsigned"]);
/// Shapes of block copies.
pub static COPIES: Listed = Listed(&["copy_1d", "copy_2d"]);

impl Kind for Listed {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let n = value.int().unwrap_or(0);
        match self.0.get(n as usize) {
            Some(name) if !name.is_empty() => out.push_str(name),
            _ => out.push_int(n),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if let Some(n) = s.name_in(self.0) {
            return Some(Value::Int(n as i64));
        }
        number(s).map(Value::Int).or_else(|| s.fail("expected one of the names listed, or a number"))
    }
    fn about(&self) -> Option<String> {
        let named = self.0.iter().enumerate().filter(|(_, name)| !name.is_empty());
        Some(named.map(|(n, name)| format!("{n} {name}")).collect::<Vec<_>>().join(", "))
    }
}

/// Which bits of a result there are, as the end of a number of ones: `mask 0x7F`.
pub struct BitMask;

impl Kind for BitMask {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let mask = match value.int().unwrap_or(0) {
            0 => u64::from(u32::MAX),
            n => (1 << n) - 1,
        };
        let mut hex = Out::default();
        hex.push_hex(mask, 1);
        out.push_str("mask 0x");
        out.push_str(&hex.as_str().to_ascii_uppercase());
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if !s.eat("mask") {
            return s.fail("expected `mask`");
        }
        s.skip_blanks();
        let start = s.at();
        match number(s).and_then(|n| u32::try_from(n).ok()) {
            Some(u32::MAX) => Some(Value::Int(0)),
            Some(n) if n != 0 && n & n.wrapping_add(1) == 0 => Some(Value::Int(n.count_ones().into())),
            _ => s.fail_at(start..s.at(), "a mask is a run of ones from bit 0 on, such as 0x7F"),
        }
    }
}

/// Which of four elements take part.
pub struct Elements;

impl Kind for Elements {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let mask = value.int().unwrap_or(0);
        if mask == 0 {
            out.push('0');
        }
        (0..4).filter(|i| mask >> i & 1 == 1).for_each(|i| out.push(char::from(b"xyzw"[i])));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if s.eat("0") {
            return Some(Value::Int(0));
        }
        let letters = s.take(|c| matches!(c, b'x'..=b'z' | b'w')).unwrap_or("");
        let place = |c| b"xyzw".iter().position(|l| *l == c);
        let mut mask = 0i64;
        for c in letters.bytes().filter_map(place) {
            if mask >> c != 0 {
                return s.fail_last("the elements stand in the order xyzw");
            }
            mask |= 1 << c;
        }
        if mask == 0 { s.fail("expected elements, such as xyz") } else { Some(Value::Int(mask)) }
    }
    fn says(&self, _: u64, _: u64) -> Option<&'static str> {
        Some("asks for another number")
    }
}

/// A special register.
pub struct Special;

impl Kind for Special {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let n = value.int().unwrap_or(0);
        out.push_str("sr");
        out.push_int(n);
        let named = SPECIAL.iter().find(|(number, name, _)| i64::from(*number) == n && !name.is_empty());
        if let Some((_, name, _)) = named {
            out.push_str(" (");
            out.push_str(name);
            out.push(')');
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let Some(n) = s.eat("sr").then(|| s.digits()).flatten().filter(|n| *n < 256) else {
            return s.fail("expected a special register, sr0 to sr255");
        };
        if s.eat("(") {
            s.skip_blanks();
            let start = s.at();
            let name = s.ident().unwrap_or("");
            if !SPECIAL.iter().any(|(number, known, _)| u32::from(*number) == n && *known == name) {
                return s.fail_at(start..s.at(), "this is not the name of that special register");
            }
            if !s.eat(")") {
                return s.fail("expected `)`");
            }
        }
        Some(Value::Int(n.into()))
    }
}

/// A long instruction whose long part is zero: the removed bits, then the bit that keeps them.
///
/// A reading of bits that other fields own: what stands in the word, and nothing else, asks for it.
pub struct Long;

impl Kind for Long {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(i64::from(raw == 1)))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Some(if value == Value::Int(1) { Partial { raw: 1, known: 1 } } else { Partial { raw: 0, known: 0 } })
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        if value == Value::Int(1) {
            out.push_str(".long");
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        Some(Value::Int(i64::from(cx.dialect == OURS && s.eat_here(".long"))))
    }
    fn only(&self) -> Option<u64> {
        Some(1)
    }
    fn about(&self) -> Option<String> {
        Some("written `.long`: the instruction is longer than it has to be".to_owned())
    }
}
