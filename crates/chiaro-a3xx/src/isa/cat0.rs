//! Category 0: flow control. spec section 5.

use super::fields::{JP, SS, SY};
use crate::operand::{Distance, Predicate, Repeat, Unsigned};
use crate::regs::generation::{A5XX, A6XX};
use chiaro_isa::{Bits, Field, Flag, Format, Gens, Length, Role, at, bit, modifier, split, src, target};

const EQ: Field = modifier("eq", bit(48), &Flag("(eq)"), "helper lanes stop here").when(Gens::from(A6XX));
const REPEAT0: Field = modifier("repeat", at(40..=42), &Repeat(7), "further issue slots");
const PREDICATE: Field = src("p", split([52..=52, 53..=54]), &Predicate, "predicate, inverted or not");
const PREDICATE2: Field = src("q", split([45..=45, 46..=47]), &Predicate, "second predicate");
const TARGET: Field =
    target("target", at(0..=31), &Distance, "distance in instructions, counted from this one");
const INDEX: Field = modifier("index", at(32..=36), &Unsigned { from: 0 }, "which hardware condition");

/// Opcode with the bit that tells the two halves of the list apart.
const OPCODE: Bits = split([49..=49, 55..=58]);
/// Opcode of a branch, with its kind.
const BRANCH_OPCODE: Bits = split([49..=49, 55..=58, 37..=39]);

const fn role(mut field: Field) -> Field {
    field.role = Role::Use;
    field
}

/// No operands.
pub(super) static PLAIN: Format = Format {
    name: "cat0",
    length: Length::Bytes(8),
    opcode: OPCODE,
    fixed: &[(at(61..=63), 0), (at(0..=39), 0)],
    fields: &[SY, SS, EQ, JP, REPEAT0],
    syntax: &["{*sy ss eq jp repeat}{op}"],
    spare: &[bit(43), at(45..=47), at(50..=54)],
    ..Format::EMPTY
};
/// The same where the set begins with A6xx.
pub(super) static PLAIN_A6XX: Format = Format { name: "cat0, extended", when: Gens::from(A6XX), ..PLAIN };
/// A predicate.
pub(super) static KILL: Format = Format {
    name: "cat0, predicate",
    fields: &[SY, SS, EQ, JP, role(PREDICATE)],
    syntax: &["{*sy ss eq jp}{op} {p}"],
    spare: &[at(40..=43), at(45..=47), at(50..=51)],
    ..PLAIN
};
/// A place.
pub(super) static JUMP: Format = Format {
    name: "cat0, place",
    fixed: &[(at(61..=63), 0)],
    fields: &[SY, SS, EQ, JP, TARGET],
    syntax: &["{*sy ss eq jp}{op} {target}"],
    spare: &[at(32..=39), at(40..=43), at(45..=47), at(50..=54)],
    ..PLAIN
};
/// A place, from A5xx on.
pub(super) static JUMP_A5XX: Format = Format { name: "cat0, place, A5xx", when: Gens::from(A5XX), ..JUMP };
/// A place, from A6xx on.
pub(super) static JUMP_A6XX: Format = Format { name: "cat0, place, A6xx", when: Gens::from(A6XX), ..JUMP };
/// A predicate and a place.
pub(super) static BRANCH: Format = Format {
    name: "cat0, branch",
    opcode: BRANCH_OPCODE,
    fixed: &[(at(61..=63), 0)],
    fields: &[SY, SS, EQ, JP, PREDICATE, TARGET],
    syntax: &["{*sy ss eq jp}{op} {p}, {target}"],
    spare: &[at(32..=36), at(40..=43), at(45..=47), at(50..=51)],
    ..PLAIN
};
/// The same, from A5xx on.
pub(super) static BRANCH_A5XX: Format =
    Format { name: "cat0, branch, A5xx", when: Gens::from(A5XX), ..BRANCH };
/// Two predicates and a place.
pub(super) static BRANCH2: Format = Format {
    name: "cat0, branch on two",
    fields: &[SY, SS, EQ, JP, PREDICATE, PREDICATE2, TARGET],
    syntax: &["{*sy ss eq jp}{op} {p}, {q}, {target}"],
    spare: &[at(32..=36), at(40..=43), at(50..=51)],
    when: Gens::from(A6XX),
    ..BRANCH
};
/// A condition of the hardware and a place.
pub(super) static BRANCH_INDEX: Format = Format {
    name: "cat0, branch on a condition",
    fields: &[SY, SS, EQ, JP, INDEX, TARGET],
    syntax: &["{*sy ss eq jp}{op}.{index} {target}"],
    spare: &[at(40..=43), at(45..=47), at(50..=54)],
    when: Gens::from(A6XX),
    ..BRANCH
};
