//! Category 1: moves and conversions. spec section 6.

use super::fields::{JP, SS, SY, UL};
use super::rules::RELATIVE_ONCE;
use crate::operand::{CopyDest, CopyImmediate, CopySource, Repeat, Rounding, TexDest, Types};
use crate::operand::{Plain, Unsigned};
use crate::regs::generation::A5XX;
use chiaro_isa::{Bits, Field, Format, Gens, Length, at, bit, dst, modifier, split, src};

const REPEAT: Field = modifier("repeat", at(40..=41), &Repeat(3), "runs again so often, registers step");
const PAIR: Bits = split([50..=52, 46..=48]);
const EQUAL: Field = modifier("types", PAIR, &Types { same: true }, "type of source and destination");
const TYPES: Field = modifier("types", PAIR, &Types { same: false }, "types of source and destination");
const ROUND: Field = modifier("round", at(55..=56), &Rounding, "how the conversion rounds");
const DST: Field =
    dst("dst", split([46..=48, 49..=49, 32..=39]), &CopyDest, "destination, may be relative to a0.x");
const SRC: Field = src(
    "src",
    split([43..=43, 50..=52, 0..=11]),
    &CopySource { constant: false },
    "register, or either file relative to a0.x",
);
const CONST: Field =
    src("src", split([43..=43, 50..=52, 0..=10]), &CopySource { constant: true }, "constant");
const IMMEDIATE: Field = src("src", split([50..=52, 0..=31]), &CopyImmediate, "the value itself");

/// What all copies fix: category, and that bits 58:57 and 42 are clear.
const COPY: [(Bits, u64); 3] = [(at(61..=63), 1), (at(57..=58), 0), (bit(42), 0)];

/// What lies above a register or an offset.
const ABOVE: (Bits, u64) = (at(12..=31), 0);
/// What lies above a constant.
const ABOVE_CONST: (Bits, u64) = (at(11..=31), 0);

/// A register, or something relative to a0.x.
pub(super) static MOV: Format = Format {
    name: "cat1, copy",
    length: Length::Bytes(8),
    opcode: PAIR,
    fixed: &[COPY[0], COPY[1], COPY[2], (at(53..=54), 0), ABOVE],
    fields: &[SY, SS, JP, REPEAT, UL, EQUAL, ROUND, DST, SRC],
    syntax: &["{*sy ss jp repeat ul}{op}.{types} {round}{dst}, {src}"],
    rules: &[RELATIVE_ONCE],
    ..Format::EMPTY
};
/// A constant.
pub(super) static MOV_CONST: Format = Format {
    name: "cat1, copy of a constant",
    fixed: &[COPY[0], COPY[1], COPY[2], (at(53..=54), 1), ABOVE_CONST],
    fields: &[SY, SS, JP, REPEAT, UL, EQUAL, ROUND, DST, CONST],
    ..MOV
};
/// A number.
pub(super) static MOV_IMMEDIATE: Format = Format {
    name: "cat1, number",
    fixed: &[COPY[0], COPY[1], COPY[2], (at(53..=54), 2)],
    fields: &[SY, SS, JP, REPEAT, UL, EQUAL, ROUND, DST, IMMEDIATE],
    syntax: &["{*sy ss jp repeat ul}{op}.{types} {round}{dst}, {src}"],
    spare: &[bit(43)],
    ..MOV
};
/// A conversion of a register.
pub(super) static COV: Format = Format {
    name: "cat1, conversion",
    opcode: Bits::NONE,
    fields: &[SY, SS, JP, REPEAT, UL, TYPES, ROUND, DST, SRC],
    ..MOV
};
/// A conversion of a constant.
pub(super) static COV_CONST: Format = Format {
    name: "cat1, conversion of a constant",
    opcode: Bits::NONE,
    fields: &[SY, SS, JP, REPEAT, UL, TYPES, ROUND, DST, CONST],
    ..MOV_CONST
};
/// A conversion of a number.
pub(super) static COV_IMMEDIATE: Format = Format {
    name: "cat1, conversion of a number",
    opcode: Bits::NONE,
    fields: &[SY, SS, JP, REPEAT, UL, TYPES, ROUND, DST, IMMEDIATE],
    spare: &[bit(43)],
    ..MOV_IMMEDIATE
};

/// Types s16 and s16, plain destination a0.x.
const ADDRESS: [(Bits, u64); 2] = [(split([50..=52, 46..=48, 49..=49]), 0o44 << 1), (at(32..=39), 0xf4)];

/// Loads the address register from a half register.
pub(super) static MOVA: Format = Format {
    name: "cat1, address",
    opcode: Bits::NONE,
    fixed: &[COPY[0], COPY[1], COPY[2], (at(53..=54), 0), ABOVE, ADDRESS[0], ADDRESS[1]],
    fields: &[SY, SS, JP, REPEAT, UL, ROUND, SRC],
    syntax: &[
        "{*sy ss jp repeat ul}{op} {round}a0.x, {src}",
        "{*sy ss jp repeat ul}{op}.s16s16 {round}a0.x, {src}",
        "{*sy ss jp repeat ul}{op} {round}a0.x, {src}",
    ],
    rules: &[],
    ..MOV
};
/// Loads the address register from a constant.
pub(super) static MOVA_CONST: Format = Format {
    name: "cat1, address from a constant",
    fixed: &[COPY[0], COPY[1], COPY[2], (at(53..=54), 1), ABOVE_CONST, ADDRESS[0], ADDRESS[1]],
    fields: &[SY, SS, JP, REPEAT, UL, ROUND, CONST],
    ..MOVA
};
/// Loads the address register with a number.
pub(super) static MOVA_IMMEDIATE: Format = Format {
    name: "cat1, address from a number",
    fixed: &[COPY[0], COPY[1], COPY[2], (at(53..=54), 2), ADDRESS[0], ADDRESS[1]],
    fields: &[SY, SS, JP, REPEAT, UL, ROUND, IMMEDIATE],
    syntax: &[
        "{*sy ss jp repeat ul}{op} {round}a0.x, {src}",
        "{*sy ss jp repeat ul}{op}.s16s16 {round}a0.x, {src}",
        "{*sy ss jp repeat ul}{op} {round}a0.x, {src}",
    ],
    spare: &[bit(43)],
    ..MOVA
};

