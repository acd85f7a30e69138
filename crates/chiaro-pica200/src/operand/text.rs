//! Register operands as people write them: `-name[index].swizzle`.

use super::{NEGATE, PICASSO, PLAIN, compat};
use crate::operand::arithmetic::calculate;
use crate::regs::{
    ALL, BANKS, IDENTITY, NARROW, SOURCES, bank, compose, destination, is_reordered, mask_of, source,
};
use chiaro_isa::{Cursor, Cx, Fault, Reg, Symbols, Value};
use std::ops::Range;

/// A register operand as text: `-name[index].swizzle`, taken apart.
pub(super) struct Operand {
    /// The operand as it stands.
    pub(super) whole: Range<usize>,
    pub(super) negate: bool,
    /// What the name stands for, before the static index.
    pub(super) reg: Reg,
    pub(super) indexed: u8,
    /// Static index.
    pub(super) offset: i64,
    /// Components as a selector, if written.
    pub(super) selector: Option<u16>,
    /// Whether no component is written (`._`, plain dialect).
    pub(super) none: bool,
}

/// picasso's number of a register, which counts through the banks.
pub(super) fn numbered(reg: &Reg) -> i64 {
    let bank = &BANKS[usize::from(reg.file).min(BANKS.len() - 1)];
    i64::from(bank.base) + i64::from(reg.index)
}

impl Operand {
    /// Where it is read it is used up: handed over as a whole it would be written and read back part by part.
    #[inline(always)]
    pub(super) fn read(s: &mut Cursor<'_>, cx: &Cx) -> Option<Operand> {
        s.skip_blanks();
        let start = s.at();
        let text = s.bytes();
        let negate = text.first() == Some(&b'-');
        let at = start + usize::from(negate);
        let (reg, end) = match common(&text[usize::from(negate)..]).filter(|_| !hides(cx)) {
            Some((reg, length)) => {
                s.rewind(at + length);
                (reg, at + length)
            }
            None => named(start, at, s, cx)?,
        };
        let mut operand =
            Operand { whole: start..end, negate, reg, indexed: 0, offset: 0, selector: None, none: false };
        if matches!(s.bytes().first(), Some(b'[' | b'.')) {
            operand.read_rest(s, cx)?;
        }
        Some(operand)
    }

    /// What follows the name up to the operand's end: `[index].swizzle`. Apart, so that what all operands need is short.
    #[inline(never)]
    fn read_rest(&mut self, s: &mut Cursor<'_>, cx: &Cx) -> Option<()> {
        let behind = s.at();
        let mut rest = s.bytes_here(|c| !matches!(c, b',' | b'@')).trim_ascii_end();
        let end = behind + rest.len();
        self.whole.end = end;
        if let Some(inner) = rest.strip_prefix(b"[") {
            let Some((index, behind)) = split(inner, b']') else {
                let body = self.whole.start + usize::from(self.negate);
                return s.fail_at(body..end, "the closing bracket `]` is missing");
            };
            let at = end - inner.len();
            self.read_index(at..at + index.len(), s, cx)?;
            rest = behind;
        }
        match split(rest, b'.') {
            Some((_, swizzle)) => self.read_swizzle(swizzle, end - swizzle.len()..end, s, cx),
            None => Some(()),
        }
    }

