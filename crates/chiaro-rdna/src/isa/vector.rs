//! Layouts that the families of vector instructions share: the long form, DPP and SDWA.

use crate::operand::dpp::{Eight, FourBits, Part, Pattern, Sdwa, Unused};
use crate::operand::immediate::BoundControl;
use crate::operand::register::{Mask, Signed, Vgpr};
use crate::operand::source::{Signs, Source};
use chiaro_isa::{Bits, Field, Flag, Format, Kind, Length, Modes, at, bit, dst, modifier, split, src};

/// Code that asks for a literal.
pub(super) const LITERAL: u64 = 255;
/// Codes that ask for a further dword.
pub(super) const DPP8: u64 = 233;
pub(super) const DPP8_FI: u64 = 234;
pub(super) const SDWA: u64 = 249;
pub(super) const DPP16: u64 = 250;

/// First source of the short forms, the literal behind it.
pub(super) const fn short0(kind: &'static Source) -> Field {
    src("src0", split([32..=63, 0..=8]), kind, "first source")
}

/// Second source of the short forms.
pub(super) const fn short1(kind: &'static Vgpr) -> Field {
    src("src1", at(9..=16), kind, "second source")
}

/// Destination of the short forms.
pub(super) const fn short_dst(kind: &'static dyn Kind) -> Field {
    dst("vdst", at(17..=24), kind, "result")
}

const LONG: Format = Format { name: "VOP3", fixed: &[(at(26..=31), 0x35)], suffix: &[], ..Format::EMPTY };

const fn literal<const N: usize>(asked: &'static [(Bits, u64); N], short: u8) -> Length {
    Length::Literal { asked, short, long: short + 4 }
}

/// Long forms by number of sources.
pub(super) const LONG1: Format = Format { length: literal(&[(at(32..=40), LITERAL)], 8), ..LONG };
pub(super) const LONG2: Format =
    Format { length: literal(&[(at(32..=40), LITERAL), (at(41..=49), LITERAL)], 8), ..LONG };
pub(super) const LONG3: Format = Format {
    length: literal(&[(at(32..=40), LITERAL), (at(41..=49), LITERAL), (at(50..=58), LITERAL)], 8),
    ..LONG
};

/// Sources of the long form: sign, absolute value, literal, code.
pub(super) const fn long0(kind: &'static Source) -> Field {
    let bits = match kind.signs {
        Signs::None => split([64..=95, 32..=40]),
        Signs::NegAbs => split([61..=61, 8..=8, 64..=95, 32..=40]),
        Signs::Neg | Signs::Extend => split([61..=61, 64..=95, 32..=40]),
    };
    src("src0", bits, kind, "first source")
}
pub(super) const fn long1(kind: &'static Source) -> Field {
    let bits = match kind.signs {
        Signs::None => split([64..=95, 41..=49]),
        Signs::NegAbs => split([62..=62, 9..=9, 64..=95, 41..=49]),
        Signs::Neg | Signs::Extend => split([62..=62, 64..=95, 41..=49]),
    };
    src("src1", bits, kind, "second source")
}
pub(super) const fn long2(kind: &'static Source) -> Field {
    let bits = match kind.signs {
        Signs::None => split([64..=95, 50..=58]),
        Signs::NegAbs => split([63..=63, 10..=10, 64..=95, 50..=58]),
        Signs::Neg | Signs::Extend => split([63..=63, 64..=95, 50..=58]),
    };
    src("src2", bits, kind, "third source")
}
/// Destination of the long form.
pub(super) const fn long_dst(kind: &'static dyn Kind) -> Field {
    dst("vdst", at(0..=7), kind, "result")
}
/// Mask that the long form writes besides.
pub(super) const CARRY_OUT: Field =
    dst("sdst", at(8..=14), &Mask { vector: false }, "carry of each lane, or whether to scale");
/// Mask that the long form reads.
pub(super) const CARRY_IN: Field = src("src2", at(50..=58), &Mask { vector: true }, "bit of each lane");
/// Result of a comparison in the long form.
pub(super) const COMPARED: Field =
    dst("sdst", at(0..=7), &Mask { vector: false }, "bit of each lane, 0 where it does not run");

pub(super) const CLAMP: Field = modifier("clamp", bit(15), &Flag(" clamp"), "clamp the result");
pub(super) const OMOD: Field =
    modifier("omod", at(59..=60), &Modes(&["", " mul:2", " mul:4", " div:2"]), "scale the result");

/// Second dword of DPP16.
pub(super) const fn dpp0(signed: bool) -> Field {
    if signed {
        src("src0", split([53..=53, 52..=52, 32..=39]), &Signed, "first source, from another lane")
    } else {
        src("src0", at(32..=39), &Vgpr(1), "first source, from another lane")
    }
}
pub(super) const fn dpp1(signed: bool) -> Field {
    if signed {
        src("src1", split([55..=55, 54..=54, 9..=16]), &Signed, "second source")
    } else {
        src("src1", at(9..=16), &Vgpr(1), "second source")
    }
}
pub(super) const PATTERN: Field = modifier("dpp_ctrl", at(40..=48), &Pattern, "which lane is read");
pub(super) const ROW_MASK: Field =
    modifier("row_mask", at(60..=63), &FourBits(" row_mask:"), "rows that are written");
pub(super) const BANK_MASK: Field =
    modifier("bank_mask", at(56..=59), &FourBits(" bank_mask:"), "banks that are written");
pub(super) const BOUND: Field =
    modifier("bound_ctrl", bit(51), &BoundControl, "lanes without a source read 0, else keep what they had");
pub(super) const FETCH: Field =
    modifier("fi", bit(50), &Flag(" fi:1"), "read lanes that do not run as if they did");
/// Second dword of DPP8.
pub(super) const EIGHT: Field = modifier("dpp8", at(40..=63), &Eight, "which lane of eight is read");
pub(super) const DPP8_0: Field = src("src0", at(32..=39), &Vgpr(1), "first source, from another lane");

/// Second dword of SDWA.
pub(super) const fn sdwa0(kind: &'static Sdwa) -> Field {
    src("src0", split([55..=55, 53..=53, 52..=52, 51..=51, 32..=39]), kind, "first source")
}
pub(super) const fn sdwa1(kind: &'static Sdwa) -> Field {
    src("src1", split([63..=63, 61..=61, 60..=60, 59..=59, 9..=16]), kind, "second source")
}
pub(super) static SDWA_FLOAT: Sdwa = Sdwa { float: true };
pub(super) static SDWA_INT: Sdwa = Sdwa { float: false };
pub(super) const SDWA_CLAMP: Field = modifier("clamp", bit(45), &Flag(" clamp"), "clamp the result");
pub(super) const SDWA_OMOD: Field =
    modifier("omod", at(46..=47), &Modes(&["", " mul:2", " mul:4", " div:2"]), "scale the result");
pub(super) const DST_SEL: Field =
    modifier("dst_sel", at(40..=42), &Part(" dst_sel:"), "part of the destination that is written");
pub(super) const UNUSED: Field =
    modifier("dst_unused", at(43..=44), &Unused, "what becomes of the rest of the destination");
pub(super) const SEL0: Field =
    modifier("src0_sel", at(48..=50), &Part(" src0_sel:"), "part of the first source");
pub(super) const SEL1: Field =
    modifier("src1_sel", at(56..=58), &Part(" src1_sel:"), "part of the second source");
