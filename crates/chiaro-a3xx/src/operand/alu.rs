//! Sources and destinations of categories 2, 3 and 4.
//!
//! Both sources of an instruction and its destination depend on one precision bit, and a
//! source's step bit means something else where the instruction does not repeat: each
//! field names every bit that it depends on. spec sections 4.2, 4.3 and 7.

use crate::operand::register::{
    OffsetStyle, modifiers, offset_bits, offset_style, print_relative, print_sign, register_within,
    table_entry,
};
use crate::operand::{COMPAT, MESA, counts_nops, number, print_name, register};
use crate::regs::generation::A3XX;
use crate::regs::{P0, TABLE, file, mods, size};
use chiaro_isa::{Cursor, Cx, Kind, Leading, Out, Partial, Reg, Value};

/// `(nopN)`: without repetition, two step bits count nops on later machines; repeat in
/// bits 0-1, first step in bit 2, second in bit 3.
pub(crate) struct Nops;

/// `(rptN)` with the largest count. The tools of 2013 saw three bits, of which the highest
/// is `(sat)` today.
pub(crate) struct Repeat(pub(crate) u8);

/// A source of category 2 or 4: 16 bits of operand, then full precision, step, repeat.
pub(crate) struct Multi {
    /// Whether the operation takes immediates from the float table, whose index is what
    /// the older dialect writes.
    pub(crate) float: bool,
}

/// A source of a varying fetch or special function, which counts no nops.
pub(crate) struct Input(pub(crate) Multi);

/// A destination: the register, conversion, full-precision sources.
pub(crate) struct Dest;

/// First or third source of category 3, of which the operation knows the size: 13 bits
/// of operand, negation, step, repeat.
pub(crate) struct SelSource(pub(crate) u8);

/// The third, whose step bit counts no nops and means nothing where the others do.
pub(crate) struct SelThird(pub(crate) SelSource);

/// Second source of category 3, always a register: byte, negation, step, repeat.
pub(crate) struct SelSource2(pub(crate) u8);

/// Destination of category 3: the register, conversion.
pub(crate) struct SelDest(pub(crate) u8);

impl Kind for Nops {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        Some(Value::Int(if raw & 3 == 0 && counts_nops(cx) { raw as i64 >> 2 } else { 0 }))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        match value.int()? {
            0 => Some(Partial { raw: 0, known: 0 }),
            n @ 1..=3 if counts_nops(cx) => Some(Partial { raw: (n as u64) << 2, known: 15 }),
            _ => None,
        }
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        if number(value) != 0 {
            out.push_str("(nop");
            out.push_int(number(value));
            out.push_str(") ");
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        if !s.eat("(nop") {
            return Some(Value::Int(0));
        }
        if !counts_nops(cx) {
            return s.fail_last("this generation has no (nopN); write a nop behind the instruction");
        }
        let n = s.int().filter(|n| (1..=3).contains(n) && s.eat(")"));
        n.map(Value::Int).or_else(|| s.fail_last("a count is 1 to 3"))
    }
}

impl Kind for Repeat {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n <= u64::from(self.0))?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        if number(value) != 0 {
            out.push_str("(rpt");
            out.push_int(number(value));
            out.push(')');
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        if !s.eat("(rpt") {
            return Some(Value::Int(0));
        }
        let most = i64::from(self.0);
        let n = s.int().filter(|n| (1..=most).contains(n) && s.eat(")"));
        let why =
            if most == 3 { "an instruction repeats 1 to 3 times" } else { "a nop repeats 1 to 7 times" };
        n.map(Value::Int).or_else(|| s.fail_last(why))
    }
}

/// What bit 52 means where operands disagree about it.
fn precision(full: bool) -> &'static str {
    if full { "is full precision" } else { "is half" }
}

/// Whether a step bit says `(r)`: always, unless it counts nops.
fn steps(step: u64, repeat: u64, cx: &Cx) -> bool {
    step != 0 && (repeat != 0 || !counts_nops(cx))
}

/// The step bit of an operand at `place`, and whether the operand decides it.
fn step_bits(r: Reg, place: u32, repeat: u64, cx: &Cx) -> Option<(u64, u64)> {
    let step = r.mods & mods::STEP != 0;
    match repeat != 0 || !counts_nops(cx) {
        true => Some((u64::from(step) << place, 1 << place)),
        false => (!step).then_some((0, 0)),
    }
}

