//! Operand kinds: how registers, swizzles, conditions and places are coded and spelled.
//!
//! Two dialects: the plain one, in which every valid operand has a text of its own
//! (for listings a line each, `explain` and the laws), and picasso's. picasso's has a
//! strict reading and, behind [`COMPAT`], picasso's own reading with all that it lets
//! pass (spec section 20.12).

pub(crate) mod arithmetic;
#[cfg(any(feature = "asm", feature = "compile"))]
pub(crate) mod descriptor;
mod flow;
mod print;
mod text;

pub use flow::{
    Address, BoolTest, Condition, EmitFlags, IntUniform, Place, Procedure, RELATIONS, Relation, Vertex,
};
pub use print::print_register;
pub(crate) use text::bank_of;
pub use text::{REORDERED, register, selector};

use crate::regs::{ALL, IDENTITY, bank, destination, selected, source};
use chiaro_isa::{Bits, Covered, Cursor, Cx, Field, Kind, Out, Partial, Reg, Value};
use print::{print_indexed, print_mask, print_selector};
use text::Operand;

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

/// Where a field says which register it is: of a source without what stands above the number, see [`Src`].
pub(crate) fn number_of(field: &Field) -> Bits {
    const WIDE: u8 = 2 + 8 + 1 + 7;
    const NARROW: u8 = 8 + 1 + 5;
    match field.bits.width() {
        WIDE => field.bits.part(0, 7),
        NARROW => field.bits.part(0, 5),
        _ => field.bits,
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
    /// Listings declare names for registers.
    fn contextual(&self) -> bool {
        true
    }
    fn about(&self) -> Option<String> {
        Some(if self.wide { "v, r or c, may be indexed" } else { "v or r" }.to_owned())
    }
}
