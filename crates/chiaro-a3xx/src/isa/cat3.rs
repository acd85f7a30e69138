//! Category 3: ALU with three sources. spec section 8.

use super::fields::{JP, NOPS3, REPEAT, REPEAT_OLD, SAT, SS, SY, UL};
use super::rules::{NO_SIGNS, PREDICATE_DEST, SECOND_SIGN, WRITES_A0};
use crate::operand::{SelDest, SelSource, SelSource2, SelThird};
use crate::regs::size::{FULL, HALF};
use chiaro_isa::{Bits, Field, Format, Length, at, bit, dst, split, src};

const FIRST: Bits = split([40..=41, 43..=43, 14..=14, 0..=12]);
const SECOND: Bits = split([40..=41, 15..=15, 30..=30, 47..=54]);
const THIRD: Bits = split([15..=15, 43..=43, 40..=41, 29..=29, 31..=31, 16..=28]);

const SRC1: Field = src("src1", FIRST, &SelSource(FULL), "register or constant");
const SRC2: Field = src("src2", SECOND, &SelSource2(FULL), "register");
const SRC3: Field = src("src3", THIRD, &SelThird(SelSource(FULL)), "register or constant");
const DST: Field = dst("dst", split([46..=46, 32..=39]), &SelDest(FULL), "destination");
const SRC1_HALF: Field = src("src1", FIRST, &SelSource(HALF), "half register or constant");
const SRC2_HALF: Field = src("src2", SECOND, &SelSource2(HALF), "half register");
const SRC3_HALF: Field = src("src3", THIRD, &SelThird(SelSource(HALF)), "half register or constant");
const DST_HALF: Field = dst("dst", split([46..=46, 32..=39]), &SelDest(HALF), "destination");

/// Full sources, with signs.
pub(super) static FLOAT: Format = Format {
    name: "cat3, full floats",
    length: Length::Bytes(8),
    opcode: at(55..=58),
    fixed: &[(at(61..=63), 3), (bit(13), 0)],
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS3, SAT, REPEAT, UL, SRC1, SRC2, SRC3, DST],
    syntax: &[
        "{*sy ss jp sat repeat nops ul}{op} {dst}, {src1}, {src2}, {src3}",
        "{*sy ss jp sat repeat nops ul}{op} {dst}, {src1}, {src2}, {src3}",
        "{*sy ss jp rpt ul}{op} {dst}, {src1}, {src2}, {src3}",
    ],
    rules: &[PREDICATE_DEST, WRITES_A0],
    ..Format::EMPTY
};
/// Half sources, with signs.
pub(super) static FLOAT_HALF: Format = Format {
    name: "cat3, half floats",
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS3, SAT, REPEAT, UL, SRC1_HALF, SRC2_HALF, SRC3_HALF, DST_HALF],
    ..FLOAT
};
/// Full sources without signs.
pub(super) static INTEGER: Format =
    Format { name: "cat3, full integers", rules: &[NO_SIGNS, PREDICATE_DEST, WRITES_A0], ..FLOAT };
/// Half sources without signs.
pub(super) static INTEGER_HALF: Format =
    Format { name: "cat3, half integers", rules: &[NO_SIGNS, PREDICATE_DEST, WRITES_A0], ..FLOAT_HALF };
/// Full sources, the second with a sign.
pub(super) static SUM: Format =
    Format { name: "cat3, full sum", rules: &[SECOND_SIGN, PREDICATE_DEST, WRITES_A0], ..FLOAT };
/// Half sources, the second with a sign.
pub(super) static SUM_HALF: Format =
    Format { name: "cat3, half sum", rules: &[SECOND_SIGN, PREDICATE_DEST, WRITES_A0], ..FLOAT_HALF };
