//! Sources: registers, small constants and literals behind the instruction.
//!
//! The bits of a field are, from the lowest: the code (8 bits in scalar formats, 9 in
//! vector formats), the literal's dword, and what [`Signs`] adds; a field has as many of
//! them as its format.

use super::constant::{self, LITERAL, Number};
use crate::regs::{self, code, file, mods};
use chiaro_isa::{Covered, Cursor, Cx, Kind, Leading, Out, Partial, Reg, Value};

/// What a source may be, a set.
#[derive(Clone, Copy)]
pub struct Takes(pub u8);

impl Takes {
    /// Scalar registers.
    pub const SCALAR: Takes = Takes(1);
    /// Vector registers.
    pub const VECTOR: Takes = Takes(2);
    /// Small constants and special values.
    pub const CONSTANT: Takes = Takes(4);
    /// A literal.
    pub const LITERAL: Takes = Takes(8);
    /// LDS through m0.
    pub const LDS: Takes = Takes(16);
    /// What scalar instructions read.
    pub const SALU: Takes = Takes(1 | 4 | 8);
    /// What vector instructions read.
    pub const VALU: Takes = Takes(1 | 2 | 4 | 8 | 16);
    /// The same without a literal.
    pub const SHORT: Takes = Takes(1 | 2 | 4);

    const fn has(self, other: Takes) -> bool {
        self.0 & other.0 != 0
    }
}

/// What an encoding can do to a source before it is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Signs {
    /// Nothing.
    None,
    /// Absolute value (a bit), then sign inverted (a bit above).
    NegAbs,
    /// Sign inverted: the other bit is part of another field (VOP3B).
    Neg,
    /// The sign bit of an integer source, which LLVM spells `sext(v1)`; no effect is known.
    Extend,
}

impl Signs {
    /// The bits above the literal that ask for these changes; `None` if they cannot be had.
    const fn raw(self, changed: u16) -> Option<u64> {
        match (self, changed) {
            (_, 0) => Some(0),
            (Signs::NegAbs, 1..=3) => Some((changed as u64 & 1) << 1 | changed as u64 >> 1),
            (Signs::Neg, mods::NEG) | (Signs::Extend, mods::SEXT) => Some(1),
            _ => None,
        }
    }

    /// The changes that these bits ask for.
    const fn changed(self, raw: u64) -> u16 {
        match self {
            Signs::None => 0,
            Signs::NegAbs => (raw >> 1 & 1) as u16 * mods::NEG | (raw & 1) as u16 * mods::ABS,
            Signs::Neg => (raw & 1) as u16 * mods::NEG,
            Signs::Extend => (raw & 1) as u16 * mods::SEXT,
        }
    }

    /// The bits that are there.
    const fn mask(self) -> u64 {
        match self {
            Signs::None => 0,
            Signs::NegAbs => 3,
            Signs::Neg | Signs::Extend => 1,
        }
    }
}

/// An operand that is read.
///
/// Its value is a register ([`regs::file`], constants among them, by code), or a literal
/// as a number: the dword, and above it the flags of this module.
pub struct Source {
    /// What numbers are taken as.
    pub number: Number,
    /// Registers it covers.
    pub count: u8,
    /// What it may be.
    pub takes: Takes,
    /// Bits of the code: 8 or 9.
    pub width: u8,
    /// What can be done to it.
    pub signs: Signs,
}

/// What is done to a literal stands above its dword, as in [`mods`].
const FLAGS: i64 = 7;
/// A literal that equals a small constant and is one all the same.
pub const LITERAL_FORCED: i64 = 1 << 35;

/// Bits of a literal.
const DWORD: u64 = 0xffff_ffff;

impl Source {
    /// The operand of a code.
    fn operand(&self, code: u16) -> Option<Reg> {
        match code {
            0..=127 if self.takes.has(Takes::SCALAR) => regs::scalar_run(code, self.count),
            254 => self.takes.has(Takes::LDS).then_some(constant_reg(code)),
            128..=255 if self.takes.has(Takes::CONSTANT) => {
                constant::is_constant(code).then_some(constant_reg(code))
            }
            256.. if self.takes.has(Takes::VECTOR) => regs::vector_run(code - 256, self.count),
            _ => None,
        }
    }

    fn literal(&self, dword: u32, sign: u16) -> i64 {
        let forced = if self.number.is_ambiguous(dword) { LITERAL_FORCED } else { 0 };
        i64::from(dword) | i64::from(sign) << 32 | forced
    }

    /// The bits of a register or a constant.
    fn encode_reg(&self, r: Reg) -> Option<Partial> {
        let code = match r.file {
            file::VGPR => r.index + 256,
            _ => r.index,
        };
        let same = self.operand(code)?;
        let fits = (same.file, same.more) == (r.file, r.more);
        if fits { self.partial(code.into(), 0, r.mods) } else { None }
    }

