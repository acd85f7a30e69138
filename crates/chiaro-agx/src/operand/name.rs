//! Names of registers and runs of them, with what may stand behind.

use crate::operand::OURS;
use crate::regs::{file, mods, size};
use chiaro_isa::{Cursor, Cx, Out, Reg, Short};
use std::sync::LazyLock;

/// Names of a file by half, and by 32-bit register: one copy of 16 bytes each.
struct Names {
    halves: Vec<Short>,
    words: Vec<Short>,
}

impl Names {
    fn new(letter: char) -> Names {
        let short = |text: String| Short::new(&text).unwrap_or(Short::EMPTY);
        let half = |n: u16| short(format!("{letter}{}{}", n / 2, if n & 1 == 0 { 'l' } else { 'h' }));
        let word = |n: u16| short(format!("{letter}{n}"));
        // A run may end behind the last register.
        Names { halves: (0..1024).map(half).collect(), words: (0..512).map(word).collect() }
    }
}

static GENERAL: LazyLock<Names> = LazyLock::new(|| Names::new('r'));
static UNIFORM: LazyLock<Names> = LazyLock::new(|| Names::new('u'));

/// Suffixes in the order in which they are printed: hint, sign extension, absolute value, sign.
const SUFFIXES: [(&str, u16); 6] = [
    (".cache", mods::CACHE),
    (".discard", mods::DISCARD),
    (".sx", mods::EXTEND),
    (".abs", mods::ABS),
    (".neg", mods::NEG),
    (".odd", mods::ODD),
];

/// Names of every set of suffixes.
static SUFFIXED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let text = |set: u16| SUFFIXES.iter().filter(|(_, bit)| set & bit != 0).map(|(text, _)| *text).collect();
    (0..64).map(text).collect()
});

/// Appends a register or a run of them, with everything that stands behind it.
pub(super) fn print(r: Reg, out: &mut Out, cx: &Cx) {
    let unused = r.mods & mods::UNUSED != 0;
    if unused {
        out.push('(');
    }
    print_bare(r, out);
    print_suffixes(r.mods, out, cx);
    if unused {
        out.push(')');
    }
}

/// Appends what stands behind an operand. That a bit without a meaning is set only we say.
pub(super) fn print_suffixes(set: u16, out: &mut Out, cx: &Cx) {
    let shown = if cx.dialect == OURS { set & 63 } else { set & 31 };
    if shown != 0 {
        out.push_str(&SUFFIXED[usize::from(shown)]);
    }
}

fn print_bare(r: Reg, out: &mut Out) {
    let names = match r.file {
        file::GPR => &*GENERAL,
        file::UNIFORM => &*UNIFORM,
        _ => return print_numbered(r, out),
    };
    let (table, step, first) = match r.size {
        size::HALF => (&names.halves, 1, r.index),
        _ => (&names.words, 1, r.index / 2),
    };
    let count = match r.size {
        size::LONG => 2 * (u16::from(r.more) + 1),
        _ => u16::from(r.more) + 1,
    };
    for n in 0..count {
        if n > 0 {
            out.push('_');
        }
        if let Some(name) = table.get(usize::from(first + n * step)) {
            out.push_short(name);
        }
    }
}

fn print_numbered(r: Reg, out: &mut Out) {
    out.push_str(match r.file {
        file::COEFFICIENT => "cf",
        file::TEXTURE => "ts",
        file::SAMPLER => "ss",
        _ => "",
    });
    out.push_int(r.index.into());
}

/// A number: decimal, `0x` or `0b`, with a sign.
#[inline]
pub(crate) fn number(s: &mut Cursor<'_>) -> Option<i64> {
    s.skip_blanks();
    let before = s.at();
    let negative = s.eat_here("-");
    let digits = s.take_here(|c| c.is_ascii_alphanumeric()).unwrap_or("");
    let n = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => i64::from_str_radix(&digits[2..], 16).ok(),
        [b'0', b'b' | b'B', ..] => i64::from_str_radix(&digits[2..], 2).ok(),
        _ => digits.parse().ok(),
    };
    if n.is_none() {
        s.rewind(before);
    }
    n.map(|n: i64| if negative { n.wrapping_neg() } else { n })
}

/// Reads what stands behind an operand.
#[inline]
pub(super) fn suffixes(s: &mut Cursor<'_>) -> u16 {
    let mut set = 0;
    while s.peek() == Some('.') {
        let Some((_, bit)) = SUFFIXES.iter().find(|(text, _)| s.eat_here(text)) else { break };
        set |= bit;
    }
    set
}

/// Reads registers with what stands behind them: one, or a run joined by `_`; in parentheses if
/// the instruction does not look at them. A `$` before is a `.cache` behind.
#[inline]
pub(crate) fn registers(s: &mut Cursor<'_>) -> Option<Reg> {
    s.skip_blanks();
    let unused = s.eat_here("(");
    let cached = s.eat_here("$");
    let mut r = run(s)?;
    r.mods = suffixes(s) | if cached { mods::CACHE } else { 0 };
    if unused {
        r.mods |= mods::UNUSED;
        if !s.eat_here(")") {
            return s.fail("expected `)`");
        }
    }
    Some(r)
}

/// Reads a run of registers. A half right behind 32-bit registers is told by [`Reg::swizzle`]:
/// its place, one more than its distance to them.
fn run(s: &mut Cursor<'_>) -> Option<Reg> {
    let start = s.at();
    let mut r = one(s)?;
    while s.eat_here("_") {
        let next = one(s)?;
        let end = r.index + u16::from(r.size) * (u16::from(r.more) + 1);
        let follows = next.file == r.file && next.size == r.size && next.index == end;
        let half = next.file == r.file && next.size == size::HALF && (end..end + 2).contains(&next.index);
        if follows && r.swizzle == 0 && r.more < 30 {
            r.more += 1;
        } else if half && r.size == size::WORD && r.swizzle == 0 {
            r.swizzle = next.index - end + 1;
        } else {
            return s.fail_at(start..s.at(), "registers that are joined follow one another");
        }
    }
    Some(r)
}

/// One register or a number of a file.
#[inline]
fn one(s: &mut Cursor<'_>) -> Option<Reg> {
    let (file, most) = match s.take_here(|c| c.is_ascii_lowercase()) {
        Some("r") => (file::GPR, 127),
        Some("u") => (file::UNIFORM, 255),
        Some("cf") => (file::COEFFICIENT, 255),
        Some("ts") => (file::TEXTURE, 255),
        Some("ss") => (file::SAMPLER, 255),
        _ => return s.fail_last("expected a register"),
    };
    let digits = s.digits().and_then(|n| u16::try_from(n).ok());
    let Some(n) = digits.filter(|n| *n <= most + 16) else {
        return s.fail_last(match most {
            127 => "general registers are r0 to r127",
            _ => "the number of a register is 0 to 255",
        });
    };
    let whole = Reg { file, index: n, size: size::WORD, ..Reg::default() };
    if file != file::GPR && file != file::UNIFORM {
        return Some(whole);
    }
    let half = |high| Reg { size: size::HALF, index: 2 * n + high, ..whole };
    if s.eat_here("l") {
        Some(half(0))
    } else if s.eat_here("h") {
        Some(half(1))
    } else {
        Some(Reg { index: 2 * n, ..whole })
    }
}
