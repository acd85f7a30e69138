//! Operand kinds: how registers, constants and numbers are coded and spelled.
//!
//! Every kind decodes to a [`Value`] that a checker or a simulator can read without
//! knowing the category: a [`Reg`] with a file, a size and modifiers ([`crate::regs`]), or
//! a number. spec sections 3 and 4.

mod alu;
mod copy;
mod flags;
mod flow;
mod memory;
mod register;
mod texture;

pub(crate) use alu::{Dest, Input, Multi, Nops, Repeat, SelDest, SelSource, SelSource2, SelThird};
#[cfg(feature = "compile")]
pub(crate) use copy::HALF_FLOAT;
#[cfg(any(feature = "compile", feature = "sim"))]
pub(crate) use copy::half_bits;
pub(crate) use copy::{CopyDest, CopyImmediate, CopySource, Rounding, Types};
pub(crate) use flags::{AtomicType, Condition, Letters, OneDimension, Switch, Type};
pub(crate) use flow::{Distance, Predicate, distance};
pub(crate) use memory::{Data, Index, Offset, Plain, Unsigned};
pub(crate) use register::{print_name, register};
pub(crate) use texture::{Descriptors, Indices, Shadow, TexDest, TexIndex, TexSource, Unread};

use crate::regs::generation;
use chiaro_isa::{Cx, Value};

/// The dialect of Mesa's assembler and disassembler, an index into the set's dialects.
pub const MESA: u8 = 0;
/// The dialect of freedreno's pgmdump, state of 2018.
pub const PGMDUMP: u8 = 1;
/// The same of October 2013, and of the assembler of that time.
pub const PGMDUMP_2013: u8 = 2;

/// [`Cx::options`]: print exactly what Mesa prints, also what this generation does not have.
pub const COMPAT: u32 = 1;

/// Whether an instruction without repetition counts nops in its step bits: from A5xx on
/// (the sources deny it for A3xx), and wherever Mesa's decoder is imitated [ir3, isaspec].
pub(crate) fn counts_nops(cx: &Cx) -> bool {
    cx.dialect == MESA && (cx.generation >= generation::A5XX || cx.options & COMPAT != 0)
}

/// The number of a value that is one, or 0.
pub(crate) fn number(value: Value) -> i64 {
    value.int().unwrap_or(0)
}