    fn encode_literal(&self, n: i64) -> Option<Partial> {
        let flags = FLAGS << 32 | LITERAL_FORCED;
        let flagged = (0..=flags | 0xffff_ffff).contains(&n);
        let (number, flags) = if flagged { (n & !flags, n & flags) } else { (n, 0) };
        let (sign, forced) = ((flags >> 32 & FLAGS) as u16, flags & LITERAL_FORCED != 0);
        if !forced && let Some(code) = self.number.code(number) {
            let r = Reg { mods: sign, ..constant_reg(code) };
            return self.encode_reg(r);
        }
        if !self.takes.has(Takes::LITERAL) {
            return None;
        }
        self.partial(LITERAL.into(), self.number.literal(number)?.into(), sign)
    }

    /// Where the changes begin: above the literal if there can be one.
    fn signs_at(&self) -> u32 {
        u32::from(self.width) + if self.takes.has(Takes::LITERAL) { 32 } else { 0 }
    }

    /// The bits that an operand decides: the literal's only where it is one.
    fn partial(&self, code: u64, literal: u64, changed: u16) -> Option<Partial> {
        let width = u32::from(self.width);
        let own = (1 << width) - 1;
        let dword = if code == u64::from(LITERAL) { DWORD << width } else { 0 };
        let signs = self.signs.raw(changed)? << self.signs_at();
        let known = own | dword | self.signs.mask() << self.signs_at();
        Some(Partial { raw: code | literal << width | signs, known })
    }

    /// A register, a constant or a literal, without signs.
    fn parse_plain(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let before = s.at();
        if let Some(n) = self.parse_number(s) {
            return Some(n);
        }
        if let Some(code) = constant::named(s) {
            return Some(Value::Reg(constant_reg(code)));
        }
        if let Some(r) = regs::parse(s) {
            let fits = r.file != file::SGPR || regs::scalar_run(r.index, r.more + 1) == Some(r);
            return if fits { Some(Value::Reg(r)) } else { s.fail_at(before..s.at(), regs::UNALIGNED) };
        }
        if let Some(symbol) = super::place::half_of_distance(s, cx) {
            return Some(symbol);
        }
        s.rewind(before);
        let known = s.fault().is_some_and(|fault| fault.start as usize >= before);
        if known { None } else { s.fail("expected a register or a number") }
    }

    fn parse_number(&self, s: &mut Cursor<'_>) -> Option<Value> {
        let before = s.at();
        if s.eat("lit(") {
            let n = s.int().and_then(|n| u32::try_from(n).ok()).filter(|_| s.eat(")"));
            return n.map(|n| Value::Int(i64::from(n) | LITERAL_FORCED));
        }
        let negative = s.eat("-");
        let word = s.take_here(|c| c.is_ascii_alphanumeric() || c == b'.');
        let word = match word {
            Some(word) => word,
            None if !negative => s.take(|c| c.is_ascii_alphanumeric() || c == b'.').unwrap_or(""),
            None => "",
        };
        let value = self.number_of(word, negative);
        if value.is_none() {
            let place = before..s.at();
            s.rewind(before);
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                return s.fail_at(place, self.number.refusal());
            }
        }
        value
    }

    fn number_of(&self, word: &str, negative: bool) -> Option<Value> {
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        if word.contains('.') || hex.is_none() && word.contains(['e', 'E']) {
            let x: f64 = word.parse().ok()?;
            return match self.number.float(if negative { -x } else { x })? {
                Ok(code) => Some(Value::Reg(constant_reg(code))),
                Err(literal) => Some(Value::Int(self.literal(literal, 0))),
            };
        }
        let n = match hex {
            Some(hex) => u64::from_str_radix(hex, 16).ok()? as i64,
            None => word.parse().ok()?,
        };
        let n = if negative { n.wrapping_neg() } else { n };
        match self.number.code(n) {
            Some(code) => Some(Value::Reg(constant_reg(code))),
            None => Some(Value::Int(self.literal(self.number.literal(n)?, 0))),
        }
    }
}

/// A constant by its code.
pub const fn constant_reg(code: u16) -> Reg {
    regs::run(file::CONSTANT, code, 1)
}