const D0: Field = dst("d0", split([46..=48, 32..=39]), &TexDest, "first destination");
const KIND: Field = modifier("types", PAIR, &Types { same: true }, "type of all operands");
const REG0: Field = src("s0", split([46..=48, 0..=7]), &TexDest, "first source");
const REG1: Field = src("s1", split([46..=48, 8..=15]), &TexDest, "second operand");
const REG2: Field = src("s2", split([46..=48, 16..=23]), &TexDest, "third operand");
const REG3: Field = src("s3", split([46..=48, 24..=31]), &TexDest, "fourth operand");

const fn written(mut field: Field) -> Field {
    field.role = chiaro_isa::Role::Def;
    field
}

/// Exchanges two registers; A5xx and later.
pub(super) static SWZ: Format = Format {
    name: "cat1, exchange",
    opcode: at(40..=41),
    fixed: &[
        (at(61..=63), 1),
        (at(57..=58), 2),
        (bit(42), 0),
        (bit(49), 0),
        (at(53..=56), 0),
        (at(24..=31), 0),
    ],
    fields: &[SY, SS, JP, UL, KIND, D0, REG0, REG1, written(REG2)],
    syntax: &["{*sy ss jp ul}{op}.{types} {d0}, {s2}, {s0}, {s1}"],
    spare: &[bit(43)],
    rules: &[],
    when: Gens::from(A5XX),
    ..MOV
};
/// Gathers four registers; A5xx and later.
pub(super) static GAT: Format = Format {
    name: "cat1, gather",
    fixed: &[(at(61..=63), 1), (at(57..=58), 2), (bit(42), 0), (bit(49), 0), (at(53..=56), 0)],
    fields: &[SY, SS, JP, UL, KIND, D0, REG0, REG1, REG2, REG3],
    syntax: &["{*sy ss jp ul}{op}.{types} {d0}, {s0}, {s1}, {s2}, {s3}"],
    ..SWZ
};
/// Scatters to four registers; A5xx and later.
pub(super) static SCT: Format = Format {
    name: "cat1, scatter",
    fixed: &[(at(61..=63), 1), (at(57..=58), 2), (bit(42), 0), (bit(49), 0), (at(53..=56), 0)],
    fields: &[SY, SS, JP, UL, KIND, D0, REG0, written(REG1), written(REG2), written(REG3)],
    syntax: &["{*sy ss jp ul}{op}.{types} {d0}, {s1}, {s2}, {s3}, {s0}"],
    ..SWZ
};

const DWORDS: Field =
    modifier("dwords", at(40..=41), &Lanes, "how many lanes the mask has; 32 for each register");
const MASK_DST: Field = dst("dst", at(32..=39), &Plain, "first register of the mask");

/// A number of lanes: 32 times the count.
struct Lanes;

impl chiaro_isa::Kind for Lanes {
    fn decode(&self, raw: u64, _: &chiaro_isa::Cx) -> Option<chiaro_isa::Value> {
        Some(chiaro_isa::Value::Int((raw as i64 + 1) * 32))
    }
    fn encode(
        &self,
        value: chiaro_isa::Value,
        _: chiaro_isa::Partial,
        _: &chiaro_isa::Cx,
    ) -> Option<chiaro_isa::Partial> {
        let n = value.int().filter(|n| (32..=128).contains(n) && n % 32 == 0)?;
        chiaro_isa::Partial::full(n as u64 / 32 - 1)
    }
    fn print(&self, value: chiaro_isa::Value, out: &mut chiaro_isa::Out, cx: &chiaro_isa::Cx) {
        Unsigned { from: 0 }.print(value, out, cx);
    }
    fn parse(&self, s: &mut chiaro_isa::Cursor<'_>, cx: &chiaro_isa::Cx) -> Option<chiaro_isa::Value> {
        Unsigned { from: 0 }.parse(s, cx)
    }
}

/// The mask of active lanes; A5xx and later.
pub(super) static MOVMSK: Format = Format {
    name: "cat1, mask",
    opcode: Bits::NONE,
    fixed: &[
        (at(61..=63), 1),
        (at(57..=58), 3),
        (bit(42), 0),
        (split([50..=52, 46..=48]), 0o33),
        (bit(49), 0),
        (at(53..=56), 0),
        (at(0..=31), 0),
    ],
    fields: &[SY, SS, JP, UL, DWORDS, MASK_DST],
    syntax: &["{*sy ss jp ul}{op}.w{dwords} {dst}"],
    spare: &[bit(43)],
    rules: &[],
    when: Gens::from(A5XX),
    ..MOV
};
