//! Category 7: barriers and caches. spec section 12.

use super::fields::{JP, SS, SY};
use crate::operand::Switch;
use crate::regs::generation::A6XX;
use chiaro_isa::{Field, Flag, Format, Gens, Length, at, bit, modifier};

const G: Field = modifier("g", bit(54), &Flag(".g"), "global memory");
const L: Field = modifier("l", bit(53), &Flag(".l"), "local memory");
const R: Field = modifier("r", bit(52), &Flag(".r"), "reads");
const W: Field = modifier("w", bit(51), &Flag(".w"), "writes");
const WHICH: Field = modifier("which", bit(51), &Switch(".shr", ".all"), "which cache");
const HOW: Field = modifier("how", bit(51), &Switch(".s", ".l"), "short or long");

/// Waits or orders memory.
pub(super) static BARRIER: Format = Format {
    name: "cat7, barrier",
    length: Length::Bytes(8),
    opcode: at(55..=58),
    fixed: &[(at(61..=63), 7), (bit(49), 1)],
    fields: &[SY, SS, JP, G, L, R, W],
    syntax: &["{*sy ss jp}{op}{g}{l}{r}{w}"],
    spare: &[at(0..=43), at(45..=48), bit(50)],
    ..Format::EMPTY
};
/// Caches.
pub(super) static CACHE: Format = Format {
    name: "cat7, cache",
    fixed: &[(at(61..=63), 7)],
    fields: &[SY, SS, JP, WHICH],
    syntax: &["{*sy ss jp}{op}{which}"],
    spare: &[at(0..=43), at(45..=50), at(52..=54)],
    when: Gens::from(A6XX),
    ..BARRIER
};
/// A pause.
pub(super) static SLEEP: Format =
    Format { name: "cat7, pause", fields: &[SY, SS, JP, HOW], syntax: &["{*sy ss jp}{op}{how}"], ..CACHE };
/// No operands.
pub(super) static PLAIN: Format = Format {
    name: "cat7",
    fields: &[SY, SS, JP],
    syntax: &["{*sy ss jp}{op}"],
    spare: &[at(0..=43), at(45..=54)],
    ..CACHE
};
