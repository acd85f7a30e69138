//! What the layouts of all families share: the macro that makes one, places of operands, sources of
//! facts, timing.

use crate::operand::alu::{DEST, FLOAT, HALF, INTEGER};
use crate::operand::modifier::Long;
use chiaro_isa::{
    Bits, Class, Field, Format, Hex, Kind, Length, Purpose, Source, Wait, at, dst, modifier, split, src,
};

/// Makes a layout from another one: name, base, fields, text behind the mnemonic (ours, and
/// applegpu's where it is another), and what else differs.
///
/// It has two fields of its own: `long`, for instructions that are longer than they have to be, and
/// `value`, what no field claims, without a meaning as far as is known.
macro_rules! layout {
    ($(#[$doc:meta])* $name:ident = $base:expr, [$($field:expr),* $(,)?], $ours:literal $(| $theirs:literal)?
     $(, $key:ident: $value:expr)* $(,)?) => {
        $(#[$doc])*
        pub(super) static $name: chiaro_isa::Format = {
            const LAYOUT_BASE: chiaro_isa::Format = chiaro_isa::Format { $($key: $value,)* ..$base };
            const LAYOUT_KNOWN: &[chiaro_isa::Field] = &[$($field),*];
            const LAYOUT_FIELDS: &[chiaro_isa::Field] =
                &[$crate::isa::layout::long(&LAYOUT_BASE), $($field,)* $crate::isa::layout::unknown(&LAYOUT_BASE, LAYOUT_KNOWN)];
            chiaro_isa::Format {
                fields: LAYOUT_FIELDS,
                syntax: &[
                    concat!("{op}{long}", $ours, "[ bits {value}]"),
                    $crate::isa::layout::layout!(@theirs $ours $(| $theirs)?),
                ],
                ..LAYOUT_BASE
            }
        };
    };
    (@theirs $ours:literal) => { concat!("{op}", $ours) };
    (@theirs $ours:literal | $theirs:literal) => { concat!("{op}", $theirs) };
}
pub(super) use layout;

/// Names of an operation that applegpu marks as unexplained: both spellings are read.
macro_rules! unexplained {
    ($name:literal) => {
        &[(0, $name), (0, concat!("TODO.", $name)), (1, concat!("TODO.", $name)), (1, $name)]
    };
}
pub(super) use unexplained;

/// What the length hides: the bytes that a short instruction lacks, and the bit that keeps them.
pub(super) const fn long(format: &Format) -> Field {
    let bits = match format.length {
        Length::Marked { bit, short, long } => split([short * 8..=long * 8 - 1, bit..=bit]),
        _ => Bits::NONE,
    };
    modifier("long", bits, &Long, "longer than it has to be: the last bytes are there, and zero").view()
}

/// What no field claims.
pub(super) const fn unknown(format: &Format, known: &[Field]) -> Field {
    modifier("value", format.left_over(known), &Hex, "bits without a meaning as far as is known")
}

/// Short and long form by bit 15.
pub(super) const fn by_15(short: u8, long: u8) -> Length {
    Length::Marked { bit: 15, short, long }
}

/// Short and long form by bit 47.
pub(super) const BY_47: Length = Length::Marked { bit: 47, short: 6, long: 8 };

/// A result whose high bits are at `high` (spec 3.2).
pub(super) const fn result(high: u8) -> Field {
    result_of(high, &DEST)
}

/// A result of some kind.
pub(super) const fn result_of(high: u8, kind: &'static dyn Kind) -> Field {
    dst("D", split([high..=high + 1, 9..=14, 7..=8]), kind, "result")
}

/// Where a source is: its low bits from `low` on, its high bits at `high`, and `signs` bits behind
/// its type (spec 3.3).
pub(super) const fn place(low: u8, high: u8, kind: u8, signs: u8) -> Bits {
    let (number, high) = (low..=low + 5, high..=high + 1);
    let (first, last) = (low + 6, low + 5 + kind);
    match signs {
        0 => split([high, number, first..=last]),
        n => split([last + 1..=last + n, high, number, first..=last]),
    }
}

/// An integer source.
pub(super) const fn integer(name: &'static str, low: u8, high: u8) -> Field {
    src(name, place(low, high, 4, 0), &INTEGER, "source")
}

/// A source of some kind that may be sign-extended.
pub(super) const fn extended(name: &'static str, low: u8, high: u8, kind: &'static dyn Kind) -> Field {
    src(name, place(low, high, 4, 1), kind, "source")
}

/// A float source.
pub(super) const fn float(name: &'static str, low: u8, high: u8) -> Field {
    src(name, place(low, high, 4, 2), &FLOAT, "source")
}

/// A source of 16 bits.
pub(super) const fn half(name: &'static str, low: u8, high: u8) -> Field {
    src(name, place(low, high, 3, 2), &HALF, "source of 16 bits")
}

/// A number or flag of some kind.
pub(super) const fn modify(
    name: &'static str,
    bits: Bits,
    kind: &'static dyn Kind,
    doc: &'static str,
) -> Field {
    modifier(name, bits, kind, doc)
}

/// A bit or field that tools show, but nobody can explain.
pub(super) const fn mystery(name: &'static str, bits: Bits, kind: &'static dyn Kind) -> Field {
    modifier(name, bits, kind, "meaning unknown")
}

/// The register size of a run, and the hint of a mask-stack instruction.
pub(super) const SATURATE: Field = modifier(
    "S",
    at(6..=6),
    &chiaro_isa::Flag(".sat"),
    "clamp the result: floats to 0..1, integers to their range",
);

/// dougallj/applegpu, a decoder, encoder and emulator.
pub(super) static APPLEGPU: Source =
    Source { name: "applegpu", title: "dougallj/applegpu, commit 4c5bae6: decoder, encoder, emulator" };
/// Mesa's compiler and drivers.
pub(super) static MESA: Source =
    Source { name: "Mesa", title: "Mesa 25.0.7: src/asahi, compiler and drivers" };

/// A class of Mesa's cycle model (spec 11.1): the hardware interlocks registers, so a result may
/// be read by the next instruction.
const fn class(name: &'static str, unit: &'static str, issue: Option<u8>) -> Class {
    let purpose = Purpose::Arithmetic;
    Class { name, unit, issue, result: Wait::Slots(0), purpose, source: Some(&MESA) }
}

pub(super) static F32: Class = class("float", "F32", Some(1));
pub(super) static F16: Class = class("half float", "F16", Some(1));
pub(super) static SCIB: Class = class("simple integer", "SCIB", Some(1));
pub(super) static SCIB2: Class = class("special register, ballot, shuffle", "SCIB", Some(2));
pub(super) static REDUCE: Class = class("reduction", "SCIB", Some(24));
pub(super) static SCAN: Class = class("scan", "SCIB", Some(18));
pub(super) static IC: Class = class("integer and complex", "IC", Some(2));
pub(super) static RCP: Class = class("reciprocal", "IC", Some(3));
pub(super) static RSQRT: Class = class("reciprocal square root", "IC", Some(4));
/// Operations that the model leaves out, though they keep a unit busy.
pub(super) static UNTIMED: Class = class("without figures", "unknown", None);
pub(super) static CONTROL: Class = Class { purpose: Purpose::Control, ..class("control", "scheduler", None) };
/// Results come when a wait for their slot is over.
pub(super) static ASYNC: Class = Class {
    name: "asynchronous",
    unit: "memory",
    issue: None,
    result: Wait::Counter { name: "the wait slot", slots: 10 },
    purpose: Purpose::Memory,
    source: Some(&MESA),
};
pub(super) static IN_ORDER: Class = Class { purpose: Purpose::Memory, ..class("in order", "memory", None) };
pub(super) static MOVE: Class = Class { purpose: Purpose::Move, ..SCIB };
pub(super) static MASK_STACK: Class = Class { purpose: Purpose::Control, ..SCIB };
pub(super) static WAITING: Class = Class { purpose: Purpose::Wait, ..CONTROL };
pub(super) static SPILLED: Class = Class { purpose: Purpose::Spill, ..ASYNC };
pub(super) static IMAGE: Class = Class { purpose: Purpose::Texture, ..ASYNC };
pub(super) static PIXEL: Class = Class { purpose: Purpose::Memory, ..class("pixel", "pixel", None) };
