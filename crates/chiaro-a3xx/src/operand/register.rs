//! Names of registers and constants.

use crate::operand::MESA;
use crate::regs::{TABLE, file, mods, size};
use chiaro_isa::{Cursor, Out, Reg, Short};
use std::sync::LazyLock;

/// Register names by byte, half ones from 256 on: one copy of 16 bytes each.
static REGISTERS: LazyLock<Vec<Short>> = LazyLock::new(|| {
    let named = |n: u16| {
        let index = n & 0xff;
        let half = if n > 0xff { "h" } else { "" };
        let stem = match index / 4 {
            61 => format!("{half}a{}", index & 3),
            62 => format!("{half}p0.{}", component(index)),
            n => format!("{half}r{n}.{}", component(index)),
        };
        let text = if index / 4 == 61 { format!("{half}a0.{}", component(index)) } else { stem };
        Short::new(&text).unwrap_or(Short::EMPTY)
    };
    (0..512).map(named).collect()
});

/// Constant names by component, half ones from 2048 on.
static CONSTANTS: LazyLock<Vec<Short>> = LazyLock::new(|| {
    let named = |n: u16| {
        let half = if n > 0x7ff { "h" } else { "" };
        let text = format!("{half}c{}.{}", (n & 0x7ff) / 4, component(n));
        Short::new(&text).unwrap_or(Short::EMPTY)
    };
    (0..4096).map(named).collect()
});

fn component(index: u16) -> char {
    char::from(b"xyzw"[usize::from(index & 3)])
}

/// Appends a register or constant without its modifiers.
pub(crate) fn print_name(r: Reg, out: &mut Out) {
    let half = usize::from(r.size == size::HALF);
    match r.file {
        file::CONST => out.push_short(&CONSTANTS[usize::from(r.index & 0x7ff) | half << 11]),
        _ => out.push_short(&REGISTERS[usize::from(r.index & 0xff) | half << 8]),
    }
}

/// How an offset from a0.x is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OffsetStyle {
    /// `<a0.x + -4>`, and `<a0.x + 0>`.
    Mesa,
    /// `<a0.x + -4>`, but `<a0.x>`: copies.
    MesaCopy,
    /// `<a0.x - 4>`, without the `h` of half operands: category 1 of pgmdump.
    Signed,
    /// `<a0.x + 1020>`: the other categories of pgmdump.
    Unsigned,
}

/// The style of a dialect, for copies and for everything else.
pub(super) fn offset_style(dialect: u8, copy: bool) -> OffsetStyle {
    match (dialect, copy) {
        (MESA, true) => OffsetStyle::MesaCopy,
        (MESA, false) => OffsetStyle::Mesa,
        (_, true) => OffsetStyle::Signed,
        (_, false) => OffsetStyle::Unsigned,
    }
}

/// Appends an operand relative to a0.x.
pub(super) fn print_relative(r: Reg, style: OffsetStyle, out: &mut Out) {
    out.push_str(if r.size == size::HALF && style != OffsetStyle::Signed { "h" } else { "" });
    out.push_str(if r.file == file::RELATIVE_CONST { "c<a0.x" } else { "r<a0.x" });
    let offset = i64::from(r.index as i16);
    match style {
        _ if offset == 0 && style != OffsetStyle::Mesa => {}
        OffsetStyle::Signed if offset < 0 => {
            out.push_str(" - ");
            out.push_int(-offset);
        }
        OffsetStyle::Unsigned => {
            out.push_str(" + ");
            out.push_int(offset & 0x3ff);
        }
        _ => {
            out.push_str(" + ");
            out.push_int(offset);
        }
    }
    out.push('>');
}

/// Appends `(neg)`, `(abs)` or `(absneg)`.
pub(super) fn print_sign(m: u16, out: &mut Out) {
    out.push_str(["", "(neg)", "(abs)", "(absneg)"][usize::from(m & 3)]);
}

/// Reads modifiers in any order; `(neg)(abs)` is `(absneg)` [Mesa's assembler].
pub(super) fn modifiers(s: &mut Cursor<'_>) -> u16 {
    let mut all = 0;
    while let Some(n) = s.name_in(&["(neg)", "(abs)", "(absneg)", "(r)"]) {
        all |= [mods::NEG, mods::ABS, mods::NEG | mods::ABS, mods::STEP][n];
    }
    all
}