    fn read_index(&mut self, place: Range<usize>, s: &mut Cursor<'_>, cx: &Cx) -> Option<()> {
        let text = trim(s.piece(place.clone()));
        if let Some(n) = index_register(text) {
            self.indexed = n;
            return Some(());
        }
        let sign = text.bytes().position(|b| b == b'+' || b == b'-' && !compat(cx));
        let (name, offset) = text.split_at(sign.unwrap_or(0));
        match index_register(trim(name)) {
            Some(n) => self.indexed = n,
            None if sign.is_some() && (compat(cx) || name.contains(|c: char| c.is_ascii_alphabetic())) => {
                return s.fail_at(place, "an index register is one of a0.x, a0.y and aL");
            }
            None => {}
        }
        let lowered = self.indexed != 0 && offset.starts_with('-');
        let number = if self.indexed == 0 { text } else { offset.strip_prefix('+').unwrap_or(offset).trim() };
        self.offset = integer(number, &place, s, cx)?;
        if self.reg.more != 0 && self.indexed == 0 && self.offset > i64::from(self.reg.more) && !compat(cx) {
            s.remark(place, "the index is past the end of the array, in what lies behind it");
        } else if lowered {
            s.remark(place, "picasso has no subtraction here: it would drop the index register and the offset; the offset is folded into the register number instead");
        } else if self.offset < 0 {
            return s.fail_at(place, "an offset is not negative");
        }
        Some(())
    }

    fn read_swizzle(&mut self, text: &[u8], place: Range<usize>, s: &mut Cursor<'_>, cx: &Cx) -> Option<()> {
        if text == b"_" && cx.dialect == PLAIN {
            self.none = true;
            return Some(());
        }
        if text.is_empty() && compat(cx) {
            // picasso reads an empty swizzle as .xxxx.
            self.selector = Some(0);
            return Some(());
        }
        match swizzle(text) {
            Ok(selector) => self.selector = Some(selector),
            Err(why) => return s.fail_at(place, why),
        }
        Some(())
    }

    /// The components that the name and the operand select together.
    fn swizzle(&self) -> u16 {
        match self.selector {
            None => self.reg.swizzle,
            // Few names have components of their own.
            Some(outer) if self.reg.swizzle == IDENTITY => outer,
            Some(outer) => compose(self.reg.swizzle, outer),
        }
    }

    /// Whether the name and the operand negate together.
    fn mods(&self) -> u16 {
        self.reg.mods ^ u16::from(self.negate) * NEGATE
    }

    /// Bank and number with the static index added.
    #[inline]
    fn place(&self, writes: bool, s: &mut Cursor<'_>, cx: &Cx) -> Option<(u8, u16)> {
        if compat(cx) {
            let n = u16::try_from(numbered(&self.reg) + self.offset).ok().filter(|&n| n < 0x98);
            return match n {
                Some(n) if writes && n < NARROW => Some(destination(n)),
                Some(n) if !writes && n < SOURCES => Some(source(n)),
                _ => s.fail_at(self.whole.clone(), "this register cannot stand here"),
            };
        }
        let bank = &BANKS[usize::from(self.reg.file)];
        let n = i64::from(self.reg.index) + self.offset;
        if !(0..i64::from(bank.count)).contains(&n) {
            return s.fail_at(
                self.whole.clone(),
                "the index leaves the register bank (picasso would silently name a register of the next bank)",
            );
        }
        Some((self.reg.file, n as u16))
    }