impl Kind for Source {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let width = self.width;
        let code = (raw & ((1 << width) - 1)) as u16;
        let sign = self.signs.changed(raw >> self.signs_at());
        if code == LITERAL {
            let dword = (raw >> width & DWORD) as u32;
            return self.takes.has(Takes::LITERAL).then(|| Value::Int(self.literal(dword, sign)));
        }
        let r = self.operand(code)?;
        Some(Value::Reg(Reg { mods: sign, ..r }))
    }

    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        match value {
            Value::Reg(r) => self.encode_reg(r),
            Value::Int(n) => self.encode_literal(n),
            Value::Symbol(_) => {
                let part = self.takes.has(Takes::LITERAL).then(|| self.partial(LITERAL.into(), 0, 0))??;
                Some(Partial { known: part.known & !(DWORD << self.width), ..part })
            }
        }
    }

    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let (sign, plain) = match value {
            Value::Reg(r) => (r.mods, r.file != file::CONSTANT || !constant::is_number(r.index)),
            Value::Int(n) => ((n >> 32 & FLAGS) as u16, false),
            Value::Symbol(_) => return,
        };
        if sign & mods::SEXT != 0 {
            out.push_str("sext(");
            print_plain(value, self.number, out);
            return out.push(')');
        }
        if sign == 0 {
            return print_plain(value, self.number, out);
        }
        // A minus sign before a number would be another number.
        let (neg, abs) = (sign & mods::NEG != 0, sign & mods::ABS != 0);
        let call = neg && !abs && !plain;
        out.push_str(if call {
            "neg("
        } else if neg {
            "-"
        } else {
            ""
        });
        out.push_str(if abs { "|" } else { "" });
        print_plain(value, self.number, out);
        out.push_str(if abs { "|" } else { "" });
        out.push_str(if call { ")" } else { "" });
    }

    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        match self.signs {
            Signs::None => self.parse_plain(s, cx),
            Signs::Extend if s.eat("sext(") => {
                let value = with_flags(self.parse_plain(s, cx)?, mods::SEXT);
                if s.eat(")") { Some(value) } else { s.fail("expected `)`") }
            }
            Signs::Extend => self.parse_plain(s, cx),
            _ => with_signs(s, |s| self.parse_plain(s, cx)),
        }
    }

    fn covers(&self, value: Value) -> Option<Covered> {
        covered(value)
    }

    /// Without signs the code says it all, unless it asks for a literal.
    fn leading(&self) -> Option<Leading> {
        let changes = self.signs.mask() << self.signs_at();
        Some(Leading { which: (1 << self.width) - 1, changes, except: LITERAL.into() })
    }

    fn about(&self) -> Option<String> {
        let part = |set, text: &'static str| self.takes.has(set).then_some(text);
        let parts = [
            part(Takes::SCALAR, "a scalar register"),
            part(Takes::VECTOR, "a vector register"),
            part(Takes::CONSTANT, "a small constant"),
            part(Takes::LITERAL, "a literal"),
        ];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// The registers of an operand; constants and literals cover none.
pub(super) fn covered(value: Value) -> Option<Covered> {
    let r =
        value.reg().filter(|r| r.file != file::CONSTANT && r.index != code::NULL || r.file == file::VGPR)?;
    Some(Covered { file: r.file, first: r.index, count: u16::from(r.more) + 1, parts: u16::MAX })
}

fn print_plain(value: Value, number: Number, out: &mut Out) {
    match value {
        Value::Reg(r) if r.file == file::CONSTANT => constant::print(r.index, number, out),
        Value::Reg(r) => regs::print(r, out),
        Value::Int(n) if n & LITERAL_FORCED != 0 => {
            out.push_str("lit(0x");
            out.push_hex(n as u64 & DWORD, 1);
            out.push(')');
        }
        Value::Int(n) => {
            out.push_str("0x");
            out.push_hex(n as u64 & DWORD, 1);
        }
        Value::Symbol(_) => {}
    }
}

/// Reads `-x`, `|x|`, `-|x|`, `neg(x)` and `abs(x)` around an operand.
pub(super) fn with_signs(
    s: &mut Cursor<'_>,
    plain: impl FnOnce(&mut Cursor<'_>) -> Option<Value>,
) -> Option<Value> {
    let neg_call = s.eat("neg(");
    let neg = neg_call || before_operand(s);
    let abs_call = s.eat("abs(");
    let abs = abs_call || s.eat("|");
    let value = plain(s)?;
    let closed = (!abs || s.eat(if abs_call { ")" } else { "|" })) && (!neg_call || s.eat(")"));
    if !closed {
        return s.fail("the operand's second bracket is missing");
    }
    Some(with_flags(value, if neg { mods::NEG } else { 0 } | if abs { mods::ABS } else { 0 }))
}

/// The operand with these changes.
fn with_flags(value: Value, changed: u16) -> Value {
    match value {
        Value::Reg(r) => Value::Reg(Reg { mods: r.mods | changed, ..r }),
        Value::Int(n) => Value::Int(n | i64::from(changed) << 32),
        Value::Symbol(_) => value,
    }
}

/// Takes a minus sign that is no number's.
fn before_operand(s: &mut Cursor<'_>) -> bool {
    let before = s.at();
    if !s.eat("-") {
        return false;
    }
    let number = s.peek().is_some_and(|c| c.is_ascii_digit());
    if number {
        s.rewind(before);
    }
    !number
}