/// Reads a register, a constant, or either relative to a0.x.
pub(crate) fn register(s: &mut Cursor<'_>) -> Option<Reg> {
    register_within(s, 511)
}

/// As [`register`], with the greatest offset from a0.x: 1023 where negative ones are
/// written without sign.
pub(super) fn register_within(s: &mut Cursor<'_>, most: i64) -> Option<Reg> {
    s.skip_blanks();
    let start = s.at();
    let half = if s.eat("h") { size::HALF } else { size::FULL };
    let stem = s.take_here(|c| matches!(c, b'r' | b'c' | b'a' | b'p'));
    let kind = match stem {
        Some("r") => file::GPR,
        Some("c") => file::CONST,
        Some("a" | "p") => return special(s, stem == Some("a"), half),
        _ => {
            s.rewind(start);
            return s.fail("expected a register or constant, such as r0.x or c4.w");
        }
    };
    match s.eat_here("<") {
        true => relative(s, kind, half, most),
        false => numbered(s, kind, half),
    }
}

/// `a0.x` or `p0.y`, behind its first letter.
fn special(s: &mut Cursor<'_>, address: bool, half: u8) -> Option<Reg> {
    let base = if address { 61 } else { 62 };
    match s.digits() {
        Some(0) => Some(Reg { size: half, index: base * 4 + component_here(s)?, ..Reg::default() }),
        Some(1) if address => {
            component_here(s)?;
            Some(Reg { size: half, index: base * 4 + 1, ..Reg::default() })
        }
        _ => s.fail_last("there is one address register a0 and one predicate p0"),
    }
}

fn numbered(s: &mut Cursor<'_>, kind: u8, half: u8) -> Option<Reg> {
    let Some(n) = s.digits() else { return s.fail("expected the number of a register") };
    let most = if kind == file::CONST { 511 } else { 63 };
    if n > most {
        let why = match kind {
            file::CONST => "constants go from c0 to c511",
            _ => "registers go from r0 to r60; r63.x stands for none",
        };
        return s.fail_last(why);
    }
    if kind == file::GPR && matches!(n, 61 | 62) {
        return s.fail_last("the register of this number is called a0 or p0");
    }
    Some(Reg { file: kind, size: half, index: n as u16 * 4 + component_here(s)?, ..Reg::default() })
}

fn component_here(s: &mut Cursor<'_>) -> Option<u16> {
    let name = s.eat_here(".").then(|| s.take_here(|c| b"xyzw".contains(&c))).flatten();
    match name.and_then(|c| "xyzw".find(c)) {
        Some(i) => Some(i as u16),
        None => s.fail("a register has one component, as in r0.x"),
    }
}

/// `<a0.x + N>` behind the angle bracket; `+ -4` and `- 4` mean the same.
fn relative(s: &mut Cursor<'_>, kind: u8, half: u8, most: i64) -> Option<Reg> {
    if !s.eat("a0.x") {
        return s.fail("only a0.x can be added to a register number");
    }
    let sign = if s.eat("+") {
        1
    } else if s.eat("-") {
        -1
    } else {
        0
    };
    let offset = match sign {
        0 => Some(0),
        sign => s.int().map(|n| n.saturating_mul(sign)),
    };
    let Some(offset) = offset.filter(|n| (-512..=most).contains(n)) else {
        return s.fail_last("an offset from a0.x is -512 to 511");
    };
    if !s.eat(">") {
        return s.fail("expected `>`");
    }
    let file = if kind == file::CONST { file::RELATIVE_CONST } else { file::RELATIVE };
    Some(Reg { file, size: half, index: offset as i16 as u16, indexed: 1, ..Reg::default() })
}

/// An offset of ten bits as sources hold it; pgmdump writes negative ones unsigned.
pub(super) fn offset_bits(r: Reg, dialect: u8) -> Option<u64> {
    let offset = r.index as i16;
    let most = if dialect == MESA { 511 } else { 1023 };
    (-512..=most).contains(&offset).then_some(offset as u64 & 0x3ff)
}

/// The index of a table entry by its text, brackets included.
pub(super) fn table_entry(s: &mut Cursor<'_>) -> Option<u16> {
    let names = TABLE.map(|(name, _)| name);
    s.name_in(&names).map(|n| n as u16)
}