    #[inline]
    pub(super) fn destination(self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Reg> {
        if self.indexed != 0 {
            return s.fail_at(self.whole, "a destination cannot be indexed by a register");
        }
        let (file, index) = self.place(true, s, cx)?;
        if !matches!(file, bank::OUTPUT | bank::TEMP) {
            let why = match file {
                bank::INPUT => {
                    "an input cannot be written (picasso would write the output of the same number)"
                }
                _ => "only outputs (o) and temporaries (r) can be written",
            };
            return s.fail_at(self.whole, why);
        }
        if (self.negate || self.reg.mods != 0) && !compat(cx) {
            return s.fail_at(self.whole, "a destination cannot be negated (picasso ignores the sign)");
        }
        let swizzle = match self.swizzle() {
            _ if self.none => 0,
            IDENTITY => ALL,
            selector => {
                if is_reordered(selector) {
                    s.remark(self.whole, REORDERED);
                }
                mask_of(selector)
            }
        };
        Some(Reg { file, index, swizzle, ..Reg::default() })
    }

    #[inline]
    pub(super) fn source(self, wide: bool, s: &mut Cursor<'_>, cx: &Cx) -> Option<Reg> {
        let (file, index) = self.place(false, s, cx)?;
        if !matches!(file, bank::INPUT | bank::TEMP | bank::FLOAT) {
            let why = match file {
                bank::OUTPUT => "an output cannot be read (picasso would read the input of the same number)",
                _ => "integer and boolean uniforms cannot be read by an arithmetic instruction",
            };
            return s.fail_at(self.whole, why);
        }
        if self.indexed != 0 && file != bank::FLOAT && cx.dialect == PICASSO {
            return s.fail_at(self.whole, "only float uniforms (c) can be indexed by a register");
        }
        if !wide && (file == bank::FLOAT || self.indexed != 0) {
            return s.fail_at(
                self.whole,
                "only one operand of an instruction can be a float uniform, and not in this place; copy it to a temporary first",
            );
        }
        let (mods, swizzle) = (self.mods(), self.swizzle());
        Some(Reg { file, index, indexed: self.indexed, mods, swizzle, ..Reg::default() })
    }

    /// The register itself, whichever bank it is of.
    fn register(self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Reg> {
        if self.indexed != 0 {
            return s.fail_at(self.whole, "an index register is not allowed here");
        }
        let (file, index) = match u16::try_from(numbered(&self.reg) + self.offset) {
            _ if !compat(cx) => self.place(false, s, cx)?,
            Ok(n) if n < NARROW => (if n < 0x10 { self.reg.file } else { bank::TEMP }, n & 0xf),
            Ok(n) if n < SOURCES => source(n),
            Ok(n) if n < 0x88 => (bank::INT, n - 0x80),
            Ok(n) if n < 0x98 => (bank::BOOL, n - 0x88),
            _ => return s.fail_at(self.whole, "this register does not exist"),
        };
        let (mods, swizzle) = (self.mods(), self.swizzle());
        Some(Reg { file, index, mods, swizzle, ..Reg::default() })
    }
}

/// A register as directives name it: of any bank, with a static index, a sign and
/// components (as a selector), but without an index register. Takes the whole text.
///
/// # Errors
/// The place in `text` and what is wrong there.
pub fn register(text: &str, cx: &Cx) -> Result<(Reg, Vec<Fault>), Fault> {
    let mut s = Cursor::new(text);
    let reg = Operand::read(&mut s, cx).and_then(|operand| {
        let reg = operand.register(&mut s, cx)?;
        if s.at_end() { Some(reg) } else { s.fail("there is something behind the register") }
    });
    let whole = Fault { start: 0, end: text.len() as u32, why: "this is no register" };
    reg.map(|reg| (reg, s.take_remarks())).ok_or_else(|| s.fault().unwrap_or(whole))
}

/// The selector that one to four component letters make; the last is repeated.
pub fn selector(letters: &str) -> Option<u16> {
    swizzle(letters.as_bytes()).ok()
}

/// The warning for masks whose letters stand in another order than x, y, z, w.
pub const REORDERED: &str =
    "the order of a destination's components has no effect: each component written takes its own";

fn swizzle(letters: &[u8]) -> Result<u16, &'static str> {
    let (mut selector, mut last, mut count) = (0, 0, 0);
    for &c in letters {
        let component = component(c).ok_or("a swizzle has letters of one of the sets xyzw, rgba and stpq")?;
        (selector, last, count) = (selector << 2 | component, component, count + 1);
        if count > 4 {
            break;
        }
    }
    if !(1..=4).contains(&count) {
        return Err("a swizzle has one to four letters");
    }
    for _ in count..4 {
        selector = selector << 2 | last;
    }
    Ok(selector)
}

/// The text without blanks around it; it is ASCII, and mostly has none.
fn trim(text: &str) -> &str {
    let is_blank = |byte: Option<&u8>| byte.is_some_and(|byte| *byte <= b' ');
    let bytes = text.as_bytes();
    if is_blank(bytes.first()) || is_blank(bytes.last()) { text.trim() } else { text }
}

/// The text before and behind the first `separator`.
fn split(text: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|&b| b == separator)?;
    Some((&text[..at], &text[at + 1..]))
}