impl Multi {
    /// File, index and size of the operand bits without modifiers.
    fn place(operand: u64, half: u8) -> Option<(u8, u16, u8)> {
        Some(match operand >> 11 & 7 {
            0b000 if operand >> 8 & 7 == 0 => (file::GPR, operand as u16 & 0xff, half),
            0b001 => {
                let file = if operand >> 10 & 1 == 1 { file::RELATIVE_CONST } else { file::RELATIVE };
                (file, sign_extended(operand, 10), half)
            }
            0b010 | 0b110 => (file::CONST, operand as u16 & 0x7ff, half),
            0b100 => (file::IMMEDIATE, sign_extended(operand, 11), half),
            0b101 if operand & 0x3ff < TABLE.len() as u64 => (file::TABLE, operand as u16 & 0x3ff, half),
            _ => return None,
        })
    }

    /// Operand bits of a file and index.
    fn bits(r: Reg, dialect: u8) -> Option<u64> {
        let index = u64::from(r.index);
        match r.file {
            file::GPR => Some(index & 0xff),
            file::CONST => Some(0b010 << 11 | index & 0x7ff),
            file::RELATIVE => Some(0b001 << 11 | offset_bits(r, dialect)?),
            file::RELATIVE_CONST => Some(0b001 << 11 | 1 << 10 | offset_bits(r, dialect)?),
            file::IMMEDIATE => Some(0b100 << 11 | index & 0x7ff),
            file::TABLE => Some(0b101 << 11 | u64::from(r.size) << 10 | index),
            _ => None,
        }
    }
}

fn sign_extended(bits: u64, width: u32) -> u16 {
    (((bits << (64 - width)) as i64) >> (64 - width)) as u16
}

impl Kind for Multi {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let (operand, full, step, repeat) = (raw & 0xffff, raw >> 16 & 1, raw >> 17 & 1, raw >> 18);
        let half = if full == 1 { size::FULL } else { size::HALF };
        let (file, index, size) = Multi::place(operand, half)?;
        let mut mods = (operand >> 14) as u16;
        if steps(step, repeat, cx) {
            mods |= mods::STEP;
        }
        let indexed = u8::from(file == file::RELATIVE || file == file::RELATIVE_CONST);
        Some(Value::Reg(Reg { file, size, index, mods, indexed, ..Reg::default() }))
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        let r = value.reg()?;
        let (step, known) = step_bits(r, 17, given.raw >> 18 & 3, cx)?;
        let full = u64::from(r.size == size::FULL) << 16;
        let raw = Multi::bits(r, cx.dialect)? | u64::from(r.mods & 3) << 14 | full | step;
        // The older dialect writes no `h` before immediates: they take what the others say.
        let silent = cx.dialect != MESA && matches!(r.file, file::IMMEDIATE | file::TABLE);
        let operand = if silent { 0xffff } else { 0x1_ffff };
        Some(Partial { raw, known: known | operand })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Some(r) = value.reg() else { return };
        print_sign(r.mods, out);
        if r.mods & mods::STEP != 0 {
            out.push_str("(r)");
        }
        print_body(r, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let mods = modifiers(s);
        let r = body(s, cx)?;
        let indexes = self.float && cx.dialect != MESA && usize::from(r.index) < TABLE.len();
        let file = if r.file == file::IMMEDIATE && indexes { file::TABLE } else { r.file };
        Some(Value::Reg(Reg { mods, file, ..r }))
    }
    /// The low numbers of every kind of operand, with their sign.
    fn leading(&self) -> Option<Leading> {
        Some(Leading { which: 0x1_78ff, changes: 0x2_8700, except: u64::MAX })
    }
    fn says(&self, raw: u64, bits: u64) -> Option<&'static str> {
        (bits >> 16 & 1 == 1).then(|| precision(raw >> 16 & 1 == 1))
    }
}

/// For operands whose step bits never count nops: as in a generation without `(nopN)`.
fn without_nops<'a>(cx: &Cx<'a>) -> Cx<'a> {
    Cx { generation: A3XX, options: cx.options & !COMPAT, ..*cx }
}

impl Kind for Input {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        self.0.decode(raw, &without_nops(cx))
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        self.0.encode(value, given, &without_nops(cx))
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        self.0.print(value, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        self.0.parse(s, cx)
    }
    fn leading(&self) -> Option<Leading> {
        self.0.leading()
    }
    fn says(&self, raw: u64, bits: u64) -> Option<&'static str> {
        self.0.says(raw, bits)
    }
}

impl Kind for SelThird {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let r = self.0.decode(raw & 0x1_ffff, &without_nops(cx))?.reg()?;
        let nops = raw >> 15 & 3 == 0 && raw >> 17 != 0 && counts_nops(cx);
        Some(Value::Reg(Reg { mods: if nops { r.mods & !mods::STEP } else { r.mods }, ..r }))
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        self.0.encode(value, given, &without_nops(cx))
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        self.0.print(value, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        self.0.parse(s, cx)
    }
    fn leading(&self) -> Option<Leading> {
        self.0.leading()
    }
    fn says(&self, raw: u64, bits: u64) -> Option<&'static str> {
        self.0.says(raw, bits)
    }
}

