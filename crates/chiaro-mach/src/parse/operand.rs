//! One operand of the text form.

use std::ops::Range;

use chiaro_isa::Cursor;

use super::{Parser, hexadecimal, number_below};
use crate::file::File;
use crate::id::{Block, Value};
use crate::operand::{Comps, Operand, What};

impl Parser<'_> {
    pub(super) fn operand(&mut self, s: &mut Cursor<'_>) -> Option<Operand> {
        s.skip_blanks();
        let start = s.at();
        let mut o = self.what(s)?;
        if let Some(block) = o.target() {
            self.name(block, s.at());
        }
        if let What::Value(value) = o.what {
            let Some(data) = self.data(value) else {
                return s.fail_at(start..s.at(), "nothing tells what this value is");
            };
            (o.file, o.size) = (data.file, data.size);
            if s.eat_here(":") {
                // The first walk has read it.
                self.sized(s)?;
                if s.eat_here("/") {
                    self.power_of_two(s)?;
                }
            }
        } else if s.eat_here(":") {
            (o.file, o.size) = self.sized(s)?;
        }
        if s.eat_here("[") {
            let part = self.range(s)?;
            (o.offset, o.size) = (part.start, part.end - part.start);
            if !s.eat_here("]") {
                return s.fail("expected ]");
            }
        }
        if s.eat_here("@") {
            self.place(s, &mut o)?;
        }
        if s.eat_here(".") {
            o.comps = comps(s)?;
        }
        self.constraints(s, &mut o)?;
        Some(o)
    }

    fn what(&mut self, s: &mut Cursor<'_>) -> Option<Operand> {
        let start = s.at();
        if matches!(s.peek(), Some('@' | ':')) {
            return Some(Operand { what: What::Reg, ..Operand::default() });
        }
        if s.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Some(Operand::imm(number_below(s, u64::MAX).or_else(|| max(s, start))?));
        }
        if s.eat_here("undef") {
            return Some(Operand::default());
        }
        for (prefix, make) in NUMBERED {
            if s.eat_here(prefix)
                && let Some(number) = s.digits()
            {
                return Some(Operand { what: make(number), ..Operand::default() });
            }
            s.rewind(start);
        }
        let file = self.file(s)?;
        if !s.eat_here("[") {
            return s.fail("expected an operand");
        }
        let slot = number_below(s, u64::from(u32::MAX) + 1)? as u32;
        if s.eat_here("]") { Some(Operand::slot(file, slot)) } else { s.fail("expected ]") }
    }

    /// The file alone, its first unit, or a run of units.
    fn place(&mut self, s: &mut Cursor<'_>, o: &mut Operand) -> Option<()> {
        o.file = self.file(s)?;
        if !s.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Some(());
        }
        let unit = self.short(s)?;
        o.reg = Some(unit);
        let mut size = 1;
        if s.eat_here("..") {
            size = self.short(s)?.saturating_sub(unit);
        }
        let is_same = o.what == What::Reg || o.size == size;
        o.size = size;
        if is_same && size > 0 { Some(()) } else { s.fail_last("the place is not as large as the operand") }
    }

    fn constraints(&mut self, s: &mut Cursor<'_>, o: &mut Operand) -> Option<()> {
        loop {
            if s.eat("/") {
                o.align = self.power_of_two(s)?;
            } else if s.eat("!") {
                if self.file(s)? != o.file {
                    return s.fail_last("the operand is in another file");
                }
                o.fixed = Some(self.short(s)?);
            } else if s.eat("~") {
                o.tied = Some(number_below(s, 256)? as u8);
            } else if s.eat("late") {
                o.late_kill = true;
            } else if s.eat("early") {
                o.early_clobber = true;
            } else if s.eat("#") {
                o.bits = hexadecimal(s)? as u32;
            } else {
                return Some(());
            }
        }
    }

    /// A file by its name; `f3_` where the target has given it none.
    pub(super) fn file(&self, s: &mut Cursor<'_>) -> Option<File> {
        if let Some(file) = s.name_in(&self.names) {
            return Some(File(file as u8));
        }
        let start = s.at();
        if s.eat_here("f")
            && let Some(number) = s.digits()
            && number < 256
            && s.eat_here("_")
        {
            return Some(File(number as u8));
        }
        s.rewind(start);
        s.fail("no register file has this name")
    }

    /// `v` or `v.2`: a file and how many units of it.
    pub(super) fn sized(&self, s: &mut Cursor<'_>) -> Option<(File, u16)> {
        let file = self.file(s)?;
        let start = s.at();
        if s.eat_here(".") && s.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Some((file, self.short(s)?));
        }
        s.rewind(start);
        Some((file, 1))
    }

    pub(super) fn short(&self, s: &mut Cursor<'_>) -> Option<u16> {
        number_below(s, u64::from(u16::MAX) + 1).map(|number| number as u16)
    }

    pub(super) fn power_of_two(&self, s: &mut Cursor<'_>) -> Option<u8> {
        let number = number_below(s, 256)? as u8;
        if number.is_power_of_two() { Some(number) } else { s.fail_last("an alignment is a power of two") }
    }

    pub(super) fn range(&self, s: &mut Cursor<'_>) -> Option<Range<u16>> {
        let start = self.short(s)?;
        let end = if s.eat_here("..") { self.short(s)? } else { 0 };
        if start < end { Some(start..end) } else { s.fail_last("expected a range of units, as in [1..3]") }
    }
}

type Numbered = (&'static str, fn(u32) -> What);

/// What begins with these letters and goes on with a number.
const NUMBERED: [Numbered; 3] = [
    ("v", |number| What::Value(Value(number))),
    ("b", |number| What::Label(Block(number))),
    ("fn", What::Function),
];

/// The largest number, which is below no other.
fn max(s: &mut Cursor<'_>, start: usize) -> Option<u64> {
    s.rewind(start);
    s.eat_here(&u64::MAX.to_string()).then_some(u64::MAX)
}

fn comps(s: &mut Cursor<'_>) -> Option<Comps> {
    let list = s.take_here(|c| b"xyzw".contains(&c)).unwrap_or_default();
    let place = |c| b"xyzw".iter().position(|&x| x == c).unwrap_or(0) as u8;
    let list: Vec<u8> = list.bytes().map(place).collect();
    if list.is_empty() || list.len() > 4 {
        s.fail_last("expected up to four of x, y, z, w")
    } else {
        Some(Comps::of(&list))
    }
}