fn component(letter: u8) -> Option<u16> {
    match letter.to_ascii_lowercase() {
        b'x' | b'r' | b's' => Some(0),
        b'y' | b'g' | b't' => Some(1),
        b'z' | b'b' | b'p' => Some(2),
        b'w' | b'a' | b'q' => Some(3),
        _ => None,
    }
}

/// The IDX value of an index register, old names included; case is folded [picasso].
fn index_register(name: &str) -> Option<u8> {
    const NAMES: [(&str, u8); 7] =
        [("a0.x", 1), ("a0.y", 2), ("al", 3), ("a0", 1), ("a1", 2), ("a2", 3), ("lcnt", 3)];
    NAMES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, idx)| *idx)
}

/// A static index, calculated if need be. picasso reads a prefix of digits and takes
/// anything else as 0.
fn integer(text: &str, place: &Range<usize>, s: &mut Cursor<'_>, cx: &Cx) -> Option<i64> {
    if compat(cx) {
        return Some(chiaro_num::atoi(text).into());
    }
    if let (Ok(n), false) = (text.parse::<u16>(), text.starts_with('+')) {
        return Some(n.into());
    }
    let value = match calculate(text) {
        Ok(value) if value == value.trunc() && value.abs() < 65536.0 => value as i64,
        _ => return s.fail_at(place.clone(), NO_INDEX),
    };
    if !text.trim_start_matches('-').bytes().all(|c| c.is_ascii_digit()) {
        s.remark(place.clone(), "picasso does not calculate: it would take only the digits at the start");
    }
    Some(value)
}

const NO_INDEX: &str = "an index is a number, a0.x, a0.y or aL, or one of these plus a number (picasso would take anything else as 0)";

/// A register as nearly all are spelled, with the length of its name: a letter and one or two digits, and directly
/// behind them the operand's end, an index or components.
#[inline]
fn common(text: &[u8]) -> Option<(Reg, usize)> {
    let [letter, first @ b'0'..=b'9', ref behind @ ..] = *text else { return None };
    let digit = |byte: u8| u16::from(byte - b'0');
    let (index, length, next) = match *behind {
        [second @ b'0'..=b'9', ref behind @ ..] if first != b'0' => {
            (digit(first) * 10 + digit(second), 3, behind.first())
        }
        _ => (digit(first), 2, behind.first()),
    };
    let file = (*BY_LETTER.get(usize::from(letter.wrapping_sub(b'a')))?)?;
    // The last of a bank may have no name, see `register_of`.
    let is_common =
        index + 1 < BANKS[usize::from(file)].count && matches!(next, None | Some(b',' | b'[' | b'.'));
    is_common.then_some((Reg { file, index, swizzle: IDENTITY, ..Reg::default() }, length))
}

/// Whether names of the program may hide registers.
#[inline]
fn hides(cx: &Cx) -> bool {
    cx.symbols.is_some_and(Symbols::hides)
}

/// What a register name or alias stands for, from `at` on in an operand from `start` on, and where the name ends.
#[inline(never)]
fn named(start: usize, at: usize, s: &mut Cursor<'_>, cx: &Cx) -> Option<(Reg, usize)> {
    s.bytes_here(|c| !matches!(c, b',' | b'@' | b'[' | b'.'));
    let more = matches!(s.bytes().first(), Some(b'[' | b'.'));
    if s.at() == start && !more {
        return s.fail("an operand is missing");
    }
    let text = s.piece(at..s.at());
    let text = if more { text } else { text.trim_ascii_end() };
    let (place, name) = (at..at + text.len(), text.trim_ascii());
    let spelled = bank_of(name);
    // Most operands spell a register, which few programs hide: those need no look-up.
    let symbols = cx.symbols.filter(|symbols| spelled.is_none() || symbols.hides());
    let reg = match symbols.and_then(|symbols| symbols.lookup(name)) {
        Some(Value::Reg(r)) => r,
        Some(_) => return s.fail_at(place, "this name is no register"),
        None => match register_of(name, spelled, cx) {
            Ok(r) => r,
            Err(why) => return s.fail_at(place, why),
        },
    };
    Some((reg, place.end))
}

