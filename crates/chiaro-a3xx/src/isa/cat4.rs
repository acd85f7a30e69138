//! Category 4: special functions. spec section 9.

use super::fields::{JP, REPEAT, REPEAT_OLD, SAT, SS, SY, UL};
use super::rules::{PREDICATE_DEST, REGISTER_ONLY, WRITES_A0};
use crate::operand::{Dest, Input, Multi};
use crate::regs::generation::{A5XX, A6XX};
use chiaro_isa::{Field, Format, Gens, Length, at, dst, split, src};

const SOURCE: Input = Input(Multi { float: true });
const SRC: Field = src("src", split([40..=41, 43..=43, 52..=52, 0..=15]), &SOURCE, "register");
const DST: Field = dst("dst", split([52..=52, 46..=46, 32..=39]), &Dest, "destination");

/// One source.
pub(super) static SPECIAL: Format = Format {
    name: "cat4",
    length: Length::Bytes(8),
    opcode: at(53..=58),
    fixed: &[(at(61..=63), 4)],
    fields: &[SY, SS, JP, REPEAT_OLD, SAT, REPEAT, UL, SRC, DST],
    syntax: &[
        "{*sy ss jp sat repeat ul}{op} {dst}, {src}",
        "{*sy ss jp sat repeat ul}{op} {dst}, {src}",
        "{*sy ss jp rpt ul}{op} {dst}, {src}",
    ],
    rules: &[REGISTER_ONLY, PREDICATE_DEST, WRITES_A0],
    spare: &[at(16..=31), at(47..=51)],
    ..Format::EMPTY
};
/// From A5xx on.
pub(super) static SPECIAL_A5XX: Format = Format { name: "cat4, A5xx", when: Gens::from(A5XX), ..SPECIAL };
/// From A6xx on.
pub(super) static SPECIAL_A6XX: Format = Format { name: "cat4, A6xx", when: Gens::from(A6XX), ..SPECIAL };
