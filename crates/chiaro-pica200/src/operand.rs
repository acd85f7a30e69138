//! Operand kinds: how registers, swizzles, conditions and places are coded and spelled.
//!
//! Two dialects: the plain one, in which every valid operand has a text of its own
//! (for listings a line each, `explain` and the laws), and picasso's. picasso's has a
//! strict reading and, behind [`COMPAT`], picasso's own reading with all that it lets
//! pass (spec section 20.12).

use crate::arithmetic::calculate;
use crate::regs::{
    ALL, BANKS, IDENTITY, NARROW, SOURCES, bank, compose, destination, mask_of, selected, source,
};
use chiaro_isa::{Covered, Cursor, Cx, Fault, Kind, Out, Partial, Reg, Value};
use std::ops::Range;

/// Index of the plain dialect: flow control names words by number.
pub const PLAIN: u8 = 0;

/// Index of picasso's dialect: flow control names procedures and labels.
pub const PICASSO: u8 = 1;

/// [`Cx::options`]: read operands exactly as picasso does, mistakes included.
pub const COMPAT: u32 = 1;

/// Bit of [`Reg::mods`]: the operand is negated.
pub const NEGATE: u16 = 1;

/// Names of the address registers by the IDX field.
pub const INDEX: [&str; 4] = ["", "a0.x", "a0.y", "aL"];

/// Destination register (5 bits), then the components that are written (4 bits, x first).
pub struct Dst;

/// Address register (2 bits, wide sources only), selector (8), sign (1), register.
pub struct Src {
    /// Whether the register field has 7 bits and an address register.
    pub wide: bool,
    /// Which components the operation reads.
    pub reads: Reads,
}

/// Components of a source that an operation reads, after selection (spec section 7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// Those that the write mask enables.
    Enabled,
    /// These, as a mask with x in bit 3.
    These(u16),
}

/// The address registers that MOVA writes: bit 1 a0.x, bit 0 a0.y.
pub struct Address;

/// CONDOP, REFY and REFX: a test of the compare flags.
pub struct Condition;

/// A boolean uniform, and in the lowest bit whether the test is inverted.
pub struct BoolTest {
    /// Whether the format can invert.
    pub inverts: bool,
}

/// An integer uniform.
pub struct IntUniform;

/// A comparison of CMP.
pub struct Relation;

/// A word of the program.
pub struct Place;

/// A procedure: its first word (12 bits) and its length (8 bits). In the plain
/// dialect, where both are spelled as numbers, nothing prints it.
pub struct Procedure;

/// VTXID of SETEMIT.
pub struct Vertex;

/// PRIMEMIT and WINDING of SETEMIT.
pub struct EmitFlags;

impl Reads {
    /// The components read, given the write mask; x is bit 3.
    pub const fn with(self, written: u16) -> u16 {
        match self {
            Reads::Enabled => written,
            Reads::These(mask) => mask,
        }
    }
}

fn compat(cx: &Cx) -> bool {
    cx.options & COMPAT != 0
}