/// The register that a name spells out: the letter of its bank, and its number.
fn register_of(name: &str, spelled: Option<(u8, &str)>, cx: &Cx) -> Result<Reg, &'static str> {
    let (file, digits) = spelled.ok_or("there is no register or alias of this name")?;
    let n = number(digits, compat(cx)).filter(|&n| n < 256).ok_or_else(|| match number(digits, true) {
        Some(0..256) => {
            "a register's name ends with its number (picasso would ignore what is behind the digits it knows)"
        }
        _ => "a register's number is out of range",
    })?;
    let register = |file| Reg { file, index: n, swizzle: IDENTITY, ..Reg::default() };
    if name.bytes().next().is_some_and(|letter| letter.is_ascii_uppercase()) {
        return match compat(cx) {
            true => Ok(register(bank::INPUT)),
            false => Err(
                "register names are written in lower case (picasso loses the bank of an upper-case name and takes the number alone)",
            ),
        };
    }
    // The language refuses the name v15, although the hardware has the register
    // [picasso]; i4..i7 pass picasso's check of names, but no LOOP can hold them.
    let count = match file {
        bank::INPUT if cx.dialect == PICASSO => 15,
        bank::INT if compat(cx) => 8,
        _ => BANKS[usize::from(file)].count,
    };
    if n < count { Ok(register(file)) } else { Err(out_of_range(file)) }
}

/// The bank that a name begins with the letter of, and the rest, which begins with a digit.
pub(crate) fn bank_of(name: &str) -> Option<(u8, &str)> {
    let [letter, b'0'..=b'9', ..] = name.as_bytes() else { return None };
    let file = BY_LETTER.get(usize::from(letter.to_ascii_lowercase().wrapping_sub(b'a')))?;
    Some(((*file)?, &name[1..]))
}

/// The banks by their letters, from a on.
static BY_LETTER: [Option<u8>; 26] = {
    let mut banks = [None; 26];
    let mut file = 0;
    while file < BANKS.len() {
        banks[(BANKS[file].letter - b'a') as usize] = Some(file as u8);
        file += 1;
    }
    banks
};

fn out_of_range(file: u8) -> &'static str {
    match file {
        bank::INPUT => {
            "inputs are v0 to v15, and the last one has to be written v14[1]: picasso refuses its name"
        }
        bank::OUTPUT => "outputs are o0 to o15",
        bank::TEMP => "temporaries are r0 to r15",
        bank::FLOAT => "float uniforms are c0 to c95",
        bank::INT => "integer uniforms are i0 to i3",
        _ => "boolean uniforms are b0 to b15",
    }
}

/// Decimal, octal with a leading zero, or hexadecimal, as C's `strtoll` with base 0;
/// with `prefix`, what follows the digits is ignored [picasso].
pub(super) fn number(text: &str, prefix: bool) -> Option<u16> {
    let digit = |byte: u8| u16::from(byte - b'0');
    // Nearly all registers.
    match *text.as_bytes() {
        [one @ b'0'..=b'9'] => return Some(digit(one)),
        [ten @ b'1'..=b'9', one @ b'0'..=b'9'] => return Some(digit(ten) * 10 + digit(one)),
        _ => {}
    }
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    if end < digits.len() && !prefix {
        return None;
    }
    if end == 0 {
        return prefix.then_some(0);
    }
    u16::from_str_radix(&digits[..end], radix).ok()
}