/// Appends an operand of category 2 or 4 without its modifiers.
fn print_body(r: Reg, out: &mut Out, cx: &Cx) {
    match r.file {
        file::RELATIVE | file::RELATIVE_CONST => {
            print_relative(r, offset_style(cx.dialect, false), out);
        }
        file::IMMEDIATE => print_number(i64::from(r.index as i16), r.size, out, cx),
        // pgmdump does not know the table and writes the index.
        file::TABLE if cx.dialect != MESA => out.push_int(i64::from(r.index)),
        file::TABLE => {
            out.push_str(if r.size == size::HALF { "h" } else { "" });
            out.push_str(TABLE.get(usize::from(r.index)).map_or("", |(name, _)| name));
        }
        _ => print_name(r, out),
    }
}

fn print_number(n: i64, size: u8, out: &mut Out, cx: &Cx) {
    match size == size::HALF && cx.dialect == MESA {
        true => {
            out.push_str("h(");
            out.push_int(n);
            out.push(')');
        }
        false => out.push_int(n),
    }
}

/// The older dialect writes negative offsets from a0.x as numbers of ten bits.
fn greatest_offset(cx: &Cx) -> i64 {
    if cx.dialect == MESA { 511 } else { 1023 }
}

/// Reads an operand of category 2 or 4 behind its modifiers.
fn body(s: &mut Cursor<'_>, cx: &Cx) -> Option<Reg> {
    s.skip_blanks();
    let start = s.at();
    let half = s.eat("h(") || s.eat("h (");
    if half {
        s.rewind(start);
        s.eat("h");
    }
    let size = if half { size::HALF } else { size::FULL };
    if let Some(index) = table_entry(s) {
        return Some(Reg { file: file::TABLE, size, index, ..Reg::default() });
    }
    if half || s.peek().is_some_and(|c| c.is_ascii_digit() || c == '-' || c == '(') {
        return integer(s, half, size);
    }
    register_within(s, greatest_offset(cx))
}

/// `5`, `-5` or `h(5)`; the range is that of the encoding, -1024 to 1023.
fn integer(s: &mut Cursor<'_>, half: bool, size: u8) -> Option<Reg> {
    if half && !s.eat_here("(") {
        return s.fail("expected a number in brackets, as in h(5)");
    }
    let start = s.at();
    if !half && s.eat("(") {
        return s
            .fail_at(start..start + 1, "the table of float immediates has no such entry; use a constant");
    }
    let Some(n) = s.int() else { return s.fail("expected a number") };
    let end = s.at();
    if s.eat_here(".") {
        return s.fail_at(start..s.at(), "a float immediate stands in brackets and comes from the table");
    }
    if !(-1024..1024).contains(&n) {
        return s.fail_at(start..end, "an integer immediate is -1024 to 1023; use a constant");
    }
    if half && !s.eat(")") {
        return s.fail("expected `)`");
    }
    Some(Reg { file: file::IMMEDIATE, size, index: n as i16 as u16, ..Reg::default() })
}

impl Kind for Dest {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (index, convert, full) = ((raw & 0xff) as u16, raw >> 8 & 1, raw >> 9);
        let size = if convert == full && index < P0 { size::HALF } else { size::FULL };
        Some(Value::Reg(Reg { size, index, ..Reg::default() }))
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR)?;
        let (full, known) = if given.known >> 9 & 1 == 1 { (given.raw >> 9 & 1, 0) } else { (1, 1 << 9) };
        let convert = match r.index {
            P0.. if r.size == size::HALF => return None,
            // Predicates and no register have no precision [Mesa's assembler].
            P0.. => 0,
            _ if r.size == size::HALF => full,
            _ => full ^ 1,
        };
        Some(Partial { raw: full << 9 | convert << 8 | u64::from(r.index), known: 0x1ff | known })
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        value.reg().into_iter().for_each(|r| print_name(r, out));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        destination(s).map(Value::Reg)
    }
}

/// Reads a plain general register.
fn destination(s: &mut Cursor<'_>) -> Option<Reg> {
    s.skip_blanks();
    let start = s.at();
    let r = register(s)?;
    match r.file {
        file::GPR => Some(r),
        file::CONST => s.fail_at(start..s.at(), "a constant cannot be written"),
        _ => s.fail_at(start..s.at(), "only mov and cov write a register relative to a0.x"),
    }
}

