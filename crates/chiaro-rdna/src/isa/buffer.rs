//! Operands that plain and typed buffer instructions share (spec 4, 9.1).

use super::layout::STEP;
use crate::operand::memory::BufferAddress;
use crate::operand::register::Descriptor;
use chiaro_isa::{Bits, Field, Flag, Tagged, UInt, at, bit, modifier, split, src};

pub(super) const LOADED_BITS: Bits = split([55..=55, 40..=47]);
pub(super) const LOADED: &str = "where the data go, and one more register with tfe";
pub(super) const VADDR: Field =
    src("vaddr", split([12..=13, 32..=39]), &BufferAddress, "index, offset, or both in a pair");
pub(super) const SRSRC: Field =
    src("srsrc", at(48..=52), &Descriptor { count: 4, unit: 4 }, "buffer descriptor");
pub(super) const SOFFSET: Field =
    src("soffset", at(56..=63), &STEP, "bytes added to the address, past the range check");
pub(super) const IDXEN: Field = modifier("idxen", bit(13), &Flag(" idxen"), "vaddr holds an index");
pub(super) const OFFEN: Field = modifier("offen", bit(12), &Flag(" offen"), "vaddr holds an offset");
pub(super) const OFFSET: Field =
    modifier("offset", at(0..=11), &Tagged(" offset:", &UInt), "bytes added to the address");
pub(super) const GLC: Field =
    modifier("glc", bit(14), &Flag(" glc"), "past the first cache; atomics return what was there");
pub(super) const SLC: Field = modifier("slc", bit(54), &Flag(" slc"), "streams through the second cache");
pub(super) const TFE: Field = modifier("tfe", bit(55), &Flag(" tfe"), "status in one more register");