impl Kind for Dst {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        // picasso cannot write a destination without components.
        if raw as u16 & ALL == 0 && cx.dialect == PICASSO {
            return None;
        }
        let (file, index) = destination((raw >> 4) as u16);
        Some(Value::Reg(Reg { file, index, swizzle: raw as u16 & ALL, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.index < 16 && r.swizzle <= ALL)?;
        let n = match r.file {
            bank::OUTPUT => r.index,
            bank::TEMP => 0x10 + r.index,
            _ => return None,
        };
        Partial::full(u64::from(n) << 4 | u64::from(r.swizzle))
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let Some(r) = value.reg() else { return };
        print_register(r, out);
        print_mask(r.swizzle, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let operand = Operand::read(s, cx)?;
        let r = operand.destination(s, cx)?;
        Some(Value::Reg(r))
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        let r = value.reg()?;
        Some(Covered { file: r.file, first: r.index, count: 1, parts: r.swizzle })
    }
}

impl Src {
    const fn bits(&self) -> u32 {
        if self.wide { 7 } else { 5 }
    }
}

impl Kind for Src {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let bits = self.bits();
        let (file, index) = source((raw & ((1 << bits) - 1)) as u16);
        let rest = raw >> bits;
        let indexed = (rest >> 9) as u8;
        // On v and r the hardware ignores the index; picasso cannot write it.
        if indexed != 0 && file != bank::FLOAT && cx.dialect == PICASSO {
            return None;
        }
        let mods = (rest & 1) as u16 * NEGATE;
        Some(Value::Reg(Reg {
            file,
            index,
            indexed,
            mods,
            swizzle: (rest >> 1) as u16 & 0xff,
            ..Reg::default()
        }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg()?;
        let n = match r.file {
            bank::INPUT if r.index < 16 => r.index,
            bank::TEMP if r.index < 16 => 0x10 + r.index,
            bank::FLOAT if r.index < 96 => 0x20 + r.index,
            _ => return None,
        };
        if u32::from(n) >> self.bits() != 0 || r.indexed != 0 && !self.wide || r.indexed > 3 {
            return None;
        }
        let negate = u64::from(r.mods & NEGATE);
        let rest = u64::from(r.indexed) << 9 | u64::from(r.swizzle & 0xff) << 1 | negate;
        Partial::full(rest << self.bits() | u64::from(n))
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Some(r) = value.reg() else { return };
        if r.mods & NEGATE != 0 {
            out.push('-');
        }
        print_indexed(r, out, cx);
        if r.swizzle != IDENTITY {
            print_selector(r.swizzle, out);
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let operand = Operand::read(s, cx)?;
        let r = operand.source(self.wide, s, cx)?;
        Some(Value::Reg(r))
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        let r = value.reg()?;
        let read = match self.reads {
            Reads::Enabled => ALL,
            Reads::These(mask) => mask,
        };
        let parts = (0..4).filter(|i| read >> (3 - i) & 1 == 1);
        let parts = parts.fold(0, |all, i| all | 8 >> selected(r.swizzle, i));
        Some(Covered { file: r.file, first: r.index, count: 1, parts })
    }
    fn about(&self) -> Option<String> {
        Some(if self.wide { "v, r or c, may be indexed" } else { "v or r" }.to_owned())
    }
}

/// Appends the register's name or number, and its index.
fn print_indexed(r: Reg, out: &mut Out, cx: &Cx) {
    let offset = match name_of(r, cx) {
        Some((name, offset)) => {
            out.push_str(name);
            offset
        }
        // picasso refuses v15 by name, but takes it through a static index.
        None if r.file == bank::INPUT && r.index == 15 && cx.dialect == PICASSO => {
            return out.push_str("v14[1]");
        }
        None => {
            print_register(r, out);
            None
        }
    };
    let index = INDEX[usize::from(r.indexed & 3)];
    if index.is_empty() && offset.is_none() {
        return;
    }
    out.push('[');
    out.push_str(index);
    match offset {
        Some(n) if index.is_empty() => out.push_int(n.into()),
        Some(n) if n > 0 => {
            out.push('+');
            out.push_int(n.into());
        }
        _ => {}
    }
    out.push(']');
}

/// The name that the listing declares for a register.
fn name_of<'a>(r: Reg, cx: &Cx<'a>) -> Option<(&'a str, Option<u16>)> {
    cx.symbols.filter(|_| cx.dialect == PICASSO)?.register(r.file, r.index)
}

/// Appends bank letter and number.
pub fn print_register(r: Reg, out: &mut Out) {
    out.push(BANKS[usize::from(r.file).min(BANKS.len() - 1)].letter as char);
    out.push_int(r.index.into());
}

/// Appends `.xyz` for a write mask (x in bit 3), nothing for a full one.
fn print_mask(mask: u16, out: &mut Out) {
    if mask == ALL {
        return;
    }
    out.push('.');
    for (i, c) in "xyzw".chars().enumerate() {
        if mask >> (3 - i) & 1 == 1 {
            out.push(c);
        }
    }
    if mask == 0 {
        out.push('_');
    }
}

/// Appends a selector; trailing repetitions are left out.
fn print_selector(selector: u16, out: &mut Out) {
    out.push('.');
    let last = selected(selector, 3);
    let used = (0..3).rev().find(|&i| selected(selector, i) != last).map_or(1, |i| i + 2);
    for i in 0..used {
        out.push(b"xyzw"[selected(selector, i) as usize] as char);
    }
}

/// A register operand as text: `-name[index].swizzle`, taken apart.
struct Operand {
    /// The operand as it stands.
    whole: Range<usize>,
    negate: bool,
    reg: Named,
    indexed: u8,
    /// Static index.
    offset: i64,
    /// Components as a selector, if written.
    selector: Option<u16>,
    /// Whether the components stand in another order than x, y, z, w.
    reordered: bool,
    /// Whether no component is written (`._`, plain dialect).
    none: bool,
}

/// What the name stands for, before the static index.
#[derive(Clone, Copy)]
struct Named {
    file: u8,
    index: u16,
    /// picasso's number.
    number: i64,
    negate: bool,
    selector: u16,
    /// How many registers follow in the array of this name; 0 when it names no array.
    more: u8,
}

impl Operand {
    fn read(s: &mut Cursor<'_>, cx: &Cx) -> Option<Operand> {
        s.skip_blanks();
        let start = s.at();
        let text = s.take(|c| c != b',' && c != b'@').or_else(|| s.fail("an operand is missing"))?;
        let text = text.trim_ascii_end();
        let whole = start..start + text.len();
        let negate = text.starts_with('-');
        let body = if negate { &text[1..] } else { text };
        let (name, index, swizzle) = cut(body);
        let at = whole.end - body.len();
        let name_place = at..at + name.len();
        let reg = named(name.trim_ascii(), &name_place, s, cx)?;
        let mut operand = Operand {
            whole,
            negate,
            reg,
            indexed: 0,
            offset: 0,
            selector: None,
            reordered: false,
            none: false,
        };
        if let Some(index) = index {
            let place = subrange(body, index, at);
            operand.read_index(index, place, s, cx)?;
        }
        if let Some(swizzle) = swizzle {
            let place = subrange(body, swizzle, at);
            operand.read_swizzle(swizzle, place, s, cx)?;
        }
        Some(operand)
    }

    fn read_index(
        &mut self,
        index: Option<&str>,
        place: Range<usize>,
        s: &mut Cursor<'_>,
        cx: &Cx,
    ) -> Option<()> {
        let Some(text) = index else { return s.fail_at(place, "the closing bracket `]` is missing") };
        let text = text.trim();
        if let Some(n) = index_register(text) {
            self.indexed = n;
            return Some(());
        }
        let sign = text.bytes().position(|b| b == b'+' || b == b'-' && !compat(cx));
        let (name, offset) = text.split_at(sign.unwrap_or(0));
        match index_register(name.trim()) {
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

    fn read_swizzle(&mut self, text: &str, place: Range<usize>, s: &mut Cursor<'_>, cx: &Cx) -> Option<()> {
        if text == "_" && cx.dialect == PLAIN {
            self.none = true;
            return Some(());
        }
        if text.is_empty() && compat(cx) {
            // picasso reads an empty swizzle as .xxxx.
            self.selector = Some(0);
            return Some(());
        }
        let (selector, reordered) = match swizzle(text) {
            Ok(read) => read,
            Err(why) => return s.fail_at(place, why),
        };
        self.reordered = reordered;
        self.selector = Some(selector);
        Some(())
    }

    /// Bank and number with the static index added.
    fn place(&self, writes: bool, s: &mut Cursor<'_>, cx: &Cx) -> Option<(u8, u16)> {
        if compat(cx) {
            let n = u16::try_from(self.reg.number + self.offset).ok().filter(|&n| n < 0x98);
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

    fn destination(self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Reg> {
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
        if (self.negate || self.reg.negate) && !compat(cx) {
            return s.fail_at(self.whole, "a destination cannot be negated (picasso ignores the sign)");
        }
        if self.reordered {
            s.remark(
                self.whole.clone(),
                "the order of a destination's components has no effect: each component written takes its own",
            );
        }
        let composed = compose(self.reg.selector, self.selector.unwrap_or(IDENTITY));
        let swizzle = if self.none { 0 } else { mask_of(composed) };
        Some(Reg { file, index, swizzle, ..Reg::default() })
    }

    fn source(self, wide: bool, s: &mut Cursor<'_>, cx: &Cx) -> Option<Reg> {
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
        let swizzle = compose(self.reg.selector, self.selector.unwrap_or(IDENTITY));
        let mods = u16::from(self.negate ^ self.reg.negate) * NEGATE;
        Some(Reg { file, index, indexed: self.indexed, mods, swizzle, ..Reg::default() })
    }
    /// The register itself, whichever bank it is of.
    fn register(self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Reg> {
        if self.indexed != 0 {
            return s.fail_at(self.whole, "an index register is not allowed here");
        }
        let (file, index) = match u16::try_from(self.reg.number + self.offset) {
            _ if !compat(cx) => self.place(false, s, cx)?,
            Ok(n) if n < NARROW => (if n < 0x10 { self.reg.file } else { bank::TEMP }, n & 0xf),
            Ok(n) if n < SOURCES => source(n),
            Ok(n) if n < 0x88 => (bank::INT, n - 0x80),
            Ok(n) if n < 0x98 => (bank::BOOL, n - 0x88),
            _ => return s.fail_at(self.whole, "this register does not exist"),
        };
        let swizzle = compose(self.reg.selector, self.selector.unwrap_or(IDENTITY));
        let mods = u16::from(self.negate ^ self.reg.negate) * NEGATE;
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
    swizzle(letters).ok().map(|(selector, _)| selector)
}

/// A selector, and whether its letters stand in another order than x, y, z, w.
fn swizzle(letters: &str) -> Result<(u16, bool), &'static str> {
    let (mut selector, mut last, mut count, mut reordered) = (0, 0, 0, false);
    for c in letters.bytes() {
        let component = component(c).ok_or("a swizzle has letters of one of the sets xyzw, rgba and stpq")?;
        reordered |= count > 0 && component < last;
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
    Ok((selector, reordered))
}

/// Name, index (its inner `None`: the bracket is not closed) and swizzle of an operand.
fn cut(body: &str) -> (&str, Option<Option<&str>>, Option<&str>) {
    let find = |text: &str, part: fn(u8) -> bool| text.bytes().position(part);
    let head = find(body, |b| matches!(b, b'[' | b'.')).unwrap_or(body.len());
    let (name, rest) = body.split_at(head);
    let (index, rest) = match rest.strip_prefix('[') {
        Some(inner) => match find(inner, |b| b == b']') {
            Some(end) => (Some(Some(&inner[..end])), &inner[end + 1..]),
            None => (Some(None), ""),
        },
        None => (None, rest),
    };
    let swizzle = find(rest, |b| b == b'.').map(|dot| &rest[dot + 1..]);
    (name, index, swizzle)
}

/// Where `part`, which lies within `body`, stands in the line; `body` begins at `at`.
fn subrange<'a>(body: &str, part: impl Into<Option<&'a str>>, at: usize) -> Range<usize> {
    match part.into() {
        Some(part) => {
            let start = at + (part.as_ptr() as usize).saturating_sub(body.as_ptr() as usize);
            start..start + part.len()
        }
        None => at..at + body.len(),
    }
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

/// What a register name or alias stands for.
fn named(name: &str, place: &Range<usize>, s: &mut Cursor<'_>, cx: &Cx) -> Option<Named> {
    if let Some(value) = cx.symbols.and_then(|symbols| symbols.lookup(name)) {
        let Value::Reg(r) = value else { return s.fail_at(place.clone(), "this name is no register") };
        let base = BANKS[usize::from(r.file).min(BANKS.len() - 1)].base;
        let number = i64::from(base) + i64::from(r.index);
        let selector = r.swizzle & 0xff;
        let negate = r.mods & NEGATE != 0;
        return Some(Named { file: r.file, index: r.index, number, negate, selector, more: r.more });
    }
    let letter = name.bytes().next().unwrap_or(b' ');
    let digits = name.get(1..).filter(|d| d.starts_with(|c: char| c.is_ascii_digit()));
    let known = BANKS.iter().position(|b| b.letter == letter.to_ascii_lowercase());
    let (Some(file), Some(digits)) = (known, digits) else {
        return s.fail_at(place.clone(), "there is no register or alias of this name");
    };
    let Some(n) = number(digits, compat(cx)).filter(|&n| n < 256) else {
        let why = match number(digits, true) {
            Some(0..256) => {
                "a register's name ends with its number (picasso would ignore what is behind the digits it knows)"
            }
            _ => "a register's number is out of range",
        };
        return s.fail_at(place.clone(), why);
    };
    let bank = &BANKS[file];
    if letter.is_ascii_uppercase() {
        if !compat(cx) {
            return s.fail_at(place.clone(), "register names are written in lower case (picasso loses the bank of an upper-case name and takes the number alone)");
        }
        return Some(Named {
            file: bank::INPUT,
            index: n,
            number: n.into(),
            negate: false,
            selector: IDENTITY,
            more: 0,
        });
    }
    // picasso refuses v15, although the hardware has it [picasso]; i4..i7 pass its
    // check of names, but no LOOP can hold them.
    let count = match file as u8 {
        bank::INPUT if compat(cx) => 15,
        bank::INT if compat(cx) => 8,
        _ => bank.count,
    };
    if n >= count {
        return s.fail_at(place.clone(), out_of_range(file as u8));
    }
    let number = i64::from(bank.base) + i64::from(n);
    Some(Named { file: file as u8, index: n, number, negate: false, selector: IDENTITY, more: 0 })
}

fn out_of_range(file: u8) -> &'static str {
    match file {
        bank::INPUT => "inputs are v0 to v15 (picasso takes v0 to v14)",
        bank::OUTPUT => "outputs are o0 to o15",
        bank::TEMP => "temporaries are r0 to r15",
        bank::FLOAT => "float uniforms are c0 to c95",
        bank::INT => "integer uniforms are i0 to i3",
        _ => "boolean uniforms are b0 to b15",
    }
}

/// Decimal, octal with a leading zero, or hexadecimal, as C's `strtoll` with base 0;
/// with `prefix`, what follows the digits is ignored [picasso].
fn number(text: &str, prefix: bool) -> Option<u16> {
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

impl Kind for Address {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        (raw != 0 || cx.dialect == PLAIN).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 4)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(["a0._", "a0.y", "a0.x", "a0.xy"][value.int().unwrap_or(0) as usize & 3]);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        const NAMES: [(&str, i64); 6] =
            [("a0.x", 2), ("a0.y", 1), ("a0.xy", 3), ("a0", 2), ("a1", 1), ("a01", 3)];
        let word = s.take(|c| c != b',')?.trim_end();
        if word == "a0._" && cx.dialect == PLAIN {
            return Some(Value::Int(0));
        }
        let found = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        found.map(|(_, n)| Value::Int(*n)).or_else(|| s.fail_last("mova writes a0.x, a0.y or a0.xy"))
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        let parts = value.int()?;
        let (first, count) = (u16::from(parts == 1), parts.count_ones() as u16);
        Some(Covered { file: bank::ADDRESS, first, count, parts: u16::MAX })
    }
}

/// Raw bits: CONDOP (0-1), REFY (2), REFX (3). A single-flag test leaves the other
/// reference bit without meaning; assemblers set it [picasso], and `~` marks a clear one.
impl Kind for Condition {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let odd = matches!((raw & 3, raw >> 2 & 1, raw >> 3 & 1), (2, 0, _) | (3, _, 0));
        (!odd || cx.dialect == PLAIN).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 16)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let raw = value.int().unwrap_or(0);
        let (x, y) = (raw >> 3 & 1 == 1, raw >> 2 & 1 == 1);
        let flag = |set: bool, name: &str, out: &mut Out| {
            out.push_str(if set { "" } else { "!" });
            out.push_str(name);
        };
        match raw & 3 {
            2 => flag(x, if y { "cmp.x" } else { "cmp.x~" }, out),
            3 => flag(y, if x { "cmp.y" } else { "cmp.y~" }, out),
            op => {
                flag(x, "cmp.x", out);
                out.push_str(if op == 0 { " || " } else { " && " });
                flag(y, "cmp.y", out);
            }
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let (first, set, odd) = flag(s)?;
        let both = s.eat("&&") || s.eat("&");
        let either = !both && (s.eat("||") || s.eat("|"));
        let bit = |y: bool, set: bool| u64::from(set) << if y { 2 } else { 3 };
        if !both && !either {
            let other = if odd && cx.dialect == PLAIN { 0 } else { bit(!first, true) };
            let op = if first { 3 } else { 2 };
            return Some(Value::Int((op | bit(first, set) | other) as i64));
        }
        let (second, other_set, _) = flag(s)?;
        if first == second {
            return s.fail_last("the two flags of a condition must differ");
        }
        let refs = bit(first, set) | bit(second, other_set);
        Some(Value::Int((refs | u64::from(both)) as i64))
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        let (first, count) = match value.int()? & 3 {
            2 => (0, 1),
            3 => (1, 1),
            _ => (0, 2),
        };
        Some(Covered { file: bank::FLAG, first, count, parts: u16::MAX })
    }
}

/// One flag: whether it is y, whether it is wanted set, whether it carries a `~`.
fn flag(s: &mut Cursor<'_>) -> Option<(bool, bool, bool)> {
    let mut set = true;
    while s.eat("!") {
        set = !set;
    }
    let y = if s.eat_folded("cmp.x") {
        false
    } else if s.eat_folded("cmp.y") {
        true
    } else {
        return s.fail("a condition names cmp.x or cmp.y");
    };
    if s.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
        return s.fail("a condition names cmp.x or cmp.y");
    }
    Some((y, set, s.eat_here("~")))
}

/// A boolean or integer uniform by number or alias.
fn uniform(file: u8, s: &mut Cursor<'_>, cx: &Cx) -> Option<u16> {
    let what = if file == bank::INT {
        "expected an integer uniform (i0 to i3)"
    } else {
        "expected a boolean uniform (b0 to b15)"
    };
    let operand = Operand::read(s, cx)?;
    let bank = &BANKS[usize::from(file)];
    let n = if compat(cx) {
        operand.reg.number + operand.offset - i64::from(bank.base)
    } else if operand.reg.file == file
        && operand.selector.is_none()
        && !operand.negate
        && operand.indexed == 0
    {
        i64::from(operand.reg.index) + operand.offset
    } else {
        -1
    };
    match u16::try_from(n).ok().filter(|&n| n < bank.count) {
        Some(n) => Some(n),
        None => s.fail_at(operand.whole, what),
    }
}

impl Kind for BoolTest {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (index, inverted) = if self.inverts { (raw >> 1, raw & 1) } else { (raw, 0) };
        let (index, mods) = (index as u16, inverted as u16 * NEGATE);
        Some(Value::Reg(Reg { file: bank::BOOL, index, mods, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == bank::BOOL && r.index < 16)?;
        let inverted = r.mods & NEGATE;
        match self.inverts {
            true => Partial::full(u64::from(r.index) << 1 | u64::from(inverted)),
            false if inverted == 0 => Partial::full(r.index.into()),
            false => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Some(r) = value.reg() else { return };
        out.push_str(if r.mods & NEGATE != 0 { "!" } else { "" });
        print_indexed(r, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let mut inverted = false;
        while s.eat("!") {
            inverted = !inverted;
            if !self.inverts {
                return s.fail_last("only jmpu can invert a boolean uniform; use the else part instead");
            }
        }
        let index = uniform(bank::BOOL, s, cx)?;
        Some(Value::Reg(Reg {
            file: bank::BOOL,
            index,
            mods: u16::from(inverted) * NEGATE,
            ..Reg::default()
        }))
    }
    fn contextual(&self) -> bool {
        true
    }
}

impl Kind for IntUniform {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Reg(Reg { file: bank::INT, index: raw as u16, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(value.reg().filter(|r| r.file == bank::INT && r.index < 4)?.index.into())
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        if let Some(r) = value.reg() {
            print_indexed(r, out, cx);
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let index = uniform(bank::INT, s, cx)?;
        Some(Value::Reg(Reg { file: bank::INT, index, ..Reg::default() }))
    }
    fn contextual(&self) -> bool {
        true
    }
}

/// Names of the comparisons by operator; 6 and 7 always hold [3dbrew, Panda3DS] and
/// have a name in the plain dialect only.
pub const RELATIONS: [&str; 8] = ["eq", "ne", "lt", "le", "gt", "ge", "true6", "true7"];

impl Kind for Relation {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        (raw < 6 || cx.dialect == PLAIN).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 8)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(RELATIONS[value.int().unwrap_or(0) as usize & 7]);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let word = s.take(|c| c != b',').unwrap_or("").trim_end();
        let known = if cx.dialect == PLAIN { 8 } else { 6 };
        let found = RELATIONS[..known].iter().position(|name| name.eq_ignore_ascii_case(word));
        found
            .map(|n| Value::Int(n as i64))
            .or_else(|| s.fail_last("a comparison is one of eq, ne, lt, le, gt and ge"))
    }
    fn about(&self) -> Option<String> {
        Some("0 eq, 1 ne, 2 lt, 3 le, 4 gt, 5 ge; 6 and 7 always hold".to_owned())
    }
}

/// Values are word offsets.
impl Kind for Place {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        match value {
            Value::Int(n) => Partial::full(u64::try_from(n).ok().filter(|n| *n < 4096)?),
            Value::Symbol(_) => Some(Partial { raw: 0, known: 0 }),
            Value::Reg(_) => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let n = value.int().unwrap_or(0);
        match cx.symbols.filter(|_| cx.dialect == PICASSO).and_then(|s| s.name_at(n as u64)) {
            Some(name) => out.push_str(name),
            None => out.push_int(n),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        if cx.dialect == PLAIN {
            return s.int().map(Value::Int).or_else(|| s.fail("expected a word offset"));
        }
        symbol(s, cx, "there is no label of this name in this file")
    }
    fn contextual(&self) -> bool {
        true
    }
}

/// A name of the program, resolved by the context.
fn symbol(s: &mut Cursor<'_>, cx: &Cx, unknown: &'static str) -> Option<Value> {
    let name = s.ident().or_else(|| s.fail("expected a name"))?;
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        return s.fail_last("a name does not begin with a digit");
    }
    cx.symbols.and_then(|symbols| symbols.target(name)).or_else(|| s.fail_last(unknown))
}

/// Values are `place << 8 | length`, both in words.
impl Kind for Procedure {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        match value {
            Value::Int(n) => Partial::full(u64::try_from(n).ok()?),
            Value::Symbol(_) => Some(Partial { raw: 0, known: 0 }),
            Value::Reg(_) => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let n = value.int().unwrap_or(0);
        match cx.symbols.and_then(|s| s.name_at(n as u64 >> 8)) {
            Some(name) => out.push_str(name),
            None => out.push_int(n >> 8),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        symbol(s, cx, "there is no procedure of this name")
    }
    fn contextual(&self) -> bool {
        true
    }
}

impl Kind for Vertex {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        (raw < 3 || cx.dialect == PLAIN).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 4)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_int(value.int().unwrap_or(0));
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let most = if cx.dialect == PLAIN { 3 } else { 2 };
        let text = s.take(|c| c != b',').unwrap_or("").trim_end();
        let n = if compat(cx) { number(text, true) } else { number(text, false) };
        match n.filter(|&n| n <= most && text.starts_with(|c: char| c.is_ascii_digit())) {
            Some(n) => Some(Value::Int(n.into())),
            None => s.fail_last("a vertex slot is 0, 1 or 2"),
        }
    }
}

/// Bit 0 is WINDING, bit 1 PRIMEMIT.
impl Kind for EmitFlags {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 4)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(["", "inv", "prim", "prim inv"][value.int().unwrap_or(0) as usize & 3]);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let mut flags = 0;
        while let Some(word) = s.take(|c| !matches!(c, b' ' | b'\t' | b',')) {
            let is = |names: [&str; 2]| names.iter().any(|name| name.eq_ignore_ascii_case(word));
            if is(["prim", "primitive"]) {
                flags |= 2;
            } else if is(["inv", "invert"]) {
                flags |= 1;
            } else if compat(cx) {
                let at = s.at();
                s.remark(
                    at - word.len()..at,
                    "picasso reports an unknown setemit flag as an error, but assembles on",
                );
            } else {
                return s
                    .fail_last("a setemit flag is prim or inv (picasso would tell this, but assemble on)");
            }
        }
        Some(Value::Int(flags))
    }
}
