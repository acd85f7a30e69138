//! Fields that several categories share. spec section 3.

use crate::operand::{Nops, Repeat};
use chiaro_isa::{Field, Flag, at, bit, modifier, split};

/// Present in every category.
pub(super) const SY: Field =
    modifier("sy", bit(60), &Flag("(sy)"), "waits for results of texture and global memory");
/// Categories 0 to 4 and 7; the others carry no such bit.
pub(super) const SS: Field =
    modifier("ss", bit(44), &Flag("(ss)"), "waits for results of special functions and local memory");
/// Present in every category.
pub(super) const JP: Field = modifier("jp", bit(59), &Flag("(jp)"), "lanes parked for this place join here");
/// Categories 1 to 4.
pub(super) const UL: Field = modifier("ul", bit(45), &Flag("(ul)"), "last use of the value in a0.x");
/// Categories 2 to 4.
pub(super) const SAT: Field = modifier("sat", bit(42), &Flag("(sat)"), "clamps the float result to 0..1");
/// Categories 1 to 4.
pub(super) const REPEAT: Field =
    modifier("repeat", at(40..=41), &Repeat(3), "runs again so often, registers step");
/// Category 2 and 4: the step bits of both sources without repetition.
pub(super) const NOPS: Field =
    modifier("nops", split([51..=51, 43..=43, 40..=41]), &Nops, "nops that follow, from A5xx on").view();
/// Category 3.
pub(super) const NOPS3: Field =
    modifier("nops", split([15..=15, 43..=43, 40..=41]), &Nops, "nops that follow, from A5xx on").view();
/// How listings of 2013 show repeat and saturation.
pub(super) const REPEAT_OLD: Field =
    modifier("rpt", at(40..=42), &Repeat(7), "repeat and saturation, as tools of 2013 show them").view();
