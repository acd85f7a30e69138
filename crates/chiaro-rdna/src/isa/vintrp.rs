//! VINTRP: interpolation of attributes (spec 4, 8.7).

use super::layout::*;
use crate::operand::attribute::Attribute;
use crate::operand::register::Vgpr;
use chiaro_isa::{Field, Format, Length, Names, at, dst, inout, modifier, operations, split, src};

operations! {
    /// Interpolation of attributes.
    pub enum Vintrp => ROWS {
        /// VOP3 forms of VINTRP.
        InterpP1F32 "v_interp_p1_f32" [FIRST 0x00] VALU32 AMD { implicit: READS_M0 };
        /// VOP3 forms of VINTRP.
        InterpP2F32 "v_interp_p2_f32" [ONTO 0x01] VALU32 AMD { implicit: READS_M0 };
        /// VOP3 forms of VINTRP.
        InterpMovF32 "v_interp_mov_f32" [MOVE 0x02] VALU32 AMD { implicit: READS_M0 };
    }
}

const VINTRP: Format = Format {
    name: "VINTRP",
    length: Length::Bytes(4),
    opcode: at(16..=17),
    fixed: &[(at(26..=31), 0x32)],
    suffix: &["_e32"],
    ..Format::EMPTY
};
const ATTRIBUTE: Field = modifier("attr", split([8..=9, 10..=15]), &Attribute, "attribute and component");
const BARYCENTRIC: Field = src("vsrc", at(0..=7), &Vgpr(1), "barycentric coordinate");

layout!(
    FIRST = VINTRP,
    [dst("vdst", at(18..=25), &Vgpr(1), "result"), BARYCENTRIC, ATTRIBUTE],
    "{op} {vdst}, {vsrc}, {attr}"
);
layout!(
    ONTO = VINTRP,
    [inout("vdst", at(18..=25), &Vgpr(1), "added to"), BARYCENTRIC, ATTRIBUTE],
    "{op} {vdst}, {vsrc}, {attr}"
);
layout!(
    MOVE = VINTRP,
    [
        dst("vdst", at(18..=25), &Vgpr(1), "result"),
        modifier("vertex", at(0..=7), &Names(&["p10", "p20", "p0"]), "which vertex"),
        ATTRIBUTE,
    ],
    "{op} {vdst}, {vertex}, {attr}"
);