impl Kind for SelSource {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let (operand, neg, step, repeat) = (raw & 0x1fff, raw >> 13 & 1, raw >> 14 & 1, raw >> 15);
        let (file, index) = match operand >> 11 {
            0b00 if operand >> 8 & 7 == 0 => (file::GPR, operand as u16 & 0xff),
            0b01 if operand >> 10 & 1 == 0 => (file::RELATIVE, sign_extended(operand, 10)),
            0b01 => (file::RELATIVE_CONST, sign_extended(operand, 10)),
            0b10 | 0b11 => (file::CONST, operand as u16 & 0x7ff),
            _ => return None,
        };
        let step = if steps(step, repeat, cx) { mods::STEP } else { 0 };
        let indexed = u8::from(file == file::RELATIVE || file == file::RELATIVE_CONST);
        Some(Value::Reg(Reg {
            file,
            size: self.0,
            index,
            indexed,
            mods: neg as u16 | step,
            ..Reg::default()
        }))
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.size == self.0 && r.mods & mods::ABS == 0)?;
        let operand = match r.file {
            file::GPR => u64::from(r.index),
            file::RELATIVE => 0b01 << 11 | offset_bits(r, cx.dialect)?,
            file::RELATIVE_CONST => 0b01 << 11 | 1 << 10 | offset_bits(r, cx.dialect)?,
            file::CONST => 0b10 << 11 | u64::from(r.index),
            _ => return None,
        };
        let (step, known) = step_bits(r, 14, given.raw >> 15 & 3, cx)?;
        let neg = u64::from(r.mods & mods::NEG) << 13;
        Some(Partial { raw: operand | neg | step, known: known | 0x3fff })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        print_third(value, out, offset_style(cx.dialect, false));
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        sel_operand(s, self.0, cx)
    }
    /// Low registers and constants, with their sign.
    fn leading(&self) -> Option<Leading> {
        Some(Leading { which: 0x30ff, changes: 0x4f00, except: u64::MAX })
    }
}

/// Appends an operand of category 3.
fn print_third(value: Value, out: &mut Out, style: OffsetStyle) {
    let Some(r) = value.reg() else { return };
    print_sign(r.mods, out);
    if r.mods & mods::STEP != 0 {
        out.push_str("(r)");
    }
    match r.indexed {
        0 => print_name(r, out),
        _ => print_relative(r, style, out),
    }
}

/// Reads an operand of category 3; with [`COMPAT`] a wrong size is taken as Mesa takes it.
fn sel_operand(s: &mut Cursor<'_>, size: u8, cx: &Cx) -> Option<Value> {
    s.skip_blanks();
    let start = s.at();
    let mods = modifiers(s);
    if mods & mods::ABS != 0 {
        return s.fail_at(start..s.at(), "three-source operations have no (abs)");
    }
    if s.peek().is_some_and(|c| c.is_ascii_digit() || c == '(' || c == '-') {
        return s.fail("three-source operations take no immediates; use a constant");
    }
    let at = s.at();
    let mut r = register_within(s, greatest_offset(cx))?;
    if r.size != size && cx.options & COMPAT == 0 {
        let why = match size {
            size::FULL => "this operation reads full registers",
            _ => "this operation reads half registers",
        };
        return s.fail_at(at..s.at(), why);
    }
    r.size = size;
    Some(Value::Reg(Reg { mods, ..r }))
}

impl Kind for SelSource2 {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let (index, neg, step, repeat) = (raw as u16 & 0xff, raw >> 8 & 1, raw >> 9 & 1, raw >> 10);
        let step = if steps(step, repeat, cx) { mods::STEP } else { 0 };
        Some(Value::Reg(Reg { size: self.0, index, mods: neg as u16 | step, ..Reg::default() }))
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR && r.size == self.0)?;
        let (step, known) = step_bits(r, 9, given.raw >> 10 & 3, cx)?;
        let neg = u64::from(r.mods & mods::NEG) << 8;
        Some(Partial { raw: u64::from(r.index) | neg | step, known: known | 0x1ff })
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        print_third(value, out, offset_style(cx.dialect, false));
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        s.skip_blanks();
        let start = s.at();
        let value = sel_operand(s, self.0, cx)?;
        match value.reg().map(|r| r.file) {
            Some(file::GPR) => Some(value),
            _ => s.fail_at(
                start..s.at(),
                "the second source of three is a register; exchange it with the first",
            ),
        }
    }
}

impl Kind for SelDest {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (index, convert) = ((raw & 0xff) as u16, raw >> 8 == 1);
        let half = (self.0 == size::HALF) != convert && index < P0;
        Some(Value::Reg(Reg { size: if half { size::HALF } else { size::FULL }, index, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR)?;
        let convert = match r.index {
            P0.. if r.size == size::HALF => return None,
            P0.. => false,
            _ => r.size != self.0,
        };
        Partial::full(u64::from(convert) << 8 | u64::from(r.index))
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        value.reg().into_iter().for_each(|r| print_name(r, out));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        destination(s).map(Value::Reg)
    }
}
