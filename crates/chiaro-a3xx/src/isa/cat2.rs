//! Category 2: ALU with one or two sources, and varyings. spec section 7.

use super::fields::{JP, NOPS, REPEAT, REPEAT_OLD, SAT, SS, SY, UL};
use super::rules::{FLOAT_TABLE, NO_SIGNS, ONE_CONSTANT, ONE_IMMEDIATE, ONLY_NOT, PREDICATE_DEST, WRITES_A0};
use super::rules::{INTEGER_IMMEDIATE, LAST_INPUT};
use crate::operand::{Condition, Dest, Input, Multi};
use crate::regs::generation::A6XX;
use chiaro_isa::{Field, Flag, Format, Gens, Length, at, bit, dst, modifier, split, src};

const EI: Field = modifier("ei", bit(47), &Flag("(ei)"), "last fetch of a varying, releases their storage");
const COND: Field = modifier("cond", at(48..=50), &Condition, "relation");
const SRC1: Field = src(
    "src1",
    split([40..=41, 43..=43, 52..=52, 0..=15]),
    &Multi { float: true },
    "register, constant or immediate",
);
const SRC2: Field = src(
    "src2",
    split([40..=41, 51..=51, 52..=52, 16..=31]),
    &Multi { float: true },
    "register, constant or immediate",
);
const INT1: Field =
    src("src1", split([40..=41, 43..=43, 52..=52, 0..=15]), &INT, "register, constant or immediate");
const INT2: Field =
    src("src2", split([40..=41, 51..=51, 52..=52, 16..=31]), &INT, "register, constant or immediate");
const PLACE: Field =
    src("src1", split([40..=41, 43..=43, 52..=52, 0..=15]), &VARYING_SOURCE, "which varying scalar");
const PAIR: Field = src(
    "src2",
    split([40..=41, 51..=51, 52..=52, 16..=31]),
    &VARYING_SOURCE,
    "barycentric coordinates, two registers",
);
const VARYING_SOURCE: Input = Input(INT);
const INT: Multi = Multi { float: false };
const DST: Field = dst("dst", split([52..=52, 46..=46, 32..=39]), &Dest, "destination");

/// Prefixes: today, and as tools of 2013 wrote them.
macro_rules! texts {
    ($rest:literal) => {
        &[
            concat!("{*sy ss jp sat repeat nops ul}{op}", $rest),
            concat!("{*sy ss jp sat repeat nops ul}{op}", $rest),
            concat!("{*sy ss jp rpt ul}{op}", $rest),
        ]
    };
}

/// Two float sources.
pub(super) static FLOAT: Format = Format {
    name: "cat2, two floats",
    length: Length::Bytes(8),
    opcode: at(53..=58),
    fixed: &[(at(61..=63), 2)],
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS, SAT, REPEAT, UL, EI, SRC1, SRC2, DST],
    syntax: texts!(" {ei}{dst}, {src1}, {src2}"),
    rules: &[ONE_CONSTANT, ONE_IMMEDIATE, FLOAT_TABLE, PREDICATE_DEST, WRITES_A0, LAST_INPUT],
    spare: &[at(48..=50)],
    ..Format::EMPTY
};
/// Two integer sources.
pub(super) static INTEGER: Format = Format {
    name: "cat2, two integers",
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS, SAT, REPEAT, UL, EI, INT1, INT2, DST],
    rules: &[ONE_CONSTANT, ONE_IMMEDIATE, INTEGER_IMMEDIATE, NO_SIGNS, PREDICATE_DEST, WRITES_A0, LAST_INPUT],
    ..FLOAT
};
/// Two bit patterns.
pub(super) static BITS: Format = Format {
    name: "cat2, two bit patterns",
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS, SAT, REPEAT, UL, EI, INT1, INT2, DST],
    rules: &[ONE_CONSTANT, ONE_IMMEDIATE, INTEGER_IMMEDIATE, ONLY_NOT, PREDICATE_DEST, WRITES_A0, LAST_INPUT],
    ..FLOAT
};
/// One float source.
pub(super) static FLOAT1: Format = Format {
    name: "cat2, one float",
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS, SAT, REPEAT, UL, EI, SRC1, DST],
    syntax: texts!(" {ei}{dst}, {src1}"),
    spare: &[at(16..=31), at(48..=50)],
    ..FLOAT
};
/// One integer source.
pub(super) static INTEGER1: Format = Format {
    name: "cat2, one integer",
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS, SAT, REPEAT, UL, EI, INT1, DST],
    rules: &[INTEGER_IMMEDIATE, NO_SIGNS, PREDICATE_DEST, WRITES_A0, LAST_INPUT],
    ..FLOAT1
};
/// One integer source with sign and magnitude.
pub(super) static SIGNED1: Format = Format {
    name: "cat2, one integer with its sign",
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS, SAT, REPEAT, UL, EI, INT1, DST],
    rules: &[INTEGER_IMMEDIATE, PREDICATE_DEST, WRITES_A0, LAST_INPUT],
    ..FLOAT1
};
/// One bit pattern.
pub(super) static BITS1: Format = Format {
    name: "cat2, one bit pattern",
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS, SAT, REPEAT, UL, EI, INT1, DST],
    rules: &[INTEGER_IMMEDIATE, ONLY_NOT, PREDICATE_DEST, WRITES_A0, LAST_INPUT],
    ..FLOAT1
};
/// A comparison of floats; may write a predicate.
pub(super) static COMPARE: Format = Format {
    name: "cat2, comparison of floats",
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS, SAT, REPEAT, UL, EI, COND, SRC1, SRC2, DST],
    syntax: texts!(".{cond} {ei}{dst}, {src1}, {src2}"),
    rules: &[ONE_CONSTANT, ONE_IMMEDIATE, FLOAT_TABLE, WRITES_A0, LAST_INPUT],
    spare: &[],
    ..FLOAT
};
/// A comparison of integers; may write a predicate.
pub(super) static COMPARE_INTEGER: Format = Format {
    name: "cat2, comparison of integers",
    fields: &[SY, SS, JP, REPEAT_OLD, NOPS, SAT, REPEAT, UL, EI, COND, INT1, INT2, DST],
    rules: &[ONE_CONSTANT, ONE_IMMEDIATE, INTEGER_IMMEDIATE, NO_SIGNS, WRITES_A0, LAST_INPUT],
    ..COMPARE
};
/// A varying.
pub(super) static VARYING: Format = Format {
    name: "cat2, varying",
    fixed: &[(at(61..=63), 2), (bit(50), 0)],
    fields: &[SY, SS, JP, REPEAT_OLD, SAT, REPEAT, UL, EI, PLACE, PAIR, DST],
    syntax: &[
        "{*sy ss jp sat repeat ul}{op} {ei}{dst}, {src1}, {src2}",
        "{*sy ss jp sat repeat ul}{op} {ei}{dst}, {src1}, {src2}",
        "{*sy ss jp rpt ul}{op} {ei}{dst}, {src1}, {src2}",
    ],
    rules: &[ONE_CONSTANT, PREDICATE_DEST, WRITES_A0],
    spare: &[at(48..=49)],
    ..FLOAT
};
/// A flat varying, from A6xx on.
pub(super) static FLAT: Format = Format {
    name: "cat2, flat varying",
    fixed: &[(at(61..=63), 2), (bit(50), 1)],
    when: Gens::from(A6XX),
    ..VARYING
};
